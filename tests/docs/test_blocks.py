"""A Markdown page as something to run."""

from __future__ import annotations

from tests.docs.blocks import Code, Command, Script, blocks


def test_wrong_output_is_noticed() -> None:
    command = Command("mule", 1, ("✓ holds", "…", "end"))
    assert command.matches(["✓ holds", "end"])
    assert command.matches(["✓ holds  ", " 1", " 2", "end"])
    assert not command.matches(["✗ violated", "end"])
    assert not command.matches(["✓ holds", " 1"])
    assert not Command("mule", 1, ("one", "two")).matches(["one", "new", "two"])


def test_time_and_memory_are_those_of_another_run() -> None:
    shown = ("  explored   9 states", "  time       0.018 s compile + 0.628 s search (1.78 million states/s)")
    command = Command("mule", 1, (*shown, "  memory     3.0 MiB, and 8.0 MiB on disk"))
    other = "  time       1.5 s compile + 2 s search (1 states/s)"
    assert command.matches([shown[0], other, "  memory     3.1 MiB, and 7.0 KiB on disk"])
    assert not command.matches([shown[0], other, "  memory     3.1 MiB"])
    assert not command.matches(["  explored   8 states", other, "  memory     3.1 MiB, and 7.0 KiB on disk"])


def test_what_a_page_leaves_out_stays_out() -> None:
    command = Command("mule", 1, ("a", "…", "c"))
    assert command.shown_of(["1", "2", "3", "4 "]) == ("1", "…", "4")
    assert Command("mule", 1, ("a",)).shown_of(["1", "2"]) == ("1", "2")


def test_a_definition_replaces_the_one_before() -> None:
    before = "import a\n\n\n@a.b\ndef f():\n    return 1\n\n\nclass C:\n    pass\n"
    after = Code("m.py", "def f():\n    return 2\n", 1).added_to(before)
    assert after == "import a\n\n\ndef f():\n    return 2\n\n\nclass C:\n    pass\n"
    assert Code("m.py", "x = 1\n", 1).added_to(after) == f"{after}\n\nx = 1\n"
    assert Code("m.pml", "init { skip }\n", 1).added_to("byte x;") == "init { skip }\n"


def test_blocks_of_a_page() -> None:
    page = """# A page

    mule check m.pml            # a comment
    mule check m.pml --por none   in words

Text.

    $ mule check n.pml
    ✓ holds

      more

    $ mule show n.pml

```python m.py
x = 1
```

    import mule
    print(mule)

Text.

    mule --version

    ✓ this is printed

Text.

    byte x;  // code of a model
"""
    assert list(blocks(page)) == [
        Command("mule check m.pml", 3, (), 4, "    "),
        Command("mule check m.pml --por none", 4, (), 5, "    "),
        Command("mule check n.pml", 8, ("✓ holds", "", "  more"), 9, "    "),
        Command("mule show n.pml", 13, (), 14, "    "),
        Code("m.py", "x = 1\n", 16),
        Script("import mule\nprint(mule)", 19),
        Command("mule --version", 24, ("✓ this is printed",), 26, "    "),
    ]
