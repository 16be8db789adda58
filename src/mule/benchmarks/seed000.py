"""Table I of seed 000: states and seconds of LPOR in MP-Basset, and which of our protocols stand for its rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    """As in the table: the protocol and its number of processes."""
    holds: bool
    file: str
    defines: tuple[str, ...]
    unreduced: int
    at_least: bool
    """The seed's unreduced search did not come to its end."""
    dpor: int
    stateless: int
    lpor: int
    net: int


ROWS = (
    Row("Paxos (6)", True, "paxos.py", (), 38_000_000, True, 3_305_752, 1_118_341, 1_130_234, 548_061),
    Row("F-Paxos (6)", False, "paxos.py", ("bug=proposer",), 238_790, False, 2_028, 3_489, 3_489, 3_415),
    Row(
        "F-Paxos2 (7)",
        False,
        "paxos.py",
        ("bug=learner", "proposers=3"),
        16_000_000,
        True,
        21_177,
        175_725,
        173_414,
        173_414,
    ),
    Row("Register (5)", True, "register.py", (), 287_638, False, 27_763, 27_763, 18_451, 18_451),
    Row("Register (5)", False, "register.py", ("bug=quorum",), 7_619, False, 2_344, 4_654, 3_497, 3_497),
    Row(
        "Register (6)",
        False,
        "register.py",
        ("bug=quorum", "readers=2"),
        24_939_222,
        False,
        11_235,
        11_235,
        6_987,
        6_987,
    ),
    Row("Multicast (5)", True, "echo_multicast.py", (), 7_279, False, 7_945, 2_674, 6_607, 2_178),
    Row("Multicast (6)", True, "echo_multicast.py", ("receivers=4",), 102_058, False, 183_265, 24_382, 94_186, 12_494),
    Row(
        "Multicast (6)",
        False,
        "echo_multicast.py",
        ("receivers=4", "bug=quorum"),
        7_543,
        False,
        4_890,
        4_890,
        2_139,
        2_139,
    ),
)
