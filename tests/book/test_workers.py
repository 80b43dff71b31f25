"""A worker of pytest-xdist that dies fails the run within a minute, and the run names its test."""

import pytest

OPTIONS = ("-pliterate_book.check.workers", "-pno:cacheprovider", "--dist=loadfile")


def test_a_test_that_kills_its_worker_ends_the_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_busy="import time\ndef test_it():\n    time.sleep(600)\n",
        test_done="def test_it():\n    pass\n",
        test_killer="import os, signal\ndef test_fine():\n    pass\n"
        "def test_it():\n    os.kill(os.getpid(), signal.SIGKILL)\n",
    )
    result = pytester.runpytest_subprocess(*OPTIONS, "-n2", timeout=60)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*a worker died while running test_killer.py::test_it*"])


def test_a_worker_that_dies_between_tests_fails_the_run(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "import os, pytest\n@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_sessionfinish(session):\n"
        "    if hasattr(session.config, 'workerinput'):\n        os._exit(0)\n"
    )
    pytester.makepyfile(test_done="def test_it():\n    pass\n")
    result = pytester.runpytest_subprocess(*OPTIONS, "-n1", timeout=60)
    result.stdout.fnmatch_lines(["*1 passed*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
