"""Cuts on disk: each partition has a file of its own, and the leader knows which files belong together.

Where a command has checkpoints, the leader writes down the last cut that is complete, with a digest of each file. It
does so after all partitions have brought theirs to the disk, in one step, so that whoever is killed meanwhile leaves
the cut before. Names hold a word that each team has for itself: a worker whose leader is gone may still be writing.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import msgspec

from mule.checkpoints import PARTITION, RECORD, RUN, Saving, digest_of, sealed, unsealed
from mule.cluster.partition import E, Partition
from mule.errors import MuleError, Place
from mule.files import UNFINISHED, replacing, written_whole
from mule.records import Record

FORMAT = 1
"""Of what the leader writes."""
ANEW = "begin anew with --checkpoint and another directory"


class Cut(Record, frozen=True):
    """All partitions at one moment."""

    number: int
    team: str
    """The word of those who wrote it."""
    digests: tuple[str, ...]
    """Of the files of all partitions, in their order."""
    threads: tuple[int, ...] = ()
    """How many each of them has; empty: one."""

    @property
    def threads_of_all(self) -> tuple[int, ...]:
        return self.threads or (1,) * len(self.digests)


class Shelf(Record, frozen=True):
    """Where a team puts its cuts: a folder of the same name on every machine, or one that all share."""

    folder: Path
    stem: str
    team: str
    run: str = ""
    """The digest of a file that everybody must see there; empty: each machine may have a folder of its own."""

    def file(self, cut: int, part: int, team: str | None = None) -> Path:
        return self.folder / f"{self.stem}.{cut}.{team or self.team}.{part}{PARTITION}"

    def record(self, cut: int) -> Path:
        """What the leader writes, of a run."""
        return self.folder / f"{self.stem}.{cut}{RECORD}"


def new_shelf(folder: Path) -> Shelf:
    """For cuts that nobody needs when the search is over."""
    return Shelf(folder, "search", _new_team())


def _new_team() -> str:
    return uuid4().hex[:12]


class UnreadableError(MuleError):
    """A file of a cut is missing, damaged or one of something else."""


class Cuts:
    """A worker's part of the cuts."""

    def __init__(self, shelf: Shelf, part: int) -> None:
        self._shelf = shelf
        self._part = part

    def write(self, partition: Partition[E], cut: int) -> str:
        """The digest of what is written, of a partition that is paused, when nothing is under way. All of it or
        nothing; the last two are kept, since others may not come to write theirs, and so is one that is still the
        last of which the leader has a record."""
        self._shelf.folder.mkdir(parents=True, exist_ok=True)
        path = self._shelf.file(cut, self._part)
        with replacing(path) as unfinished:
            partition.search.write(str(unfinished))
            digest = digest_of(unfinished)
        if not self._shelf.record(cut - 2).exists():
            self._shelf.file(cut - 2, self._part).unlink(missing_ok=True)
        return digest

    def read(self, cut: Cut, reader: Callable[[Path], E]) -> E:
        """The partition as it was at the cut; an UnreadableError where that is not known for sure."""
        path = self._shelf.file(cut.number, self._part, cut.team)
        place = Place(str(path))
        try:
            if digest_of(path) != cut.digests[self._part]:
                raise UnreadableError(f"this file is damaged, or not one of the last cut: {ANEW}", place)
            search = reader(path)
            search.receive(search.outbox(self._part))  # what it had no room for
            return search
        except OSError as error:
            raise UnreadableError(
                f"this file of the last cut cannot be read ({error.strerror}): {ANEW}", place
            ) from None
        except RuntimeError as error:
            raise UnreadableError(f"{error}: {ANEW}", place) from None


def why_not_shared(shelf: Shelf) -> str | None:
    """What keeps a worker from using the folder of the run that its leader means."""
    shared = f"with --checkpoint all machines have to share {shelf.folder}, under this name"
    try:
        if digest_of(shelf.folder / RUN) != shelf.run:
            return f"there is another run in {shelf.folder}: {shared}"
    except OSError:
        return f"the run in {shelf.folder} cannot be seen: {shared}"
    try:
        with tempfile.TemporaryFile(dir=shelf.folder):
            return None
    except OSError as error:
        return f"nothing can be written to {shelf.folder} ({error.strerror}): {shared}"


class CutCheckpoints:
    """The leader's part: which cut of a search is complete, where its command has checkpoints."""

    def __init__(self, saving: Saving) -> None:
        self._saving = saving
        self.every = saving.every
        folder = saving.directory.resolve()
        self.shelf = Shelf(folder, saving.stem, _new_team(), digest_of(folder / RUN))
        self.last = self._last()
        """The cut to go on from."""

    def record(self, cut: Cut) -> None:
        """All of its files are on the disk. What other cuts have left is removed; nobody writes meanwhile."""
        try:
            with written_whole(self.shelf.record(cut.number)) as file:
                file.write(sealed("cut", FORMAT, cut))
        except OSError as error:
            return self.failed(str(error))
        self._saving.note("")
        kept = {self.shelf.record(cut.number), *(self.shelf.file(cut.number, part) for part in range(len(cut.digests)))}
        for pattern in (f"{self.shelf.stem}.*", f".{self.shelf.stem}.*{UNFINISHED}"):
            for path in set(self.shelf.folder.glob(pattern)) - kept:
                path.unlink(missing_ok=True)

    def failed(self, problem: str) -> None:
        """A cut could not be written: the one before stays, and the search goes on."""
        self._saving.note(problem)

    def _last(self) -> Cut | None:
        found = [path for path in self.shelf.folder.glob(f"{self.shelf.stem}.*{RECORD}") if path.is_file()]
        if not found:
            return None
        path = max(found, key=_number)
        cut = _cut_in(path)
        if cut.number != _number(path) or not _is_team(cut.team) or not cut.digests:
            raise MuleError(f"this file is damaged: {ANEW}", Place(str(path)))
        return cut


def _cut_in(path: Path) -> Cut:
    place = Place(str(path))
    try:
        return msgspec.convert(unsealed(path.read_bytes(), "cut", FORMAT, place), Cut)
    except OSError as error:
        raise MuleError(f"this file cannot be read ({error.strerror}): {ANEW}", place) from None
    except msgspec.ValidationError:
        raise MuleError(f"this file is damaged: {ANEW}", place) from None


def _number(path: Path) -> int:
    text = path.name.split(".")[1]
    return int(text) if text.isdecimal() else -1


def _is_team(word: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{12}", word) is not None
