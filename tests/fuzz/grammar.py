"""Texts by grammar: formulas, automata and claims that are nearly always right in form, and ask for anything."""

from __future__ import annotations

from random import Random

ATOMS = ("left.critical", "right.critical", "turn == 1", "wants[0]", "wants[1] == 1", "true", "false", "x", "1")
"""Most of them mean something in examples/peterson.dve."""
UNARY = ("!", "X ", "[] ", "<> ", "G ", "F ", "not ", "next ", "always ", "eventually ")
BINARY = (" U ", " W ", " R ", " M ", " && ", " || ", " -> ", " <-> ", " and ", " or ", " xor ", " V ", " until ")
PATHS = ("AX ", "EX ", "AG ", "EG ", "AF ", "EF ", "!", "not ")
QUANTIFIED = ("A", "E")
JOINED = (" U ", " W ", " R ")
CONNECTED = (" && ", " || ", " -> ", " <-> ", " and ", " or ")


def ltl(random: Random, size: int) -> str:
    if size <= 1:
        return random.choice(ATOMS)
    if random.random() < 0.4:
        return random.choice(UNARY) + ltl(random, size - 1)
    left = random.randrange(1, size)
    return f"({ltl(random, left)}{random.choice(BINARY)}{ltl(random, size - left)})"


def ctl(random: Random, size: int) -> str:
    if size <= 1:
        return random.choice(ATOMS)
    left = random.randrange(1, size)
    match random.randrange(3):
        case 0:
            return random.choice(PATHS) + ctl(random, size - 1)
        case 1:
            joined = random.choice(JOINED)
            return f"{random.choice(QUANTIFIED)}[{ctl(random, left)}{joined}{ctl(random, size - left)}]"
        case _:
            return f"({ctl(random, left)}{random.choice(CONNECTED)}{ctl(random, size - left)})"


def hoa(random: Random) -> str:
    """An automaton; now and then with numbers that are not in it."""
    states, atoms, sets = random.randrange(1, 6), random.randrange(3), random.randrange(3)

    def number(most: int) -> int:
        return random.choice((10**9, most, most + 1)) if random.random() < 0.05 else random.randrange(max(most, 1))

    def label(size: int) -> str:
        if size <= 1 or not atoms:
            return str(number(atoms)) if atoms and random.random() < 0.8 else random.choice(("t", "f"))
        return random.choice(("!{0}", "({0} & {1})", "({0} | {1})")).format(label(size - 1), label(size // 2))

    def condition(size: int) -> str:
        if size <= 1 or not sets:
            return f"{random.choice(('Inf', 'Fin'))}({random.choice(('', '!'))}{number(sets)})" if sets else "t"
        return f"({condition(size - 1)} {random.choice('&|')} {condition(size // 2)})"

    names = " ".join(f'"{random.choice(ATOMS[:4])}"' for _ in range(atoms))
    lines = ["HOA: v1", f"States: {number(states) or states}", f"Start: {number(states)}", f"AP: {atoms} {names}"]
    lines += [f"Acceptance: {sets} {condition(random.randrange(1, 5))}", "--BODY--"]
    for state in range(states):
        mark = f" {{{number(sets)}}}" if sets and random.random() < 0.5 else ""
        lines.append(f"State: {state}{mark}")
        lines += [f"[{label(random.randrange(5))}] {number(states)}" for _ in range(random.randrange(4))]
    return "\n".join([*lines, "--END--", ""])


def never(random: Random) -> str:
    states = random.randrange(1, 6)
    names = [f"{random.choice(('S', 'accept_', 'T'))}{state}" for state in range(states)]
    lines = ["never {"]
    for name in names:
        turns = [
            f"  :: ({ltl(random, random.randrange(1, 3))}) -> goto {random.choice(names)}"
            for _ in range(random.randrange(1, 4))
        ]
        lines += [f"{name}:", " if", *turns, " fi;"]
    return "\n".join([*lines, "}", ""])
