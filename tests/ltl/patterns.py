"""The specification patterns of Dwyer, Avrunin and Corbett (ICSE 1999) in LTL: 11 patterns in 5 scopes."""

from __future__ import annotations

_SCOPES = ("globally", "before R", "after Q", "between Q and R", "after Q until R")

_TABLE = {
    "absence": (
        "[](!p)",
        "<>r -> (!p U r)",
        "[](q -> [](!p))",
        "[]((q && !r && <>r) -> (!p U r))",
        "[]((q && !r) -> (!p W r))",
    ),
    "existence": (
        "<>p",
        "!r W (p && !r)",
        "[](!q) || <>(q && <>p)",
        "[]((q && !r) -> (!r W (p && !r)))",
        "[]((q && !r) -> (!r U (p && !r)))",
    ),
    "bounded existence": (
        "!p W (p W (!p W (p W []!p)))",
        "<>r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))",
        "<>q -> (!q U (q && (!p W (p W (!p W (p W []!p))))))",
        "[]((q && <>r) -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r))))))))"
        "))",
        "[](q -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p W r) || []p)))))"
        "))))",
    ),
    "universality": (
        "[]p",
        "<>r -> (p U r)",
        "[](q -> []p)",
        "[]((q && !r && <>r) -> (p U r))",
        "[]((q && !r) -> (p W r))",
    ),
    "precedence": (
        "!p W s",
        "<>r -> (!p U (s || r))",
        "[]!q || <>(q && (!p W s))",
        "[]((q && !r && <>r) -> (!p U (s || r)))",
        "[]((q && !r) -> (!p W (s || r)))",
    ),
    "response": (
        "[](p -> <>s)",
        "<>r -> ((p -> (!r U (s && !r))) U r)",
        "[](q -> [](p -> <>s))",
        "[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))",
        "[]((q && !r) -> ((p -> (!r U (s && !r))) W r))",
    ),
    "precedence chain (2 causes, 1 effect)": (
        "<>p -> (!p U (s && !p && X(!p U t)))",
        "<>r -> (!p U (r || (s && !p && X(!p U t))))",
        "([]!q) || (!q U (q && (<>p -> (!p U (s && !p && X(!p U t))))))",
        "[]((q && <>r) -> (!p U (r || (s && !p && X(!p U t)))))",
        "[](q -> (<>p -> (!p U (r || (s && !p && X(!p U t))))))",
    ),
    "precedence chain (1 cause, 2 effects)": (
        "(<>(s && X<>t)) -> ((!s) U p)",
        "<>r -> ((!(s && (!r) && X(!r U (t && !r)))) U (r || p))",
        "([]!q) || ((!q) U (q && ((<>(s && X<>t)) -> ((!s) U p))))",
        "[]((q && <>r) -> ((!(s && (!r) && X(!r U (t && !r)))) U (r || p)))",
        "[](q -> (!(s && (!r) && X(!r U (t && !r))) U (r || p) || [](!(s && X<>t))))",
    ),
    "response chain (2 stimuli, 1 response)": (
        "[](s && X<>t -> X(<>(t && <>p)))",
        "<>r -> (s && X(!r U t) -> X(!r U (t && <>p))) U r",
        "[](q -> [](s && X<>t -> X(!t U (t && <>p))))",
        "[]((q && <>r) -> (s && X(!r U t) -> X(!r U (t && <>p))) U r)",
        "[](q -> (s && X(!r U t) -> X(!r U (t && <>p))) U (r || [](s && X(!r U t) -> X(!r U (t && <>p)))))",
    ),
    "response chain (1 stimulus, 2 responses)": (
        "[](p -> <>(s && X<>t))",
        "<>r -> (p -> (!r U (s && !r && X(!r U t)))) U r",
        "[](q -> [](p -> (s && X<>t)))",
        "[]((q && <>r) -> (p -> (!r U (s && !r && X(!r U t)))) U r)",
        "[](q -> (p -> (!r U (s && !r && X(!r U t)))) U (r || [](p -> (s && X<>t))))",
    ),
    "constrained response chain": (
        "[](p -> <>(s && !z && X(!z U t)))",
        "<>r -> (p -> (!r U (s && !r && !z && X((!r && !z) U t)))) U r",
        "[](q -> [](p -> (s && !z && X(!z U t))))",
        "[]((q && <>r) -> (p -> (!r U (s && !r && !z && X((!r && !z) U t)))) U r)",
        "[](q -> (p -> (!r U (s && !r && !z && X((!r && !z) U t)))) U (r || [](p -> (s && !z && X(!z U t)))))",
    ),
}

PATTERNS: list[tuple[str, str]] = [
    (f"{pattern}, {scope}", formula)
    for pattern, formulas in _TABLE.items()
    for scope, formula in zip(_SCOPES, formulas, strict=True)
]
