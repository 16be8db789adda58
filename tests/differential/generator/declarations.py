"""Types, variables, channels and macros."""

from __future__ import annotations

from mule.records import replace
from tests.differential.generator.channels import Channels
from tests.differential.generator.elements import NUMERIC, SIGNED, Channel, Lines, Place


class Declarations(Channels):
    def mtype_declarations(self) -> Lines:
        if not self.has("mtype"):
            return []
        lines = []
        for subtype in ("", ":fruit")[: self.rng.choice((1, 1, 2))]:
            names = tuple(f"{'abcd'[i]}{subtype[1:2]}" for i in range(self.rng.randint(2, 3)))
            self.mtypes[f"mtype{subtype}"] = names
            lines.append(f"mtype{subtype} = {{ {', '.join(names)} }};")
        return lines

    def numeric_type(self) -> str:
        types = list(NUMERIC)
        if self.has("signed"):
            types += SIGNED
        return self.rng.choice(types)

    def any_type(self) -> str:
        if self.mtypes and self.maybe(0.3):
            return self.rng.choice(list(self.mtypes))
        return self.numeric_type()

    def structure_declarations(self) -> Lines:
        lines = []
        if self.has("structures") or self.has("structures in messages"):
            lines += self.structure("T1", [])
        if self.has("structures") and self.maybe(0.6):
            lines += self.structure("T2", [("T1", self.rng.choice((None, 2)))])
        return lines

    def structure(self, name: str, inner: list[tuple[str, int | None]]) -> Lines:
        lines = [f"typedef {name} {{"]
        fields: list[Place] = []
        for structure, length in inner:
            field_name = self.name("f")
            suffix = f"[{length}]" if length else ""
            lines.append(f"  {structure} {field_name}{suffix};")
            fields += [replace(p, path=((field_name, length), *p.path)) for p in self.structures[structure]]
        for _ in range(self.rng.randint(1, 2)):
            type = self.any_type()
            if self.has("structures in messages") and type == "unsigned":
                type = "byte"  # SPIN has none in messages
            lines.append("  " + self.declare(fields, type, self.name("f"), fixed=True))
        self.structures[name] = tuple(fields)
        return [*lines, "};"]

    def declare(self, places: list[Place], type: str, name: str, fixed: bool = False, prefix: str = "") -> str:
        """A variable of a basic type; `fixed`: initial values, if any, are constants."""
        arrays = self.has("arrays") and type != "unsigned" and self.maybe(0.3)
        length = self.rng.choice((2, 2, 3)) if arrays else None
        suffix = f"[{'N' if self.has('defines') and length == 2 else length}]" if length else ""
        bits = f" : {self.rng.choice((1, 2, 2, 3))}" if type == "unsigned" else ""
        initial = ""
        if self.has("initial values") and self.maybe(0.5):
            if length and not type.startswith("mtype") and self.maybe(0.4):
                initial = f" = {{ {', '.join(str(self.rng.randint(0, 2)) for _ in range(length))} }}"
            elif fixed or length or self.maybe(0.5):
                initial = f" = {self.constant(type)}"
            else:
                initial = f" = {self.value(type, self.globally(), False)}"
        places.append(Place(((name, length),), type, prefix != "hidden "))
        return f"{prefix}{type} {name}{suffix}{bits}{initial};"

    def global_declarations(self) -> Lines:
        lines = []
        for _ in range(self.rng.randint(1, 3)):
            prefix = ""
            if self.has("visibility") and self.maybe(0.4):
                prefix = self.rng.choice(("show ", "local "))
            lines.append(self.declare(self.places, self.any_type(), self.name("g"), fixed=True, prefix=prefix))
        if self.has("hidden"):
            type = self.rng.choice(("byte", "short", "int"))
            lines.append(self.declare(self.places, type, self.name("h"), fixed=True, prefix="hidden "))
        if not any(place.readable and not place.is_mtype for place in self.places):
            lines.append(self.declare(self.places, "byte", self.name("g"), fixed=True))
        if self.has("structures"):
            name, length = self.name("s"), self.rng.choice((None, None, 2))
            structure = self.rng.choice(list(self.structures))
            lines.append(f"{structure} {name}{'[2]' if length else ''};")
            self.places += self.of_structure(structure, name, length)
        return lines

    def of_structure(self, structure: str, name: str, length: int | None) -> list[Place]:
        return [replace(place, path=((name, length), *place.path)) for place in self.structures[structure]]

    def channel_declarations(self) -> Lines:
        lines: Lines = []
        if not self.has("channels"):
            return lines
        for _ in range(self.rng.randint(1, 2)):
            channel = self.channel(self.name("c"))
            if self.has("channel array") and self.maybe(0.5):
                channel = replace(channel, length=2)
            elif self.has("exclusive") and self.maybe(0.6):
                channel = self.exclusive(channel)
            self.channels.append(channel)
            lines.append(self.channel_declaration(channel))
        if self.has("channels in messages"):
            self.carried = next((c for c in self.channels if not c.receiver and not c.sender), None)
            if self.carried:
                self.carrier = Channel(self.name("k"), int(not self.has("rendezvous")), ("chan",))
                lines.append(self.channel_declaration(self.carrier))
        if self.has("structures in messages"):
            self.message = Channel(self.name("m"), self.rng.randint(1, 2), ("T1",)), "T1"
            lines.append(self.channel_declaration(self.message[0]))
        return lines

    def channel(self, name: str) -> Channel:
        capacity = 0 if self.has("rendezvous") and self.maybe(0.5) else self.rng.choice((1, 1, 2))
        return Channel(name, capacity, tuple(self.any_type() for _ in range(self.rng.choice((1, 1, 2)))))

    def exclusive(self, channel: Channel) -> Channel:
        single = [p.name for p in self.processes if p.copies == 1]
        if not single:
            return channel
        sender, receiver = self.rng.choice(single), self.rng.choice(single)
        return replace(channel, sender=sender, receiver=receiver)

    def channel_declaration(self, channel: Channel) -> str:
        capacity = "N" if self.has("defines") and channel.capacity == 2 else str(channel.capacity)
        fields = ", ".join("byte" if type == "unsigned" else type for type in channel.fields)
        suffix = f"[{channel.length}]" if channel.length else ""
        return f"chan {channel.name}{suffix} = [{capacity}] of {{ {fields} }};"

    def macro_definitions(self) -> Lines:
        context = self.globally()
        self.macros.append("cond1")
        return [
            f"#define cond1 ({self.condition(context)})",
            "#define next(x, d) x = (x + d) % 3",
            "#define both(x, y) ((x) && (y))",
        ]
