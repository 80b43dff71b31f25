"""The audit finds everything in an article that nothing tests."""

from pathlib import Path

import pytest

from literate_book.check.audit import audit, audit_article
from literate_book.check.checks import Book
from literate_book.check.documents import article_checks
from literate_book.check.running import Articles
from literate_book.source.articles import parse_article, read_book
from literate_book.source.config import book_root
from literate_book.source.errors import refuse_if
from literate_book.weave.tangle import check

KINDS = "docs/en/articles/kinds.md"
ROOT = book_root(Path(__file__))

# Each case: the article, then the beginning of the one complaint about it.
CASES = {
    "other language": (
        "```py\nx = 1\n```\n",
        "1:1: nothing tests this fence: write ```python instead",
    ),
    "session language": (
        "```pycon\n>>> 1\n1\n```\n",
        "1:1: nothing tests this fence: write ```python",
    ),
    "no language": ("```\nx\n```\n", "1:1: nothing tests this fence: give it a language"),
    "text": ("```text\nx\n```\n", "1:1: nothing tests this fence: an output is"),
    "diagram": ("```mermaid\ngraph LR\n```\n", "1:1: nothing tests this fence: give it the run"),
    "no reason": ('```bash {.not-run reason=" "}\nls\n```\n', "1:10: say why this is not run"),
    "output of nothing": (
        "```text {.output}\n1\n```\n",
        "1:10: no plain python fence stands before",
    ),
    "output of a session": (
        "```python\n>>> 1\n1\n```\n\n```text {.output}\n1\n```\n",
        "6:10: no plain python fence stands before",
    ),
    "indented code": ("Text.\n\n    x = 1\n", "3:5: this is indented code, which nothing tests"),
    "indented code in an answer": (
        '??? question "Q"\n\n    ```python\n    >>> 1\n    1\n    ```\n\n    T.\n\n        x = 1\n',
        "10:9: this is indented code",
    ),
    "question without example": (
        '??? question "Q"\n\n    A.\n\nText.\n',
        "1:1: the answer to this",
    ),
    "question beside its example": (
        '??? question "Q"\n\n    A.\n\n```python\n>>> 1\n1\n```\n',
        "1:1: the answer to this question shows no outcome",
    ),
    "question whose example shows nothing": (
        '??? question "Q"\n\n    A.\n\n    ```python\n    >>> x = 1\n    ```\n',
        "1:1: the answer to this question shows no outcome",
    ),
    "question whose program prints nothing": (
        '??? question "Q"\n\n    ```python\n    x = 1\n    ```\n',
        "1:1: the answer to this question shows no outcome",
    ),
    "value that asks nothing": (
        'It is `6.0`{: value="6.0"} there.\n',
        "1:8: this value is written, not computed: write what gives it",
    ),
    "rows that ask nothing": (
        "<!-- snapshot:\n    [('b', 1.5)] -->\n| a | c |\n|---|---|\n| `b` | `1.5` |\n",
        "2:5: this value is written, not computed: write what gives it",
    ),
    "comment behind a text": (
        "Here: <!-- snapshot: rows -->\n| a |\n|---|\n| `x` |\n",
        "1:1: this looks like a check (snapshot) and is none",
    ),
    "digit in a cell": (
        "<!-- snapshot: rows -->\n| a | b |\n|---|---|\n| `x` | 3 |\n",
        "4:9: this number is checked by nothing",
    ),
    "digit in a header": (
        "<!-- snapshot: rows -->\n| a | `b2` |\n|---|---|\n| `x` | y |\n",
        "2:9: this number is checked by nothing",
    ),
    "digit in an item": (
        "<!-- calls: rows -->\n1. `x` takes 3.0\n",
        "2:14: this number is checked by nothing",
    ),
    "wrong number": ("<!-- calls: rows -->\n1. `x`\n3. `y`\n", "3:1: this is item 2: number it so"),
    "unknown comment": ("<!-- to do -->\n", "1:1: no check is called"),
    "value written wrongly": (
        'It is `6.0` {: value="x"} there.\n',
        "1:1: this looks like a check (value) and is none",
    ),
    "braces that Markdown reads as text": (
        'It is `f`{: value="f.__name__"} there.\n',
        "1:9: Markdown does not read these braces",
    ),
    "loose backtick": ("It is `6.0 there.\n", "1:7: this backtick opens no code"),
    "raw code": ("<pre>x = 1</pre>\n", "1:1: code in HTML is tested by nothing"),
}


@pytest.mark.parametrize("name", CASES)
def test_complaint(name: str) -> None:
    text, wanted = CASES[name]
    errors = [
        str(error).removeprefix(f"{KINDS}:") for error in audit_article(parse_article(KINDS, text))
    ]
    assert len(errors) == 1, errors
    assert errors[0].startswith(wanted)


FINE = {
    "table of no check": "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "documented value": 'Write `` `6.0`{: value="f(3.0)"} `` for it.\n',
    "documented comment": "Write `<!-- snapshot: EXPR -->` for it.\n",
    "shown fence": (
        '````markdown {.not-run reason="shows how"}\n```py\n<!-- nonsense -->\n```\n````\n'
    ),
    "list in text": "1. one\n\n    more of one\n\n2. two\n",
    "answer by an ablation": (
        '??? question "Q"\n\n    ```python {.ablation of="#src-x" expect="1" run="f()"}\n'
        "    x = 1\n    ```\n"
    ),
    "arithmetic": 'It is `4`{: value="2 + 2"} there.\n',
    "link in a cell": "<!-- snapshot: r -->\n| a | b |\n|---|---|\n| `x` | [next](04-x.md) |\n",
}


@pytest.mark.parametrize("name", FINE)
def test_no_complaint(name: str) -> None:
    assert audit_article(parse_article(KINDS, FINE[name])) == []


def test_the_small_book_is_tested_throughout(kinds_book: Path) -> None:
    assert audit(kinds_book) == []


def test_the_book_is_tested_throughout() -> None:
    refuse_if(audit(ROOT))


def test_the_package_is_what_the_articles_say() -> None:
    report = check(ROOT)
    assert not report, report


def test_sybil_collects_every_check() -> None:
    sybil = Articles(Book(ROOT))
    for article in read_book(ROOT):
        assert len(list(sybil.parse(ROOT / article.path))) == len(article_checks(article))
