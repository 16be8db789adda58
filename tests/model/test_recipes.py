"""A model can leave the process: its recipe is enough to make the same model again."""

from __future__ import annotations

import pickle
from pathlib import Path

import msgspec
import pytest

import mule
from mule.model.recipe import fingerprint
from mule.records import replace
from tests.model.journey import CORPUS, corpus, examples, journey

PROCESS = """
from mule.processes import System, Shared, sleep
from helpers.limits import LIMIT

class Counter(Shared):
    value: int = 0

def system() -> System:
    counter = Counter()
    async def count() -> None:
        while counter.value < LIMIT:
            counter.value += 1
            await sleep(0)
    return System([count()])
"""


def test_examples_are_the_same_elsewhere() -> None:
    assert journey(list(examples())) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of third-party models is not there")
@pytest.mark.slow
@pytest.mark.corpus
def test_models_of_the_corpus_are_the_same_elsewhere() -> None:
    assert journey(corpus(3)) == []


def test_included_files_travel(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "limits.h").write_text('#include "more.h"\n')
    (tmp_path / "deep" / "more.h").write_text("#define LIMIT 3\n")
    model = tmp_path / "model.pml"
    model.write_text('#include "deep/limits.h"\nbyte x; active proctype P() { do :: x < LIMIT -> x++ od }\n')
    recipe = mule.load(model).recipe()
    assert dict(recipe.source.others) == {"deep/limits.h": '#include "more.h"\n', "deep/more.h": "#define LIMIT 3\n"}
    (tmp_path / "deep" / "more.h").write_text("#define LIMIT 99\n")
    again = mule.rebuild(recipe)
    assert again.explore(por="none", as_written=True).states == 7
    (tmp_path / "deep" / "limits.h").unlink()
    assert mule.rebuild(recipe).recipe() == recipe


def test_imported_modules_travel(tmp_path: Path) -> None:
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "__init__.py").write_text("")
    (tmp_path / "helpers" / "limits.py").write_text("LIMIT = 2\n")
    model = tmp_path / "model.py"
    model.write_text(PROCESS)
    recipe = mule.load(model).recipe()
    assert dict(recipe.source.others) == {"helpers/__init__.py": "", "helpers/limits.py": "LIMIT = 2\n"}
    states = mule.load(model).explore(por="none", as_written=True).states
    (tmp_path / "helpers" / "limits.py").write_text("LIMIT = 7\n")
    assert mule.load(model).explore(por="none", as_written=True).states > states
    assert mule.rebuild(recipe).explore(por="none", as_written=True).states == states
    (tmp_path / "helpers" / "limits.py").unlink()
    assert mule.rebuild(recipe).explore(por="none", as_written=True).states == states


def test_room_that_was_made_travels() -> None:
    narrow = mule.loads(
        "proctype P(byte n) { if :: n > 0 -> run P(n - 1) :: else fi } init { run P(40) }", "promela"
    ).model
    limits = frozenset(each.failure for each in narrow.transitions if each.limit)
    assert narrow.wider is not None
    wide = narrow.wider(limits)
    assert fingerprint(wide) != fingerprint(narrow)
    recipe = mule.System(wide).recipe()
    assert recipe.source.widened == (tuple(sorted(limits)),)
    assert fingerprint(mule.rebuild(recipe).model) == recipe.fingerprint


def test_a_recipe_can_be_written_as_json() -> None:
    recipe = mule.load("examples/peterson.dve").recipe()
    assert msgspec.json.decode(msgspec.json.encode(recipe), type=mule.Recipe) == recipe


def test_another_model_has_another_fingerprint() -> None:
    """Though its variables, which are told apart by themselves alone, look the same."""
    text = "byte x; active proctype A() {{ byte y; {} = 1 }} active proctype B() {{ byte y; y = 1 }}"
    one, other = (mule.loads(text.format(name), "promela").recipe().fingerprint for name in "xy")
    assert one != other


def test_what_depends_on_more_than_its_files_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "limit.txt"
    data.write_text("2")
    model = tmp_path / "model.py"
    read = f"LIMIT = int(open({str(data)!r}).read())"
    model.write_text(PROCESS.replace("from helpers.limits import LIMIT", read))
    recipe = mule.load(model).recipe()
    assert mule.rebuild(recipe).recipe() == recipe
    data.write_text("5")
    with pytest.raises(mule.MuleError, match="it depends on more than its files"):
        mule.rebuild(recipe)


def test_another_mule_is_refused() -> None:
    recipe = replace(mule.load("examples/peterson.dve").recipe(), version="0.0.1")
    with pytest.raises(mule.MuleError, match=r"read by Mule 0\.0\.1"):
        mule.rebuild(pickle.loads(pickle.dumps(recipe)))


def test_a_system_that_a_program_built_has_none() -> None:
    from mule.processes import System

    async def nothing() -> None: ...

    with pytest.raises(mule.MuleError, match=r"put its system\(\) into a file"):
        System([nothing()]).recipe()
