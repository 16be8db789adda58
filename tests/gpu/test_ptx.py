"""Code for NVIDIA's GPUs, which is made without one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mule.gpu.architectures import ARCHITECTURES, Architecture, architecture_for
from mule.gpu.kernels import CYCLES, GROUPS
from mule.gpu.ptx import device_text, to_ptx
from mule.options import Por
from mule.planning.resolution import ON_GPU
from mule.temporal.on_gpu import product_listing
from tests.gpu.agreement import prepared_for, reduced_for
from tests.gpu.test_kernels import counters, failing
from tests.gpu.test_runs import rounds, violation_of

NEWEST, OLDEST = ARCHITECTURES[0], ARCHITECTURES[-1]


def ptx(length: int, architecture: Architecture) -> str:
    listing = prepared_for(counters(length=length)).listing
    return to_ptx(device_text(listing, architecture, GROUPS[0]), architecture)


def test_states_of_one_word_are_exchanged_at_once() -> None:
    text = ptx(1, NEWEST)
    assert ".visible .entry level(" in text
    assert ".visible .entry rehash(" in text
    assert ".global.cas.b64" in text
    assert "shfl.sync" in text
    assert "bar.sync" in text


def test_states_of_two_words_are_exchanged_at_once_where_the_gpu_can() -> None:
    assert ".global.cas.b128" in ptx(16, NEWEST)
    older = ptx(16, OLDEST)
    assert ".b128" not in older
    assert "st.release.gpu" in older


@pytest.mark.parametrize("length", [20, 520])
def test_wide_states_are_published_when_they_are_complete(length: int) -> None:
    text = ptx(length, NEWEST)
    assert "st.release.gpu" in text
    assert "ld.acquire.gpu" in text


@pytest.mark.parametrize(
    ("capability", "driver", "name"),
    [
        ((9, 0), 13000, "sm_90"),
        ((12, 0), 13000, "sm_90"),
        ((9, 0), 12000, "sm_80"),
        ((8, 6), 12040, "sm_80"),
        ((7, 5), 13000, None),
        ((8, 0), 11000, None),
    ],
)
def test_code_is_for_what_the_gpu_and_its_driver_know(
    capability: tuple[int, int], driver: int, name: str | None
) -> None:
    known = architecture_for(capability, driver)
    assert (None if known is None else known.name) == name


@pytest.mark.parametrize("por", ON_GPU)
def test_threads_compute_stubborn_sets(por: Por) -> None:
    reduced = reduced_for(counters(), por, "safety")
    text = to_ptx(device_text(reduced.listing, NEWEST, GROUPS[0], reduced.gpu_sets), NEWEST)
    assert "popc.b64" in text


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda each: each.name)
def test_products_have_kernels_of_their_own(architecture: Architecture) -> None:
    listing = product_listing(rounds(), violation_of("[] <> a"), True)
    for group in (GROUPS[0], CYCLES):
        text = to_ptx(device_text(listing, architecture, group), architecture)
        assert all(f".visible .entry {kernel}(" in text for kernel in group)


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas of the CUDA toolkit is not installed")
@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda each: each.name)
def test_the_assembler_accepts_all_kernels(architecture: Architecture, tmp_path: Path) -> None:
    model = prepared_for(failing()).listing
    product = product_listing(rounds(), violation_of("[] <> a"), True)
    file = tmp_path / "kernels.ptx"
    for listing, group in [(model, each) for each in GROUPS if each != CYCLES] + [(product, CYCLES)]:
        file.write_text(to_ptx(device_text(listing, architecture, group), architecture))
        subprocess.run(["ptxas", f"-arch={architecture.name}", file, "-o", tmp_path / "kernels.cubin"], check=True)
