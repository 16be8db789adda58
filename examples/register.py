"""A regular register, kept by base objects that may crash (in the style of H. Attiya, A. Bar-Noy and D. Dolev, "Sharing
Memory Robustly in Message-Passing Systems").

One writer and some readers use base objects. Whoever has heard of a majority of them goes on, as the others may have
crashed. A reader takes the newest value of those that it is told.

    mule check examples/register.py                      3 base objects, 1 writer, 1 reader
    mule check examples/register.py -D readers=2
    mule check examples/register.py -D bug=quorum        a reader believes the first reply
    mule check examples/register.py -D bug=timestamp     a reader takes any reply of a majority, not the newest
"""

from mule.actors import Message, Process, System, broadcast, majority, on, send, step


class Write(Message):
    timestamp: int
    """It stands for the value, too: the n-th write writes the n-th value."""


class Written(Message):
    timestamp: int


class Read(Message):
    number: int


class Value(Message):
    number: int
    """Which read it answers."""
    timestamp: int


class Completed(Message):
    """The writer tells the readers that a write is over, as one client may tell another."""

    timestamp: int


class Writer(Process):
    objects: "list[BaseObject]"
    readers: "list[Reader]"
    writes: int
    timestamp: int = 0
    writing: bool = False

    @step(when=lambda self: not self.writing and self.timestamp < self.writes)
    def write(self):
        self.writing = True
        self.timestamp += 1
        broadcast(self.objects, Write(self.timestamp))

    @on(Written, quorum=majority, when=lambda self, replies: all(self.awaits(reply) for reply in replies))
    def complete(self, replies):
        self.writing = False
        broadcast(self.readers, Completed(self.timestamp))

    @on(Written, when=lambda self, reply: not self.awaits(reply))
    def ignore(self, reply):
        pass

    def awaits(self, reply: Written) -> bool:
        return self.writing and reply.timestamp == self.timestamp


class Reader(Process):
    objects: "list[BaseObject]"
    reads: int
    enough: int
    careless: bool
    number: int = 0
    reading: bool = False
    completed: int = 0
    """The newest write of which it is known that it is over. It is over before a read begins only if the reader could
    know it, so nothing is lost by looking at what the reader knows."""
    oldest: int = 0
    """What the present read may return at least."""

    @on(Completed)
    def hear(self, message):
        self.completed = max(self.completed, message.timestamp)

    @step(when=lambda self: not self.reading and self.number < self.reads)
    def read(self):
        self.reading = True
        self.number += 1
        self.oldest = self.completed
        broadcast(self.objects, Read(self.number))

    @on(Value, quorum=lambda self: self.enough, when=lambda self, values: all(self.awaits(value) for value in values))
    def finish(self, values):
        newest = values[0].timestamp if self.careless else max(value.timestamp for value in values)
        assert newest >= self.oldest, "regularity: the read returns a value older than the last one written before it"
        self.reading = False

    @on(Value, when=lambda self, value: not self.awaits(value))
    def ignore(self, value):
        pass

    def awaits(self, value: Value) -> bool:
        return self.reading and value.number == self.number


class BaseObject(Process):
    timestamp: int = 0

    @on(Write)
    def store(self, write):
        self.timestamp = max(self.timestamp, write.timestamp)
        send(write.sender, Written(write.timestamp))

    @on(Read)
    def tell(self, read):
        send(read.sender, Value(read.number, self.timestamp))


def system(objects: int = 3, readers: int = 1, writes: int = 2, reads: int = 2, bug: str = "") -> System:
    if bug not in ("", "quorum", "timestamp"):
        raise ValueError(f"there is no bug {bug!r}: choose quorum or timestamp")
    storage = [BaseObject() for _ in range(objects)]
    enough = 1 if bug == "quorum" else majority(objects)
    reading = [Reader(objects=storage, reads=reads, enough=enough, careless=bug == "timestamp") for _ in range(readers)]
    writer = Writer(objects=storage, readers=reading, writes=writes)
    return System([writer, *reading, *storage])
