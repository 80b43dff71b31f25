"""The pytest plugin: collects articles and experiments, updates articles, places tracebacks."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from sybil.integration.pytest import SybilFile, SybilItem

from literate_book.check.checks import Book
from literate_book.check.experiments import run_experiment
from literate_book.check.running import Articles, Updates
from literate_book.check.tracebacks import annotate_repr, failure_repr
from literate_book.source.config import book_root
from literate_book.source.errors import BookError, BookErrors

pytest_plugins = ["literate_book.check.workers"]


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
    """Take part in the tests of the book."""
    book = Book(book_root(config.rootpath))
    config.pluginmanager.register(Checking(book, config.option.update_book), "book-checking")


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

    book: Book

    def collect(self) -> Iterator["ExperimentItem"]:
        """The one test."""
        yield ExperimentItem.from_parent(self, name="script")


class ExperimentItem(pytest.Item):
    """That an experiment runs as a script and prints that all its checks passed."""

    parent: ExperimentFile

    def runtest(self) -> None:
        """Run it."""
        run_experiment(self.parent.book, self.path.name)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is."""
        return self.path, 0, self.name


class Checking:
    """The hooks that collect the checks, report on them and write what they found."""

    def __init__(self, book: Book, update: bool) -> None:
        self.book, self.updates = book, Updates() if update else None
        self.articles = Articles(book, self.updates)
        self.written: list[str] = []

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.File | None:
        """Articles and experiments are tests."""
        if self.articles.should_parse(file_path):
            return ArticleFile.from_parent(parent, path=file_path, sybils=[self.articles])
        experiments = self.book.root / self.book.config.experiments
        if file_path.parent == experiments and file_path.suffix == ".py":
            file = ExperimentFile.from_parent(parent, path=file_path)
            file.book = self.book
            return file
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report a check at its place in the article, and every engine frame with its article's."""
        report = yield
        if call.excinfo and isinstance(call.excinfo.value, BookError | BookErrors):
            report.longrepr = failure_repr(self.book, call.excinfo.value)
        if report.longrepr and not report.skipped:
            report.longrepr = annotate_repr(self.book, report.longrepr)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self,
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """The same for what fails while tests are being collected."""
        report = yield
        if report.failed:
            report.longrepr = annotate_repr(self.book, report.longrepr)
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the articles, when that is wanted."""
        if self.updates:
            try:
                self.written = [f"rewritten {line}" for line in self.updates.apply(self.book.root)]
            except BookErrors as problem:
                self.written = str(problem).split("\n")
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what was written."""
        nothing = "the articles say what the engine says: nothing to rewrite"
        for line in (self.written or [nothing]) if self.updates else ():
            terminalreporter.write_line(line)
