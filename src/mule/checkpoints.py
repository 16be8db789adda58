"""Runs that outlive their process: what a command was asked, and how far its searches have come, in a directory.

The directory holds `run.json` (the model's recipe, the properties and the options, with a checksum) and for each search
that has run for a while one file: the search between two steps, as the engine writes it, and a digest of all that. A
file is written under another name, brought to the disk and then renamed, so that there is always a whole one. Each
search of a command has an identity of its own: its place in the order of searches, its model and its options. A command
that is resumed runs again from the start, and takes each search that has a file from there.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import fields
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from mule import __version__
from mule.effects import saves_runs
from mule.errors import MuleError, Place
from mule.files import UNFINISHED, replacing, written_whole
from mule.frontends import EXECUTED
from mule.model.recipe import Recipe, fingerprint, recipe_of
from mule.options import Kept, Options, Preserve
from mule.properties import Properties
from mule.records import Record, replace

if TYPE_CHECKING:
    from mule import _engine
    from mule.model import Model
    from mule.results import Result

FORMAT = 2
"""Of run.json."""
RUN = "run.json"
SEARCH, RECORD, PARTITION = FILES = (".search", ".cut", ".partition")
"""How the names of what is written of searches end; the last two: on a cluster (see `mule.cluster.cuts`)."""
DIGEST_BYTES = 32
PRESERVED = (*get_args(Preserve), *get_args(Kept))
FREE = frozenset(
    {"memory", "time", "max_states", "spill", "workers", "cluster", "checkpoint", "checkpoint_every", "resume"}
)
"""Options that may differ when a run is resumed: limits, who searches, and where and how often it is written."""

Command = Literal["check", "explore"]


class Written(Record, frozen=True):
    """What a command was asked."""

    command: Command
    recipe: Recipe
    options: dict[str, Any]
    properties: Properties | None = None
    preserve: str = ""
    finished: bool = False

    def options_now(self) -> Options:
        known = dict(self.options)
        kept = PRESERVED if self.command == "explore" else ("",)
        if set(known) != {each.name for each in fields(Options)} or self.preserve not in kept:
            raise ValueError("these are not the options of this version")
        if isinstance(known["estimate"], list):
            known["estimate"] = tuple(known["estimate"])
        return Options(**known)


def read_run(directory: str | Path, command: Command) -> Written:
    """What was asked of the run in the directory; a message where that is not known for sure."""
    path = Path(directory) / RUN
    place = Place(str(path))
    try:
        if not path.is_file():
            raise OSError
        data = path.read_bytes()
    except OSError:
        raise MuleError("there is no run to go on with: begin one with --checkpoint", Place(str(directory))) from None
    run = unsealed(data, "run", FORMAT, place)
    try:
        written = msgspec.convert(run, Written)
        written.options_now()
    except (msgspec.ValidationError, KeyError, TypeError, ValueError, MuleError):
        raise MuleError(f"this file is damaged: begin anew with --checkpoint and {_ANOTHER}", place) from None
    if written.command != command:
        raise MuleError(
            f"this run is one of `mule {written.command}`: go on with `mule {written.command} --resume`", place
        )
    if written.finished:
        raise MuleError("this run has come to its end: there is nothing to go on with", place)
    return written


_ANOTHER = "another directory"


def sealed(name: str, form: int, value: Any) -> bytes:
    """A value as JSON, under its name, with all that tells whether it can be read again."""
    plain = msgspec.to_builtins(value)
    return msgspec.json.encode({"format": form, "mule": __version__, "checksum": _checksum(plain), name: plain})


def unsealed(data: bytes, name: str, form: int, place: Place) -> Any:
    """The value that was sealed; a message where it is damaged, or of another version."""
    try:
        known = msgspec.json.decode(data)
        found, version = known["format"], known["mule"]
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError):
        raise MuleError(f"this file is damaged: begin anew with --checkpoint and {_ANOTHER}", place) from None
    if found != form or version != __version__:
        raise MuleError(
            f"this run was begun by Mule {version}, and this is {__version__}: go on with that one, or begin anew with "
            f"--checkpoint and {_ANOTHER}",
            place,
        )
    if name not in known or known.get("checksum") != _checksum(known[name]):
        raise MuleError(f"this file is damaged: begin anew with --checkpoint and {_ANOTHER}", place)
    return known[name]


def _checksum(value: Any) -> str:
    return blake2b(msgspec.json.encode(value), digest_size=DIGEST_BYTES).hexdigest()


class Saving:
    """One search of a run: where it is written, and when."""

    def __init__(self, run: Run, identity: bytes) -> None:
        self._run = run
        self.stem = identity.hex()
        """How the names of its files begin."""
        self.identity = tuple(int.from_bytes(identity[at : at + 8], "little") for at in range(0, len(identity), 8))
        self._generation = 0
        self._due = time.perf_counter() + run.every

    @property
    def directory(self) -> Path:
        return self._run.directory

    @property
    def every(self) -> float:
        return self._run.every

    def note(self, problem: str) -> None:
        """Why the last checkpoint could not be written; empty: it was."""
        self._run.problem = problem

    def file(self) -> Path | None:
        """The last generation, if there is one and it is whole."""
        found = sorted(filter(Path.is_file, self._run.directory.glob(f"{self.stem}.*{SEARCH}")), key=_generation)
        if not found:
            return None
        self._generation = _generation(found[-1])
        require_whole(found[-1])
        return found[-1]

    def is_due(self) -> bool:
        return time.perf_counter() >= self._due

    def save(self, search: _engine.Stepped) -> None:
        """Between two steps. What cannot be written is told at the end; the search goes on."""
        before, self._generation = self._generation, self._generation + 1
        path = self._path(self._generation)
        try:
            with replacing(path) as unfinished:
                search.write(str(unfinished))
                with unfinished.open("r+b") as file:
                    file.write(_digest(file, None))
            self._path(before).unlink(missing_ok=True)
            self.note("")
        except (OSError, RuntimeError) as error:
            self._generation = before
            self.note(str(error))
        self._due = time.perf_counter() + self._run.every

    def refused(self, path: Path, error: Exception) -> MuleError:
        return MuleError(f"{error}: begin anew with --checkpoint and {_ANOTHER}", Place(str(path)))

    def _path(self, generation: int) -> Path:
        return self._run.directory / f"{self.stem}.{generation}{SEARCH}"


def _generation(path: Path) -> int:
    text = path.name.split(".")[1]
    return int(text) if text.isdecimal() else -1


def _digest(file: Any, size: int | None) -> bytes:
    """Of so many bytes, or of the whole file."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    left = size
    while left is None or left > 0:
        part = file.read(2**20 if left is None else min(2**20, left))
        if not part:
            break
        digest.update(part)
        left = None if left is None else left - len(part)
    return digest.digest()


def digest_of(path: Path) -> str:
    """Of a whole file."""
    with path.open("rb") as file:
        return _digest(file, None).hex()


def require_whole(path: Path) -> None:
    """Refuse the file of a search that is not as it was written."""
    with path.open("rb") as file:
        size = path.stat().st_size - DIGEST_BYTES
        if size < 0 or _digest(file, size) != file.read():
            message = f"this file is damaged: begin anew with --checkpoint and {_ANOTHER}, or remove it to search anew"
            raise MuleError(message, Place(str(path)))


class Run:
    """The checkpoints of one command, while it is entered."""

    def __init__(self, directory: Path, every: float, written: Written) -> None:
        self.directory = directory
        self.every = every
        self.problem = ""
        """Why the last checkpoint could not be written."""
        self._written = written
        self._searches = 0
        self._token: Token[Run | None] | None = None

    def next_search(self, model: Model, how: str) -> Saving:
        """Called for each search of the command, in their order, which is always the same."""
        self._searches += 1
        words = f"{self._searches} {fingerprint(model)} {how}"
        return Saving(self, blake2b(words.encode(), digest_size=16).digest())

    def __enter__(self) -> Run:
        self._token = _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._token is not None
        _current.reset(self._token)

    def end(self, result: Result) -> Result:
        """The result, and how to go on if it is not complete."""
        if is_complete(result):
            return result
        more = {"states": " and a larger --max-states", "memory": " and a larger --memory"}.get(
            result.stopped or "", ""
        )
        again = f"{self._trusted()}{self._where()}{more}"
        notes = [f"to go on: mule {self._written.command} --resume {self.directory}{again}"]
        if self.problem:
            notes.append(f"the last checkpoint could not be written: {self.problem}")
        return replace(result, notes=(*result.notes, *notes))

    def _where(self) -> str:
        """The address of a cluster, which may be another one by then."""
        cluster = self._written.options["cluster"]
        return "" if cluster is None or cluster.startswith("local:") else f" --cluster {cluster}"

    def _trusted(self) -> str:
        """What the user has to say again, because it is run."""
        language, relations = self._written.recipe.source.language, self._written.options["lpor"]
        named = f" --language {language}" if language in EXECUTED else ""
        return named if relations is None else f"{named} --lpor {relations}"


def is_complete(result: Result) -> bool:
    return result.stopped in (None, "omissions")


def finish(directory: str | Path, command: Command) -> None:
    """When the answer has been told, and not before: whoever is killed until then is told it again."""
    folder = Path(directory)
    write_run(folder, replace(read_run(folder, command), finished=True))
    for pattern in (*(f"*{kind}" for kind in FILES), f".*{UNFINISHED}"):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)


_current: ContextVar[Run | None] = ContextVar("run", default=None)


def current_run() -> Run | None:
    return _current.get()


def saving_for(model: Model, options: Options, goals: str) -> Saving | None:
    """Where the next search is written, if its command has checkpoints. `options` as the search has them; `goals`: what
    else tells it from other searches."""
    run = current_run()
    if run is None or options.checkpoint is None:
        return None
    names = sorted(field.name for field in fields(options))
    how = {name: getattr(options, name) for name in names if name not in FREE}
    if options.lpor is not None:
        from mule.relations.user import text_of  # of use to few searches

        goals = f"{goals} {text_of(options.lpor)}"  # what other relations have left out must not be taken for searched
    return run.next_search(model, f"{how} {goals}")


@contextmanager
def run_for(
    command: Command, model: Model, options: Options, properties: Properties | None = None, preserve: str = ""
) -> Iterator[Run]:
    """The run that the options ask for, as `in_order` leaves them: a new one, or one that is resumed and must be the
    same."""
    assert options.checkpoint is not None
    directory = Path(options.checkpoint)
    asked = Written(command, recipe_of(model), _plain(options), properties, preserve)
    if not options.resume:
        _make_room_for_run(directory)
    with _alone_in(directory):
        if options.resume:
            _require_same(read_run(directory, command), asked, directory)
        else:
            write_run(directory, asked)
        with Run(directory, options.checkpoint_every, asked) as run:
            yield run


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Two commands would remove each other's files. The system forgets who is alone when that one ends, however;
    there are file systems where nobody can be."""
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:  # which is told by whoever reads or writes there
        yield
        return
    try:
        if not _is_locked(handle):
            message = f"another command is at work on this run: wait for its end, or name {_ANOTHER}"
            raise MuleError(message, Place(str(directory)))
        yield
    finally:
        os.close(handle)


def _is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _make_room_for_run(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        others = [path.name for path in directory.iterdir() if path.suffix != UNFINISHED]
    except OSError as error:
        raise MuleError(f"checkpoints cannot be written there: {error.strerror}", Place(str(directory))) from None
    if others:
        message = f"this directory is not empty: go on with the run in it by --resume, or name {_ANOTHER}"
        raise MuleError(message, Place(str(directory)))


def _require_same(known: Written, asked: Written, directory: Path) -> None:
    place = Place(str(directory))
    if known.recipe.fingerprint != asked.recipe.fingerprint:
        raise MuleError("this run is of another model: leave out MODEL, or begin anew with --checkpoint", place)
    if (known.properties, known.preserve) != (asked.properties, asked.preserve):
        raise MuleError(
            "this run was asked for other properties: leave these out, or begin anew with --checkpoint", place
        )
    if (known.options["cluster"] is None) != (asked.options["cluster"] is None):
        how = (
            "searched by one machine: leave out --cluster"
            if asked.options["cluster"]
            else "one of a cluster: say --cluster, too"
        )
        raise MuleError(f"this run is {how}, or begin anew with --checkpoint and {_ANOTHER}", place)
    differing = [name for name, value in asked.options.items() if name not in FREE and known.options[name] != value]
    if differing == ["search"] and known.options["workers"] != asked.options["workers"]:
        raise MuleError(_in_other_order(known), place)
    if differing:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in differing)
        raise MuleError(f"this run has other options: leave out {names}, or begin anew with --checkpoint", place)


def in_order(options: Options, properties: Properties | None = None) -> Options:
    """Several workers search breadth first, and so does one without reduction, or for temporal properties alone: where
    that is known, a run is begun in this order, as if the user had said so, and goes on in it, whatever the number of
    workers then."""
    if options.checkpoint is None:
        return options
    shared = (options.workers or 1) > 1
    whole = options.por == "none" and options.proviso in ("auto", "none") and not options.stateless
    by_levels = properties is not None and properties.parts == {"runs"} and saves_runs(options)
    return options.but(search="bfs") if options.search == "auto" and (shared or whole or by_levels) else options


def _in_other_order(known: Written) -> str:
    """Why a run cannot go on with so many workers."""
    if known.options["search"] == "bfs":
        return "this run searches breadth first, and one worker may not: say --search bfs, too, or leave out --workers"
    return (
        "several workers search breadth first, and this run may not: leave out --workers, or begin anew with "
        f"--checkpoint and {_ANOTHER}"
    )


def write_run(directory: Path, written: Written) -> None:
    try:
        with written_whole(directory / RUN) as file:
            file.write(sealed("run", FORMAT, written))
    except OSError as error:
        raise MuleError(f"checkpoints cannot be written there: {error.strerror}", Place(str(directory))) from None


def _plain(options: Options) -> dict[str, Any]:
    """Options as JSON has them."""
    known = {each.name: getattr(options, each.name) for each in fields(options)}
    for name, value in known.items():
        parts = value if isinstance(value, tuple) else (value,)
        if not all(isinstance(part, str | int | float | None) for part in parts):
            raise MuleError(f"a run with {name} as an object of Python cannot be written: name a file instead")
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in known.items()}
    return {**plain, "checkpoint": None, "resume": False}
