"""Numbers as people read them."""

from __future__ import annotations

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 state`, `12,345 states`."""
    word = noun if number == 1 else (plural or f"{noun}s")
    return f"{number:,} {word}"


def size(number: int) -> str:
    """Bytes with a binary unit: `1.5 MiB`."""
    value = float(number)
    for unit in _BINARY:
        if value < 1024 or unit == _BINARY[-1]:
            break
        value /= 1024
    return f"{number} B" if unit == "B" else f"{value:.1f} {unit}"


def seconds(number: float) -> str:
    """`0.012 s`, `3.4 s`, `2 min 05 s`, `1 h 02 min`."""
    if number < 1:
        return f"{number:.3f} s"
    if number < 60:
        return f"{number:.1f} s"
    whole = round(number)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def rate(number: int, duration: float, noun: str = "") -> str | None:
    """How many a second: `2,500/s`, `1.24 million states/s`; None where the time is too short to say."""
    if duration < 0.001:
        return None
    speed = number / duration
    return f"{speed / 1e6:.2f} million{noun}/s" if speed >= 1e6 else f"{round(speed):,}{noun}/s"
