"""Macros, includes and conditions, and the way back from their result to what the user wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.errors import MuleError, Place
from mule.frontends.promela import macros, parse
from mule.frontends.promela.preprocessor import Preprocessed, preprocess


def words(text: str, *defines: str) -> list[str]:
    return preprocess(text, "m.pml", defines).text.split()


def place_of(preprocessed: Preprocessed, word: str) -> Place:
    return preprocessed.place(preprocessed.text.index(word))


def complaint(text: str, file: str = "m.pml", defines: tuple[str, ...] = ()) -> str:
    with pytest.raises(MuleError) as caught:
        preprocess(text, file, defines)
    return str(caught.value)


def test_without_directives_the_text_stays() -> None:
    assert preprocess("init { skip }\n", "m.pml").text == "init { skip }\n"


def test_comments_keep_columns() -> None:
    result = preprocess("byte /* of\nwhat */ x // here\nint z", "m.pml")
    assert result.text.split() == ["byte", "x", "int", "z"]
    assert place_of(result, "x") == Place("m.pml", 2, 9)
    assert place_of(result, "z") == Place("m.pml", 3, 5)


def test_strings_and_characters_are_not_comments() -> None:
    assert "/* a */" in preprocess('printf("/* a */"); x = \'"\' /* b */', "m.pml").text


def test_objects_and_functions() -> None:
    text = "#define N 3\n#define MAX(a, b) (a > b -> a : b)\nx = MAX(N, y)\n"
    assert "".join(words(text)) == "x=(3>y->3:y)"


def test_stringify_and_paste() -> None:
    assert words("#define S(a) #a\n#define P(a, b) a##b\nS(x y) P(x, y)") == ['"x', 'y"', "xy"]


def test_continuation_lines() -> None:
    text = "#define SWAP(a, b) t = a; \\\n  a = b; \\\n  b = t\nSWAP(x, y)"
    assert " ".join(words(text)) == "t = x; x = y; y = t"


def test_a_macro_stands_in_one_line_even_if_its_arguments_do_not() -> None:
    result = preprocess("#define F(a, b) a = b\nF(x,\n  y)\nz", "m.pml")
    assert result.text.strip().split("\n")[0].split() == ["x", "=", "y"]
    assert place_of(result, "z") == Place("m.pml", 4, 1)


def test_a_directive_goes_on_after_a_comment_of_several_lines() -> None:
    assert words("#define A 1 /* one\n or so */ + 2\nx = A") == ["x", "=", "1", "+", "2"]


def test_conditions() -> None:
    text = "#ifdef A\na\n#elif B > 1\nb\n#else\nc\n#endif\n#if !defined(A) && B\nd\n#endif"
    assert words(text) == ["c"]
    assert words(text, "A") == ["a"]
    assert words(text, "B=2") == ["b", "d"]


def test_redefinition_and_undef() -> None:
    assert words("#define A 1\nA\n#undef A\nA\n#define A 2\nA") == ["1", "A", "2"]


def test_operators_of_promela_survive() -> None:
    text = "#define X 1\nc??<x>; c??(x); c!!X; :: x -> y; 0 .. X; P@L"
    assert preprocess(text, "m.pml").text.strip() == "c??<x>; c??(x); c!!1; :: x -> y; 0 .. 1; P@L"


def test_neighbours_do_not_merge() -> None:
    assert words("#define NEG -1\nx-NEG") == ["x-", "-1"]


def test_self_reference_ends() -> None:
    assert words("#define a b\n#define b a\na b") == ["a", "b"]


def test_places_around_macros() -> None:
    result = preprocess("#define ONE 1 + first\nx = ONE; second = 2\nthird", "m.pml")
    assert place_of(result, "first") == Place("m.pml", 2, 5)
    assert place_of(result, "second") == Place("m.pml", 2, 10)
    assert place_of(result, "third") == Place("m.pml", 3, 1)


def test_includes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.h").write_text('#include "b.h"\nbyte a;\n')
    (tmp_path / "sub" / "b.h").write_text("/* b */ byte b;")
    main = str(tmp_path / "m.pml")
    result = preprocess('byte m;\n#include "sub/a.h"\nbyte n;', main)
    assert result.text.split() == ["byte", "m;", "byte", "b;", "byte", "a;", "byte", "n;"]
    assert place_of(result, "b;") == Place(str(tmp_path / "sub" / "b.h"), 1, 14)
    assert place_of(result, "a;") == Place(str(tmp_path / "sub" / "a.h"), 2, 6)
    assert place_of(result, "n;") == Place(main, 3, 6)


def test_an_error_in_an_included_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("byte x;\nbyte ;\n")
    with pytest.raises(MuleError, match=r"a\.h:2:6: expected the name of a variable, found `;`"):
        parse('#include "a.h"\ninit { skip }', str(tmp_path / "m.pml"))


def test_missing_include() -> None:
    assert complaint('byte x;\n#include "nothere.h"\n') == (
        "m.pml:2:2: cannot find the file `nothere.h` that is included here"
    )


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "a.h"\n')
    assert "files include each other" in complaint('#include "a.h"\n', str(tmp_path / "m.pml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#ifdef A\nx", "m.pml:1: preprocessor: unterminated #ifdef A"),
        ("x\n#endif", "m.pml:2: preprocessor: misplaced #endif"),
        ("#error no luck", "m.pml:1:2: #error no luck"),
        ("#foo", "m.pml:1:2: unknown preprocessor directive `#foo`"),
        ("#define", "m.pml:1:2: cannot make sense of this preprocessor directive"),
        ("#ifdef\n#endif", "m.pml:1:2: cannot make sense of this preprocessor directive"),
        ("#include", "m.pml:1:2: malformed #include"),
        ("#define F(a) a\nF(1", "m.pml:2:2: the arguments of this macro are never closed"),
        ("#define F(a) a\nF(1, 2)", "m.pml:2: preprocessor: macro F requires 1 arguments but was passed 2"),
        ("x\n /* y", "m.pml:2:2: this comment is never closed"),
    ],
)
def test_malformed(text: str, message: str) -> None:
    assert complaint(text).startswith(message)


@pytest.mark.parametrize("define", ["", "=1", "2=3", "A B"])
def test_malformed_definitions(define: str) -> None:
    assert "expected NAME or NAME=VALUE" in complaint("", defines=(define,))


def test_macros_that_explode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macros, "MAX_EXPANSION", 5_000)
    lines = ["#define a0 x x"] + [f"#define a{n} a{n - 1} a{n - 1}" for n in range(1, 40)]
    assert "macros expand to more than 5000 tokens" in complaint("\n".join([*lines, "a39"]))


def test_macros_nested_too_deeply() -> None:
    lines = ["#define a0 x"] + [f"#define a{n} a{n - 1}" for n in range(1, 3000)]
    assert "macros are nested too deeply" in complaint("\n".join([*lines, "a2999"]))
