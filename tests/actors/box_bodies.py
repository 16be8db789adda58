"""Random bodies of handlers that change objects of dataclasses, and make and send tuples and frozen dataclasses."""

from __future__ import annotations

from tests.actors.bodies import Writer
from tests.actors.body_header import HEADER as PLAIN

BOX = """@dataclass
class Box:
    v: Small = 0
    on: bool = False
    next: "Box | None" = None

    def turn(self, by):
        self.v = (self.v + by) % 4
        self.on = not self.on
        return self.v


@dataclass(frozen=True)
class Pair:
    a: int
    b: bool = False


class Keen(Process):"""
HEADER = (
    PLAIN.replace("class Keen(Process):", BOX, 1)
    .replace("    keeper: Keeper\n", "    keeper: Keeper\n    box: Box\n    boxes: list\n")
    .replace("keeper=Keeper(),", "keeper=Keeper(), box=Box(), boxes=[Box(), Box()],")
)


class BoxWriter(Writer):
    def body(self) -> str:
        """The objects begin in the same way whenever the handler runs; fields tell in the end what became of them."""
        before = [
            "self.box.v, self.box.on, self.box.next = m.n, m.flag, None",
            "self.boxes[0].v, self.boxes[0].on, self.boxes[0].next = 1, False, self.box",
            "self.boxes[1].v, self.boxes[1].on, self.boxes[1].next = m.n, True, None",
        ]
        after = [
            "self.big = self.box.v + 4 * self.boxes[0].v + 16 * self.boxes[1].v",
            "self.flag = self.box.on != self.boxes[1].on",
            "self.n = 0 if self.box.next is None else 1 if self.box.next is self.box else 2",
        ]
        inside = super().body()
        return "".join(f"        {line}\n" for line in before) + inside + "".join(f"        {line}\n" for line in after)

    def statement(self) -> list[str]:
        return self.boxes() if self.chance(0.6) else super().statement()

    def boxes(self) -> list[str]:
        box = self.pick("self.box", "self.boxes[0]", "self.boxes[1]", "self.boxes[m.n % 2]")
        other = self.pick("self.box", "self.boxes[1]", "None", "self.box.next")
        value = self.pick("m.n", "1", "self.n", "self.box.v", "K")
        pair = self.pick(f"Pair({value}, m.flag)", f"Pair({value})", f"Pair(b=True, a={value})")
        self.fresh += 1
        name = f"box{self.fresh}"
        return self.random.choice(
            [
                [f"{box}.v = {value}"],
                [f"{box}.v += {value}"],
                [f"{box}.next = {other}"],
                [f"{name} = {box}", f"{name}.v = ({name}.v + 1) % 4", f"self.box.on = {name} is self.boxes[1]"],
                [f"if {box}.next is not None:", f"    {box}.next.v = {value}", f"    {box}.next.turn(1)"],
                [f"{box}.next.v = {value}"],
                [f"self.n = {box}.turn({value})"],
                [f"for {name} in self.boxes:", f"    {name}.v = ({name}.v * 2 + {value}) % 4"],
                [f"{name} = {pair}", f"self.box.v = {name}.a", f"self.box.on = {name} == Pair({value}, True)"],
                [f"{name} = ({value}, {box}.on)", f"self.box.v, self.box.on = {name}"],
                [f"self.box.on = ({value}, m.flag) < (2, {box}.on)"],
                [f"self.box.on = {box} is {other}"],
                [f"self.box.v = max({name}.v for {name} in self.boxes)"],
            ]
        )
