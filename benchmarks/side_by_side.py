"""Times the engine beside autograd, in one process and in turns, and keeps the figures.

Run ``python benchmarks/side_by_side.py`` on a quiet machine; it writes
``benchmarks/data/side_by_side.json``. The programs stand in ``workloads.py``. Both libraries must
give the same results before anything is timed: one that disagrees ends the run. A program with a
function that has no rule is listed as missing.
"""

import gc
import importlib
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
from stored import ROOT, options, store
from workloads import Workload, every_workload

LIBRARIES = ("literate_ad", "autograd")
SECONDS = 0.4  # of each workload, all libraries together
ROUNDS = 7
MEASURED = ["benchmarks/side_by_side.py", "benchmarks/workloads.py"]
CORE = ("sines", "x * a", "z * y", "untraced", "tanh", "fan-out")  # the recording itself counts
Thunk = Callable[[], Any]

DEEP = """
import resource, time
from {library} import grad
import {library}.numpy as np
def fun(x):
    for _ in range({length}):
        x = np.sin(x)
    return x
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
grad(fun)(0.5)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
IMPORT = """
import time, numpy
start = time.perf_counter()
import {library}.numpy
print(time.perf_counter() - start)
"""


def thunk(workload: Workload, library: str) -> Thunk:
    """The call that is timed."""
    ad, xp = importlib.import_module(library), importlib.import_module(f"{library}.numpy")
    p, *constants = workload.args()

    def fun(p: Any, *constants: Any) -> Any:
        return workload.fun(xp, p, *constants)

    match workload.mode:
        case "value":
            return lambda: fun(p, *constants)
        case "record":
            return lambda: ad.make_vjp(fun)(p, *constants)[1]
        case "pull":
            pullback, _ = ad.make_vjp(fun)(p, *constants)
            return lambda: pullback(1.0)
        case "push":
            *others, tangent = constants
            return lambda: ad.make_jvp(fun)(p, *others)(tangent)
        case "second":
            return lambda: ad.grad(ad.grad(fun))(p)
        case "third":
            return lambda: ad.grad(ad.grad(ad.grad(fun)))(p)
    operators = {
        "gradient": "value_and_grad", "jacobian": "jacobian", "hessian": "hessian",
        "product": "hessian_vector_product",
    }  # fmt: skip
    operator = getattr(ad, operators[workload.mode])(fun)
    return lambda: operator(p, *constants)


def numbers(result: Any) -> Iterator[Any]:
    """The arrays of a result, whatever containers they are in."""
    if isinstance(result, dict):
        result = [result[key] for key in sorted(result)]
    if isinstance(result, (list, tuple)):
        for each in result:
            yield from numbers(each)
    else:
        yield numpy.asarray(result, float)


def check(workload: Workload, thunks: list[Thunk]) -> None:
    """That all libraries agree."""
    first, *others = [list(numbers(run())) for run in thunks]
    for other in others:
        for one, another in zip(first, other, strict=True):
            numpy.testing.assert_allclose(
                one, another, rtol=1e-6, atol=1e-9, err_msg=workload.name, strict=True
            )


def times(thunks: list[Thunk]) -> list[float]:
    """The median seconds of each call. They take turns, and the order is turned around."""
    once = [seconds(run, 1) for run in thunks]
    counts = [max(1, round(SECONDS / ROUNDS / len(thunks) / each)) for each in once]
    found: list[list[float]] = [[] for _ in thunks]
    order = list(range(len(thunks)))
    for _ in range(ROUNDS):
        order.reverse()
        for i in order:
            found[i].append(seconds(thunks[i], counts[i]))
    return [statistics.median(each) for each in found]


def seconds(run: Thunk, count: int) -> float:
    """Of one call, over a number of calls in a row."""
    gc.collect()
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


def row(workload: Workload) -> dict[str, Any]:
    """One workload: the nanoseconds of a call in each library, and NumPy's alone."""
    try:
        thunks = [thunk(workload, library) for library in LIBRARIES]
        check(workload, thunks)
    except NotImplementedError as error:  # a function without a rule, in one of the libraries
        print(f"{workload.name:42} {error}", flush=True)
        return {"workload": workload.name, "mode": workload.mode, "missing": str(error)}
    args = workload.args()
    constants = args[: -1 if workload.mode in ("push", "product") else None]
    thunks.append(lambda: workload.fun(numpy, *constants))
    names = [*LIBRARIES, "numpy"]
    found = {name: round(each * 1e9) for name, each in zip(names, times(thunks), strict=True)}
    ratio = round(found["literate_ad"] / found["autograd"], 3)
    print(f"{workload.name:42} {ratio:6.3f} of autograd's time", flush=True)
    return {
        "workload": workload.name, "mode": workload.mode, "operations": workload.operations,
        "ns": found, "ratio": ratio,
    }  # fmt: skip


def alone(code: str, library: str, **words: Any) -> list[float]:
    """The numbers that a program prints that has a process to itself."""
    run = subprocess.run(
        [sys.executable, "-c", code.format(library=library, **words)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [float(each) for each in run.stdout.split()]


def processes() -> dict[str, Any]:
    """What a deep chain and an import cost."""
    found: dict[str, Any] = {"deep": {}, "import": {}}
    for library in LIBRARIES:
        for length in (10_000, 100_000):
            took, kilobytes = alone(DEEP, library, length=length)
            sizes = {"ns": round(took / length * 1e9), "bytes": round(kilobytes * 1024 / length)}
            found["deep"][f"{library}, {length} sines, each"] = sizes
        imports = [alone(IMPORT, library)[0] for _ in range(5)]
        found["import"][library] = f"{statistics.median(imports) * 1e3:.0f} ms"
    return found


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The ratios of the workloads in which the recording itself counts, and the untraced tax."""
    rows = [each for each in rows if "ratio" in each]
    core = [each for each in rows if each["workload"].startswith(CORE)]
    tax = {
        each["workload"]: round((each["ns"]["literate_ad"] - each["ns"]["numpy"])
                                / each["operations"])
        for each in rows if each["mode"] == "value"
    }  # fmt: skip
    ratios = [each["ratio"] for each in core]
    mean = round(statistics.geometric_mean(ratios), 3)
    return {"geometric mean": mean, "largest": max(ratios), "untraced tax, ns": tax}


def main() -> None:
    """Measures everything, prints it, and stores it."""
    chosen = options(__doc__)
    warnings.filterwarnings("ignore", module="autograd")
    rows = [row(workload) for workload in every_workload()]
    core = summary(rows)
    print(core)
    engine = [path.relative_to(ROOT).as_posix() for path in Path(ROOT, "literate_ad").rglob("*.py")]
    store("side_by_side", chosen, [*MEASURED, *engine], core=core, workloads=rows, **processes())


if __name__ == "__main__":
    main()
