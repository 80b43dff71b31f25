"""``pytest --update-book``: writes into the articles what the engine says now."""

from pathlib import Path

from literate_book.check.checks import Finding, first_difference
from literate_book.source.articles import Article, line_and_column, read_text
from literate_book.source.errors import BookError, BookErrors
from literate_book.weave.package import write_all


class Updates:
    """The edits that one run has collected, article by article."""

    def __init__(self) -> None:
        self.articles: dict[str, Article] = {}
        self.edits: dict[str, dict[tuple[int, int], str]] = {}

    def add(self, article: Article, finding: Finding) -> None:
        """Remember to write ``finding.text`` into the article."""
        assert finding.text is not None
        self.articles[article.path] = article
        self.edits.setdefault(article.path, {})[finding.start, finding.end] = finding.text

    def apply(self, root: Path) -> list[str]:
        """Write all articles, or none, and say what was rewritten.

        Raises ``BookErrors`` when an article is no longer what the run has read.
        """
        texts = {
            path: rewritten(article.text, self.edits[path])
            for path, article in self.articles.items()
        }
        changed = [path for path in texts if read_text(root, path) != self.articles[path].text]
        if changed:
            message = "this article was changed during the run, so nothing was written: run again"
            raise BookErrors([BookError(path, 1, 1, message) for path in changed])
        write_all(root, texts)
        return [line for path in sorted(texts) for line in self.report(path)]

    def report(self, path: str) -> list[str]:
        """One line for each edit of an article: the first line that it changes."""
        text, lines = self.articles[path].text, []
        for (start, end), new in sorted(self.edits[path].items()):
            old_lines, new_lines = text[start:end].splitlines(), new.splitlines()
            index = first_difference(old_lines, new_lines)
            pair = (quoted(old_lines, index), quoted(new_lines, index))
            line, _ = line_and_column(text, start)
            lines.append(f"{path}:{line + index}: {pair[0]} -> {pair[1]}")
        return lines


def rewritten(text: str, edits: dict[tuple[int, int], str]) -> str:
    """The text with its edits made, the last one first so that the places of the others hold."""
    for (start, end), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def quoted(lines: list[str], index: int) -> str:
    """One line of an edit, in a report."""
    return f"`{lines[index].strip()}`" if index < len(lines) else "nothing"
