"""Breaks the engine's mechanism in one small place after the other, and looks who notices.

Run ``make mutate``, or ``make mutate MODULES="core numpy.forms"``. Cosmic Ray makes the mutants in
a copy of the repository, under ``.cache/mutation``, and keeps every verdict: a run that was stopped
goes on where it was, and mutants that survived are tried again. ``survivors.toml`` lists those that
may survive, each with its reason; any other survivor makes the run fail.
"""

import argparse
import ast
import hashlib
import json
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from benchmarks.stored import code_of  # noqa: E402

WORK = ROOT / ".cache" / "mutation"
LISTED = Path(__file__).parent / "survivors.toml"
MODULES = """
tracer core numpy.arguments numpy.forms numpy.recorder numpy.numpy_wrapper numpy.numpy_boxes
numpy.numpy_vspaces numpy.methods util wrap_util builtins differential_operators
""".split()
MODULES += [
    f"numpy.rules.{path.stem}"
    for path in sorted((ROOT / "literate_ad" / "numpy" / "rules").glob("*.py"))
    if path.stem != "__init__"
]
NEEDED = ("literate_ad", "literate_book", "tests", "docs", "benchmarks", "conftest.py")
NEEDED_FILES = ("pyproject.toml", "mkdocs.yml", "book.lock", "README.md", "CONTRIBUTING.md")

# One mutant for each place: a second wrong operator in the same place is noticed by the same test.
# What Cosmic Ray takes for a power is mostly the ** of keyword arguments.
OPERATORS = re.compile(
    r"core/(AddNot|NumberReplacer|ReplaceAndWithOr|ReplaceOrWithAnd|ReplaceTrueWithFalse"
    r"|ReplaceFalseWithTrue|ReplaceContinueWithBreak|ReplaceBreakWithContinue|ExceptionReplacer"
    r"|RemoveDecorator|ZeroIterationForLoop|ReplaceUnaryOperator_(Delete_Not|USub_UAdd)"
    r"|ReplaceComparisonOperator_(Is_IsNot|IsNot_Is|Eq_NotEq|NotEq_Eq|In_NotIn|NotIn_In|Lt_LtE"
    r"|Lt_Gt|LtE_Lt|Gt_GtE|Gt_Lt|GtE_Gt)"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Mod_Mul|FloorDiv_Mul|BitOr_BitAnd"
    r"|BitAnd_BitOr))"
)
CONFIG = """
[cosmic-ray]
module-path = "{path}"
timeout = 180.0
excluded-modules = []
test-command = "{python} -B tests/mutation/tests.py"
[cosmic-ray.distributor]
name = "local"
"""


def annotations(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the type annotations of a module begin and end: nothing evaluates them."""
    found = []
    for node in ast.walk(ast.parse(text)):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for each in filter(None, parts):
            start, end = (each.lineno, each.col_offset), (each.end_lineno, each.end_col_offset)
            found.append((start, end))
    return found


def left_out(mutation: MutationSpec, text: str) -> str:
    """Why a mutant is not made; nothing if it is."""
    if not OPERATORS.fullmatch(mutation.operator_name):
        return "an operator that adds nothing"
    if any(start <= mutation.start_pos < end for start, end in annotations(text)):
        return "an annotation"
    return ""


def prepare(module: str, sample: int, seed: int) -> Path:
    """The folder of a module's session: a fresh copy of the repository, and the verdicts so far."""
    path = f"literate_ad/{module.replace('.', '/')}.py"
    text = (ROOT / path).read_text(encoding="utf-8")
    code = code_of(ROOT / path)  # comments and docstrings may change
    key = hashlib.sha256(f"{code}{OPERATORS.pattern}{sample} {seed}".encode()).hexdigest()
    folder = WORK / module
    folder.mkdir(parents=True, exist_ok=True)
    copy_repository(folder / "tree")
    session, known = folder / "session.sqlite", folder / "key"
    if session.exists() and known.exists() and known.read_text() == key:
        forget_survivors(session)
        return folder
    session.unlink(missing_ok=True)
    config = CONFIG.format(path=path, python=sys.executable)
    (folder / "config.toml").write_text(config, encoding="utf-8")
    cosmic_ray("init", folder)
    with use_db(session, WorkDB.Mode.open) as work:
        choose(work, text, sample, seed)
    known.write_text(key)
    return folder


def copy_repository(tree: Path) -> None:
    """What the tests need; Cosmic Ray writes its mutants into this copy."""
    shutil.rmtree(tree, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in NEEDED[:-1]:
        shutil.copytree(ROOT / name, tree / name, ignore=ignore)
    for name in (NEEDED[-1], *NEEDED_FILES):
        shutil.copy(ROOT / name, tree / name)


def cosmic_ray(command: str, folder: Path) -> None:
    """One command of Cosmic Ray, to its end."""
    subprocess.run(started(command, folder), cwd=folder / "tree", check=True)


def started(command: str, folder: Path) -> list[str]:
    main = "import sys; from cosmic_ray.cli import main; sys.exit(main())"
    return [sys.executable, "-c", main, command, str(folder / "config.toml"),
            str(folder / "session.sqlite")]  # fmt: skip


def choose(work: WorkDB, text: str, sample: int, seed: int) -> None:
    """Marks the mutants that are not to be tried; of the others ``sample`` are kept, 0 for all."""
    kept = []
    for item in work.work_items:
        reason = left_out(item.mutations[0], text)
        if reason:
            work.set_result(item.job_id, WorkResult(WorkerOutcome.SKIPPED, reason))
        else:
            kept.append(item)
    kept.sort(key=lambda item: (item.mutations[0].start_pos, item.mutations[0].operator_name))
    chosen = random.Random(seed).sample(kept, min(sample, len(kept))) if sample else kept
    for item in kept:
        if item not in chosen:
            work.set_result(item.job_id, WorkResult(WorkerOutcome.SKIPPED, "not in the sample"))


def forget_survivors(session: Path) -> None:
    """Tests may have been added: who survived the last run is tried again."""
    with sqlite3.connect(session) as base:
        base.execute("delete from work_results where test_outcome = 'SURVIVED'")
    base.close()


def verdicts(folder: Path) -> Iterator[tuple[MutationSpec, WorkResult]]:
    """The mutants that were tried, with their results."""
    with use_db(folder / "session.sqlite", WorkDB.Mode.open) as work:
        for item, result in work.completed_work_items:
            if result.worker_outcome != WorkerOutcome.SKIPPED:
                yield item.mutations[0], result


def execute(module: str, folder: Path) -> None:
    """Tries the pending mutants, saying now and then how far it is."""
    with use_db(folder / "session.sqlite", WorkDB.Mode.open) as work:
        pending = len(work.pending_work_items)
    done = len(list(verdicts(folder)))
    total = done + pending
    with subprocess.Popen(started("exec", folder), cwd=folder / "tree") as process:
        while process.poll() is None:
            time.sleep(2)
            found = list(verdicts(folder))
            if len(found) >= done + 25:
                done, alive = len(found), sum(map(survived, found))
                print(f"{module}: {done} of {total} tried, {alive} survived", flush=True)
    if process.returncode:
        raise SystemExit(f"{module}: Cosmic Ray ended with {process.returncode}")


def survived(verdict: tuple[MutationSpec, WorkResult]) -> bool:
    return verdict[1].test_outcome == TestOutcome.SURVIVED


def described(module: str, mutation: MutationSpec, diff: str) -> dict[str, str]:
    """A mutant by what it changes: line numbers would not last."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++", "@@"))]
    before, after = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign)).strip()
        for sign in "-+"
    )
    within = mutation.definition_name or ""
    return {"module": module, "within": within, "before": before, "after": after}


def reasons() -> dict[str, str]:
    """The reason of each listed survivor."""
    listed = tomllib.loads(LISTED.read_text(encoding="utf-8")).get("survivor", [])
    return {json.dumps({k: v for k, v in each.items() if k != "why"}): each["why"]
            for each in listed}  # fmt: skip


def report(module: str, folder: Path, whole: bool) -> int:
    """Prints the score of a module, and how many survivors the list does not have."""
    found, listed = list(verdicts(folder)), reasons()
    alive = [described(module, spec, result.diff or "") for spec, result in filter(survived, found)]
    unlisted = [each for each in alive if json.dumps(each) not in listed]
    tried, score = len(found), 100 * (1 - len(alive) / max(len(found), 1))
    print(f"{module}: {tried - len(alive)} of {tried} killed, {score:.1f} %")
    print(f"{len(alive) - len(unlisted)} survivors are listed, {len(unlisted)} are not")
    for each in unlisted:
        print("\n[[survivor]]")
        for key, value in each.items():
            print(f"{key} = {json.dumps(value)}")
        print('why = ""', flush=True)
    keys = {json.dumps(each) for each in alive}
    for key in listed if whole else []:
        if json.loads(key)["module"] == module and key not in keys:
            print(f"{LISTED.name}: this survives no longer, take it out: {key}")
    return len(unlisted)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", default=MODULES, help="such as core numpy.forms")
    parser.add_argument("--sample", type=int, default=0, help="try that many mutants of a module")
    parser.add_argument("--seed", type=int, default=0, help="chooses the sample")
    return parser.parse_args()


def main() -> int:
    """Every module in turn."""
    chosen: Any = options()
    unlisted = 0
    for module in chosen.modules:
        folder = prepare(module, chosen.sample, chosen.seed)
        execute(module, folder)
        unlisted += report(module, folder, not chosen.sample)
    return 1 if unlisted else 0


if __name__ == "__main__":
    sys.exit(main())
