"""The figures that the articles print: stale ones and busy machines are refused, ideas are used."""

import argparse
import json
import operator
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def stored(monkeypatch, tmp_path):
    """The module ``stored`` for a repository of one file, ``engine.py``."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import stored

    (tmp_path / "engine.py").write_text('"""What it is."""\n\nx = 1  # one\n')
    monkeypatch.setattr(stored, "ROOT", tmp_path)
    monkeypatch.setattr(stored, "DATA", tmp_path)
    monkeypatch.setattr(stored.os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    return stored


def options(stored, monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["program", *words])
    return stored.options(None)


def test_figures_are_stale_when_the_code_changed(stored, monkeypatch, tmp_path):
    chosen = options(stored, monkeypatch)
    stored.store("cost", chosen, ["engine.py"], ns=5)
    assert stored.load("cost")["ns"] == 5
    (tmp_path / "engine.py").write_text('"""Other words."""\n# A comment.\nx = 1  # one\n')
    assert stored.load("cost")["ns"] == 5
    (tmp_path / "engine.py").write_text("x = 2  # one\n")
    with pytest.raises(stored.StaleError, match=r"cost\.json is stale: .*engine\.py"):
        stored.load("cost")
    (tmp_path / "engine.py").unlink()
    with pytest.raises(stored.StaleError, match=r"removed: engine\.py"):
        stored.load("cost")


def test_figures_of_a_busy_machine_are_refused(stored, monkeypatch, tmp_path):
    monkeypatch.setattr(stored.os, "getloadavg", lambda: (100.0, 0.0, 0.0))
    with pytest.raises(SystemExit, match="the machine is busy"):
        options(stored, monkeypatch)
    chosen = options(stored, monkeypatch, "--even-if-busy", "--to", str(tmp_path / "tried.json"))
    stored.store("cost", chosen, ["engine.py"], ns=5)
    assert json.loads((tmp_path / "tried.json").read_text())["busy"] is True
    assert not (tmp_path / "cost.json").exists()
    busy_later = argparse.Namespace(load=0.0, even_if_busy=False, to=None)
    with pytest.raises(SystemExit, match="the machine is busy"):
        stored.store("cost", busy_later, ["engine.py"], ns=5)
    assert not (tmp_path / "cost.json").exists()


def test_every_stored_figure_has_a_digest_of_code_that_is_there(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import stored

    files = sorted(stored.DATA.glob("*.json"))
    assert len(files) >= 3
    for path in files:
        figures = json.loads(path.read_text(encoding="utf-8"))
        assert figures["command"] == f"python benchmarks/{path.stem}.py"
        assert len(figures["digest"]) == 16
        assert f"benchmarks/{path.stem}.py" in figures["measured"]
        assert all((stored.ROOT / each).exists() for each in figures["measured"])


def test_peers_that_disagree_are_not_timed(monkeypatch):
    pytest.importorskip("autograd")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import side_by_side as side
    from workloads import Workload, every_workload

    names = [each.name for each in every_workload()]
    assert len(set(names)) == len(names) > 40
    right = Workload("the same in both", lambda xp, x: xp.sin(x), lambda: (2.0,))
    wrong = Workload("no sine", lambda xp, x: x * len(xp.__name__), lambda: (2.0,))
    side.check(right, [side.thunk(right, each) for each in side.LIBRARIES])
    with pytest.raises(AssertionError):
        side.check(wrong, [side.thunk(wrong, each) for each in side.LIBRARIES])


def test_an_idea_that_was_not_in_use_is_no_measurement(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import operation_cost as cost

    for idea in cost.ideas():
        idea.check()
    x, mul = cost.box(cost.numpy.float64(0.5)), cost.product_of_ufunc()
    unused = cost.Idea(  # x * x does not look multiply up in the module
        "operator", "x * x", lambda: x * x, (cost.np, "multiply", mul), (operator.mul,), ()
    )
    with pytest.raises(AssertionError, match="operator: x \\* x is measured with and without"):
        unused.check()
