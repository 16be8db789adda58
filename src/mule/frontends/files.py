"""What a model is made of besides its own text: the files that it includes, the modules that it imports. They are read
from the disk and noted, or, where a model is made again from its recipe, taken from there and from nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path


class Files:
    """Texts by their paths, as seen from the model's folder, with `/` on every machine."""

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self.given = given
        """All that there is; None: the disk."""
        self.noted: dict[str, str] = {}
        """What was read."""

    def read(self, key: str, path: str | Path) -> str:
        """The text of the file that lies at `path` on this machine, or a FileNotFoundError."""
        if self.given is None:
            text = decode(_read(Path(path)))
        elif key in self.given:
            text = self.given[key]
        else:
            raise FileNotFoundError(key)
        self.noted[key] = text
        return text

    def has(self, key: str, path: Path) -> bool:
        """Whether there is such a file."""
        return path.is_file() if self.given is None else key in self.given

    def has_folder(self, key: str, path: Path) -> bool:
        """Whether there is such a folder."""
        return path.is_dir() if self.given is None else any(each.startswith(f"{key}/") for each in self.given)


MOST_BYTES = 256 * 2**20
"""Of the text of a model, or of a part of it."""


def _read(path: Path) -> bytes:
    """A device may never end, and a pipe may never begin: neither is a part of a model."""
    if not path.is_file():
        raise FileNotFoundError(path)
    if path.stat().st_size > MOST_BYTES:
        raise OSError(f"this is longer than {MOST_BYTES // 2**20} MiB")
    return path.read_bytes()


_current: ContextVar[Files] = ContextVar("files of the model that is being read")


def current() -> Files:
    """Those of the model that is being read."""
    return _current.get(None) or Files()


@contextmanager
def reading(given: Mapping[str, str] | None = None) -> Iterator[Files]:
    """While a model is read, its files come from here."""
    files = Files(given)
    token = _current.set(files)
    try:
        yield files
    finally:
        _current.reset(token)


def decode(data: bytes) -> str:
    """UTF-8, or Latin-1 for the comments of older models; with Unix line ends."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")
