"""Hooks that end a run of pytest-xdist, failed, when one of its workers dies.

With ``--dist loadfile``, pytest-xdist 3.8 can give the worker that replaces a dead one the files
that the dead one had finished, and nothing else: the new worker then waits for ever (its issues
1323, 1327 and 1378). So a worker is not replaced.
"""

from typing import Any

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Replace no worker, unless the command line says how many."""
    if getattr(config.option, "maxworkerrestart", "") is None:
        config.option.maxworkerrestart = "0"


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A worker that died is a failure, also when no test was running in it."""
    if error:
        node.config.pluginmanager.getplugin("session").testsfailed += 1


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str) -> None:
    """End the run, and name the test: the tests of the other workers could go on for minutes."""
    pytest.exit(f"a worker died while running {crashitem}", returncode=1)
