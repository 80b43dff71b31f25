"""The example in every public docstring of the engine runs, and every operator has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from types import ModuleType

import numpy as np
import pytest

import literate_ad
import literate_ad.core


def modules() -> list[str]:
    """The engine's modules."""
    found = pkgutil.walk_packages(literate_ad.__path__, "literate_ad.")
    return ["literate_ad", *sorted(m.name for m in found)]


def examples(module: ModuleType) -> list[doctest.DocTest]:
    """The examples in our own words: a primitive hands on NumPy's docstring too."""
    tests = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    return [test for test in tests if not is_numpys(test)]


def is_numpys(test: doctest.DocTest) -> bool:
    """Whether NumPy's function of this name begins with the same line; SciPy changes the rest."""
    name, ours = test.name.rpartition(".")[2], inspect.cleandoc(test.docstring or "")
    docs = [inspect.getdoc(getattr(part, name, None)) or "" for part in (np, np.linalg, np.fft)]
    return any(ours.split("\n")[0] == numpys.split("\n")[0] for numpys in docs)


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    output: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST)
    for test in examples(module):
        runner.run(test, out=output.append)
    assert "".join(output) == ""
    assert runner.tries == sum(len(test.examples) for test in examples(module))


@pytest.mark.parametrize("name", literate_ad.__all__)
def test_every_public_name_has_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(literate_ad, name))
    assert doc is not None
    assert ">>> " in doc


def test_there_are_examples() -> None:
    assert len(modules()) >= 20
    count = sum(len(examples(importlib.import_module(name))) for name in modules())
    assert count >= 18
