"""A graph is freed without recursion, whoever drops it and in whatever order."""

import subprocess
import sys
from signal import Signals

import freeing


def test_a_long_graph_is_freed_in_a_thread_with_a_small_stack() -> None:
    names = [order.__name__ for order in freeing.ORDERS]
    run = subprocess.run(
        [sys.executable, "-W", "error", freeing.__file__], capture_output=True, text=True
    )
    freed = run.stdout.split()
    end = Signals(-run.returncode).name if run.returncode < 0 else run.stderr
    assert (freed, run.stderr) == (names, ""), f"ended after {freed[-1:]}: {end}"
    assert run.returncode == 0
