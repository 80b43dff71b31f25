"""Times the engine beside its peers, in one run, and keeps the figures.

Run ``python benchmarks/side_by_side.py [BENCH [BACKEND ...]]`` on a quiet machine; it writes
``benchmarks/data/side_by_side.json``. BENCH is the team's side-by-side run, ``bench_ad.py``, in
``../shared/bench/`` unless you say where; without it the figures stay as they are. Backends:
autograd (the base of all ratios), literate_ad, torch. One that is not installed is left out.
It takes about four minutes.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT.parent / "shared" / "bench" / "bench_ad.py"
RESULT = Path(__file__).parent / "data" / "side_by_side.json"
FAMILIES = ("01", "02", "03", "09", "14")  # the workloads that the core must be fast at


def measure(bench: Path, backends: list[str]) -> dict:
    """Everything that the run measures."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, str(bench), *backends, "--json", str(report)]
        subprocess.run(command, env=environment(folder), check=False)
        return json.loads(report.read_text())


def environment(folder: str) -> dict[str, str]:
    """This checkout in front, and compiled files as an installation has them, but elsewhere."""
    ours = {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
    return {**os.environ, **ours}


def workload(result: dict) -> dict:
    """One workload: nanoseconds of a call, and the ratio to the base, for each backend."""
    columns = {
        name: {
            "ns": round(column["median_s"] * 1e9),
            "ratio": round(column.get("ratio_to_base", math.nan), 3),
        }
        for name, column in result["columns"].items()
        if "median_s" in column
    }
    missing = {
        name: column.get("skip", "")
        for name, column in result["columns"].items()
        if name not in columns
    }
    return {
        "workload": result["workload"],
        "operations": result["ops"],
        **columns,
        "missing": missing,
    }


def family(rows: list[dict], backend: str) -> list[float]:
    """The ratios of a backend over the workloads of the core."""
    return [
        row[backend]["ratio"]
        for row in rows
        if row["workload"].startswith(FAMILIES) and backend in row
    ]


def untraced_tax(rows: list[dict], backend: str) -> dict[str, int]:
    """Nanoseconds that an untraced call costs above NumPy's own."""
    return {
        row["workload"]: round((row[backend]["ns"] - row["numpy"]["ns"]) / row["operations"])
        for row in rows
        if row["workload"].startswith("03") and backend in row
    }


def summary(rows: list[dict], backends: list[str]) -> dict:
    """What the issue of the core asks for, for each backend."""
    return {
        backend: {
            "geometric mean": round(statistics.geometric_mean(family(rows, backend)), 3),
            "largest": max(family(rows, backend)),
            "untraced tax, ns": untraced_tax(rows, backend),
        }
        for backend in backends
    }


def main() -> None:
    """Measure, and write the figures down."""
    bench = Path(sys.argv[1]) if len(sys.argv) > 1 else BENCH
    if not bench.exists():
        print(f"left as it is: there is no {bench}. Say where bench_ad.py is to measure anew")
        return
    report = measure(bench, sys.argv[2:] or ["autograd", "literate_ad", "torch"])
    rows = [workload(result) for result in report["results"]]
    backends = list(report["meta"]["versions"])
    figures = {
        "command": "python benchmarks/side_by_side.py",
        "meta": {
            key: report["meta"][key] for key in ("python", "numpy", "machine", "cpus", "versions")
        },
        "core": summary(rows, backends),
        "workloads": rows,
        **{key: report[key] for key in ("memory", "deep", "import")},
    }
    RESULT.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures["core"], indent=1))


if __name__ == "__main__":
    main()
