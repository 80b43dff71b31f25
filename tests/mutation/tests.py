"""The tests that a mutant meets, the quick ones first; it survives if this ends with 0.

The articles come last. They must say what the package says, so the mutant is put into them.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STAGES = [["mutants", "settled", "api", "numpy"], ["calls", "rules", "traces", "doctests"]]
PYTEST = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
          "-p", "no:xdist"]  # fmt: skip


def passes(*command: str) -> bool:
    return subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode == 0


def environment() -> dict[str, str]:
    """This copy of the package, not the installed one."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # fmt: skip


def stamp_figures() -> None:
    """Stored figures would all be stale: that a text changed is no reason to notice a mutant."""
    sys.path.insert(0, str(ROOT))
    from benchmarks import stored

    for path in stored.DATA.glob("*.json"):
        figures = json.loads(path.read_text(encoding="utf-8"))
        if "measured" in figures:
            figures["digest"] = stored.digest(figures["measured"])
            path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def articles_pass() -> bool:
    """The articles, with the mutant in them; they are put back afterwards."""
    kept = ROOT / "kept"
    shutil.copytree(ROOT / "docs", kept / "docs")
    shutil.copy(ROOT / "book.lock", kept / "book.lock")
    stamp_figures()
    try:
        return passes(sys.executable, "-B", "-m", "literate_book", "stitch") and passes(
            *PYTEST, "docs/en/articles"
        )
    finally:
        shutil.rmtree(ROOT / "docs")
        shutil.move(kept / "docs", ROOT / "docs")
        shutil.move(kept / "book.lock", ROOT / "book.lock")
        shutil.rmtree(kept)


def engine_passes() -> bool:
    """The tests of the engine, in two runs: to collect the second one's cases takes a while."""
    stages = [[ROOT / f"tests/engine/test_{name}.py" for name in stage] for stage in STAGES]
    return all(passes(*PYTEST, *[str(each) for each in stage]) for stage in stages)


if __name__ == "__main__":
    sys.exit(0 if engine_passes() and articles_pass() else 1)
