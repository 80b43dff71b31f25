"""Reading articles: every fence with its exact place, every bad one with its own."""

import os
from pathlib import Path

import markdown
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_book import FOLDER, PYPROJECT, article, make_book, outcome, places, write

from literate_book.source.articles import parse_braces, read_book
from literate_book.source.config import Config, book_root, load_config
from literate_book.source.errors import BookErrors

PAGE = """\
# A page

```python {#src-one .wide file="literate_ad/one.py" after='#src-two'}
x = 1
```

??? question "How?"

    ```python
    >>> 1

    1
    ```

````markdown
```python {#shown
```
````

~~~text
```
~~~

```` ```python {#inline} ```` stands in a sentence.
```{x}``` too.
"""


def test_every_fence_is_found_with_its_exact_place() -> None:
    page = article(PAGE)
    assert [(f.line, f.col, f.end_line, f.body_line, f.lang) for f in page.fences] == [
        (3, 1, 5, 4, "python"),
        (9, 5, 13, 10, "python"),
        (15, 1, 18, 16, "markdown"),
        (20, 1, 22, 21, "text"),
    ]
    one, question, shown, tilde = page.fences
    assert (one.id, one.classes, one.is_source) == ("src-one", ("wide",), True)
    assert one.attrs == {"file": "literate_ad/one.py", "after": "#src-two"}
    assert question.body == ">>> 1\n\n1\n"
    assert question.indent == "    "
    assert shown.body == "```python {#shown\n```\n"
    assert (tilde.body, tilde.ticks, question.ticks, shown.ticks) == ("```\n", "~~~", "```", "````")
    for fence in page.fences:
        raw = page.text[fence.body_offset : fence.body_end]
        assert (
            "".join(line.removeprefix(fence.indent) for line in raw.splitlines(True)) == fence.body
        )


def test_an_empty_fence_has_an_empty_body() -> None:
    assert article("```\n```").fences[0].body == ""


def test_braces() -> None:
    assert parse_braces("{}") == ("", (), {})
    assert parse_braces("""{ #a .b .c k="x = '}'" l='"' }""") == (
        "a",
        ("b", "c"),
        {"k": "x = '}'", "l": '"'},
    )


OPEN = [
    ("a\n```python\nx\n", 2, 1, "never closed"),
    ("    ~~~\n    x", 1, 5, "never closed"),
    ("```python\nx\n```python\n```\n", 1, 1, "open at the fence of line 3"),
    ("```\nx\n ```\n", 1, 1, "open at the fence of line 3"),
    ("```\n````\n```\n", 1, 1, "open at the fence of line 2"),
    ("    ```\n  x\n", 1, 5, "open at line 2, which is indented less"),
]
OPENING = [
    ("``` python\n```\n", 1, 4, "language comes first"),
    ("  ```{.python #a}\n  ```\n", 1, 6, "language comes first"),
    ('```python title="x"\n```\n', 1, 11, "options stand in braces"),
    ("```python,x\n```\n", 1, 10, "options stand in braces"),
    ('```text {.not-run reason="`x`"}\n```\n', 1, 27, "a backtick in the braces"),
    ("> ```python\n", 1, 1, "quotation"),
    ("- ```python\n", 1, 1, "list mark"),
    ("  1. ```python\n", 1, 3, "list mark"),
    ("```python {#a\n```\n", 1, 11, "malformed braces"),
    ("```python {#a b=c}\n```\n", 1, 11, "malformed braces"),
    ('```python {a="b"c="d"}\n```\n', 1, 11, "malformed braces"),
    ("```python {word}\n```\n", 1, 11, "malformed braces"),
    ("```python {#a} x\n```\n", 1, 11, "malformed braces"),
    ("```python{#a #b}\n```\n", 1, 10, "id is given twice"),
    ('```python {k="1" k="2"}\n```\n', 1, 11, "k is given twice"),
]
UNCLEAN = [
    ("a\tb", 1, 2, "tab"),
    ("ab\r\nc\r\n", 1, 3, "carriage return"),
    ("\ufeff# A", 1, 1, "byte order mark"),
    ("a\nb\x0c", 2, 2, "control character"),
    ("a\u2028", 1, 2, "control character"),
]


@pytest.mark.parametrize(("text", "line", "col", "what"), [*OPEN, *OPENING, *UNCLEAN])
def test_a_bad_article_is_refused_at_the_place(text: str, line: int, col: int, what: str) -> None:
    with pytest.raises(BookErrors) as caught:
        article(text)
    first = caught.value.errors[0]
    assert (first.article, first.line, first.col) == (f"{FOLDER}/a.md", line, col)
    assert what in first.message
    assert str(first).startswith(f"{FOLDER}/a.md:{line}:{col}: ")


def test_all_errors_of_an_article_are_told_together() -> None:
    with pytest.raises(BookErrors) as caught:
        article("```python {\n```\n\n``` x\n```\n\n```\n")
    assert places(caught.value) == [("a.md", 1, 11), ("a.md", 4, 4), ("a.md", 7, 1)]
    assert len(str(caught.value).splitlines()) == 3


def test_book_order_is_the_order_of_the_nav(tmp_path: Path) -> None:
    make_book(tmp_path, b="# B\n", a="# A\n")
    write(tmp_path, "docs/en/index.md", "# Overview\n")
    write(tmp_path, "docs/en/experiments/x.py", "# %%\n")
    config = """\
docs_dir: docs/en
nav:
  - Overview: index.md
  - Articles:
      - The second: articles/b.md
      - articles/a.md
  - experiments/x.py
  - Elsewhere: https://example.org/
markdown_extensions:
  - attr_list: !!python/name:any.name
"""
    write(tmp_path, "mkdocs.yml", config)
    assert [each.path for each in read_book(tmp_path)] == [
        "docs/en/index.md",
        f"{FOLDER}/b.md",
        f"{FOLDER}/a.md",
    ]


NAVS = [
    (
        "nav:\n  - A: articles/none.md\n  - articles/a.md\n",
        2,
        8,
        "no file docs/en/articles/none.md",
    ),
    ("nav:\n  - articles/a.md\n  - articles/a.md\n", 3, 5, "stands in the nav twice"),
    ("nav:\n  - ../../mkdocs.yml\n  - articles/a.md\n", 2, 5, "lies outside docs/en"),
    ('nav:\n  - "a\\nb.md"\n  - articles/a.md\n', 2, 5, "no file"),
    ("site_name: x\n", 1, 1, "has no nav"),
    ("nav: [a\n", 3, 9, "is not YAML"),
    ("nav: \x00\n", 1, 1, "is not YAML"),
    ("nav: &a [*a]\n", 1, 1, "contains itself"),
    ("docs_dir: ../x\nnav: []\n", 1, 11, "not the articles' folder of pyproject.toml"),
]


@pytest.mark.parametrize(("config", "line", "col", "what"), NAVS)
def test_a_bad_nav_is_refused(tmp_path: Path, config: str, line: int, col: int, what: str) -> None:
    make_book(tmp_path, a="# A\n")
    docs = "" if "docs_dir" in config else "\ndocs_dir: docs/en\n"
    write(tmp_path, "mkdocs.yml", config + docs)
    with pytest.raises(BookErrors) as caught:
        read_book(tmp_path)
    assert places(caught.value)[0] == ("mkdocs.yml", line, col)
    assert what in str(caught.value)


def test_an_article_missing_from_the_nav_is_refused(tmp_path: Path) -> None:
    make_book(tmp_path, a="# A\n")
    write(tmp_path, f"{FOLDER}/lonely.md", "# L\n")
    with pytest.raises(BookErrors) as caught:
        read_book(tmp_path)
    assert places(caught.value) == [("lonely.md", 1, 1)]


def test_an_article_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    make_book(tmp_path, a="# A\n")
    (tmp_path / FOLDER / "a.md").write_bytes(b"# A\nna\xefve\n")
    with pytest.raises(BookErrors, match="byte 0xef is not UTF-8") as caught:
        read_book(tmp_path)
    assert places(caught.value) == [("a.md", 2, 3)]


def test_the_root_is_found_from_below_and_its_absence_is_told(tmp_path: Path) -> None:
    root = make_book(tmp_path / "book", a="# A\n")
    assert book_root(root / FOLDER) == root.resolve()
    with pytest.raises(BookErrors, match=r"pyproject\.toml:1:1: no \[tool"):
        book_root(tmp_path)


def test_a_folder_without_a_nav_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BookErrors, match="cannot be read: No such file") as caught:
        read_book(tmp_path)
    assert places(caught.value) == [("pyproject.toml", 1, 1)]
    write(tmp_path, "pyproject.toml", PYPROJECT)
    with pytest.raises(BookErrors, match="cannot be read: No such file") as caught:
        read_book(tmp_path)
    assert places(caught.value) == [("mkdocs.yml", 1, 1)]


PIECES = ["```", "````", "~~~", "python", " {#src-a", ' file="literate_ad/a.py"', "}", "\n", "    "]
PIECES += ["x = 1", "> ", "- ", "`", '"', "\r", "\t", "\x00", "é", "\u2028", " ", "#", ".", "="]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    page, errors = outcome(article, text)
    assert all(1 <= each.line <= text.count("\n") + 1 and each.col >= 1 for each in errors)
    lines = text.split("\n")
    for fence in page.fences if page else ():
        assert lines[fence.line - 1][fence.col - 1 :] == fence.opening
        assert lines[fence.end_line - 1].strip(" ") == fence.ticks
        assert fence.body.count("\n") == fence.end_line - fence.line - 1


LINES = [
    "```\n",
    "````\n",
    "~~~\n",
    "```python\n",
    "```python {#a}\n",
    '````md {.b k="v"}\n',
    "x = 1\n",
]
LINES += ["\n", "prose `code`\n", "```` ```x ```` y\n", "```{x}`\n", "- item\n", "> q\n"]
LINES += [
    "```python\n>>> 1\n1\n```\n",
    "````\n```x\n```\n````\n",
    '???+ note "n"\n\n    ~~~\n    1\n    ~~~\n',
]


def fences_on_the_site(text: str) -> list[tuple[str, str]]:
    """Language and text of every fence that pymdownx.superfences draws."""
    drawn: list[tuple[str, str]] = []

    def draw(source: str, language: str, *_: object, **__: object) -> str:
        drawn.append((language or "", source))
        return "<pre></pre>"

    options = {"custom_fences": [{"name": "*", "class": "", "format": draw}]}
    names = ["attr_list", "pymdownx.details", "pymdownx.superfences"]
    markdown.markdown(text, extensions=names, extension_configs={names[2]: options})
    return drawn


def bare(text: str) -> str:
    """The text without blanks at the ends of lines, which Markdown drops."""
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=10).map("".join))
def test_the_site_draws_the_fences_that_are_found(text: str) -> None:
    page, _ = outcome(article, text)
    if page:
        found = [(fence.lang, bare(fence.body)) for fence in page.fences]
        assert found == [(lang, bare(body)) for lang, body in fences_on_the_site(text)]


TABLES = [
    ("", 'needs package = "name"'),
    ('package = "a-b"', "a name that Python can import"),
    ('package = "brick"\narticle = "text"', "has no setting 'article': there are articles"),
    ('package = "brick"\narticles = ["text"]', "articles must be text"),
    ('package = "brick"\narticles = "../text"', "must be a path below this file"),
    ('package = "brick"\nsite = "."', "must be a path below this file"),
    ("package = brick", "is not TOML"),
]


@pytest.mark.parametrize(("table", "what"), TABLES)
def test_a_bad_configuration_is_refused(tmp_path: Path, table: str, what: str) -> None:
    write(tmp_path, "pyproject.toml", f"[tool.literate-book]\n{table}\n")
    with pytest.raises(BookErrors) as caught:
        load_config(tmp_path)
    assert places(caught.value) == [("pyproject.toml", 1, 1)]
    assert what in str(caught.value)


def test_a_configuration_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    for time, name in enumerate(("brick", "stone")):
        write(tmp_path, "pyproject.toml", f'[tool.literate-book]\npackage = "{name}"\n')
        os.utime(tmp_path / "pyproject.toml", ns=(time, time))
        assert load_config(tmp_path) == Config(name)
