"""The pytest plugin: collects articles and experiments, updates articles, places tracebacks."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from sybil.integration.pytest import SybilFile, SybilItem

from literate_book.check.checks import Book
from literate_book.check.experiments import FOLDER, run_experiment
from literate_book.check.running import Articles, Runner
from literate_book.check.tracebacks import Places, failure_repr
from literate_book.check.update import Updates
from literate_book.source.config import book_root
from literate_book.source.errors import BookError, BookErrors


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-book``."""
    words = "write into the articles what the engine says now"
    parser.addoption("--update-book", action="store_true", help=words)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Updating is one job: workers could not write one report together."""
    if config.option.update_book and hasattr(config.option, "numprocesses"):
        config.option.numprocesses = 0


def pytest_configure(config: pytest.Config) -> None:
    """Take part, when the tests run inside a book."""
    book = Book(book_root(config.rootpath))
    updates = Updates() if config.option.update_book else None
    config.pluginmanager.register(Checking(book, updates), "book-checking")
    if updates:
        config.pluginmanager.register(Updating(book, updates), "book-updating")


class ArticleFile(SybilFile):
    """An article; one that cannot be read as such is a failure at its own line."""

    def collect(self) -> Iterator[SybilItem]:
        """The checks of the article."""
        try:
            yield from super().collect()  # type: ignore[no-untyped-call]
        except (BookError, BookErrors) as problem:
            raise self.CollectError(str(problem)) from None


class ExperimentFile(pytest.File):
    """An experiment: one test, that it runs as a script."""

    def collect(self) -> Iterator["ExperimentItem"]:
        """The one test."""
        yield ExperimentItem.from_parent(self, name="script")


class ExperimentItem(pytest.Item):
    """That an experiment runs as a script and says that all its checks passed."""

    def runtest(self) -> None:
        """Run it."""
        run_experiment(book_root(self.config.rootpath), self.path.name)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is."""
        return self.path, 0, f"{FOLDER}/{self.path.name}"


class Checking:
    """The hooks that collect the checks and report on them."""

    def __init__(self, book: Book, updates: Updates | None) -> None:
        self.book, self.places = book, Places(book)
        self.articles = Articles(Runner(book, updates))

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.File | None:
        """Articles and experiments are tests."""
        if self.articles.should_parse(file_path):
            return ArticleFile.from_parent(parent, path=file_path, sybils=[self.articles])
        if file_path.parent == self.book.root / FOLDER and file_path.suffix == ".py":
            return ExperimentFile.from_parent(parent, path=file_path)
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report a check at its place in the article, and every engine frame with its article's."""
        report = yield
        if call.excinfo and isinstance(call.excinfo.value, BookError | BookErrors):
            report.longrepr = failure_repr(call.excinfo.value, self.book.root)
        if report.longrepr and not report.skipped:
            report.longrepr = self.places.annotate_repr(report.longrepr)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self,
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """The same for what fails while tests are being collected."""
        report = yield
        if report.failed:
            report.longrepr = self.places.annotate_repr(report.longrepr)
        return report


class Updating:
    """The hooks of ``--update-book``."""

    def __init__(self, book: Book, updates: Updates) -> None:
        self.book, self.updates = book, updates
        self.report: list[str] = []

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the articles."""
        try:
            self.report = [f"rewritten {line}" for line in self.updates.apply(self.book.root)]
        except BookErrors as problem:
            self.report = str(problem).split("\n")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was written."""
        nothing = "the articles say what the engine says: nothing to rewrite"
        for line in self.report or [nothing]:
            terminalreporter.write_line(line)
