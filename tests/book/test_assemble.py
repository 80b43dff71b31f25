"""Assembling: order, spacing, the line map, and every block that is refused."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_book import CONFIG, FOLDER, article, block, outcome, places

from literate_book.source.articles import Article
from literate_book.source.errors import BookErrors
from literate_book.weave.assemble import Assembly, assemble, header

CORE = "literate_ad/core.py"
HEADER = header(CONFIG)


def assembled(articles: Iterable[Article]) -> Assembly:
    """The package that these articles make."""
    return assemble(articles, CONFIG)


def bodies_in_order(*texts: str) -> list[str]:
    """The bodies of the one module of a book with one article for each text."""
    assembly = assembled(article(text, f"{n}.md") for n, text in enumerate(texts))
    assert list(assembly.files) == [CORE]
    return [each.fence.body.strip() for each in assembly.by_file[CORE]]


def test_the_text_of_a_module() -> None:
    one = block("top", '"""Core."""\n\nimport os\n') + "Prose.\n" + block("f", "def f():\n    os\n")
    two = block("x", "X = 1\n") + block("y", "Y = X\n") + block("other", "Z = 1\n", "sub/z.py")
    assembly = assembled([article(one, "a.md"), article(two, "b.md")])
    assert assembly.files == {
        CORE: f'''{HEADER}
# --- {FOLDER}/a.md#src-top
"""Core."""

import os


# --- {FOLDER}/a.md#src-f
def f():
    os


# --- {FOLDER}/b.md#src-x
X = 1

# --- {FOLDER}/b.md#src-y
Y = X
''',
        "literate_ad/sub/z.py": f"{HEADER}\n# --- {FOLDER}/b.md#src-other\nZ = 1\n",
    }


def test_book_order_and_after_and_top() -> None:
    first = block("a", "a\n") + block("b", "b\n")
    second = block("c", "c\n", after="#src-a") + block("d", "d\n", after="#src-c")
    third = block("e", "e\n", after="#src-a") + block("i", "i\n", place="top") + block("f", "f\n")
    assert bodies_in_order(first, second, third) == ["a", "i", "c", "d", "e", "b", "f"]


def test_a_block_may_follow_a_later_one_and_top_may_come_first() -> None:
    text = block("i", "i\n", place="top") + block("a", "a\n", after="#src-b") + block("b", "b\n")
    assert bodies_in_order(text) == ["b", "i", "a"]
    assert bodies_in_order(block("i", "i\n", place="top")) == ["i"]


def test_a_long_chain_of_after_is_no_recursion() -> None:
    count = 3000
    chain = [block(str(n), f"{n}\n", after=f"#src-{n + 1}") for n in range(count)]
    assert bodies_in_order("".join(chain) + block(str(count), f"{count}\n"))[0] == str(count)


def test_the_line_map_goes_both_ways() -> None:
    indented = "".join(f"    {line}\n" for line in block("g", "def g():\n    1\n").splitlines())
    text = "# A\n\n" + block("f", "def f():\n    0\n") + '\n??? question "g"\n\n' + indented
    page = article(text)
    assembly = assembled([page])
    lines = assembly.files[CORE].split("\n")
    for each in assembly.placements:
        for line in range(each.first_line, each.last_line + 1):
            found = assembly.locate(CORE, line)
            number = each.article_line(line)
            assert found
            assert found.in_article == f"{page.path}:{number} #{each.fence.id}"
            assert text.split("\n")[number - 1] == each.fence.indent + lines[line - 1]
            assert each.module_line(number) == line
        marker = assembly.locate(CORE, each.first_line - 1)
        assert marker
        assert marker.in_article == f"{page.path}:{each.fence.line} #{each.fence.id}"
    assert assembly.by_id["src-g"] is assembly.placements[1]
    for outside in (1, 2, 6, 99):
        assert assembly.locate(CORE, outside) is None
    assert assembly.locate("literate_ad/other.py", 4) is None


# Blocks in the form that ruff gives them; any row of them must be in that form again.
FORMATTED = {
    "import": "import json\n",
    "assign": "X = 1\n",
    "comment": "# only a comment\n",
    "def": "def f():\n    return 1\n",
    "decorated": "@print\ndef g():\n    return 1\n",
    "class": "class A:\n    x = 1\n",
    "commented def": "# about\ndef h():\n    return 1\n",
    "section": "# section\n\n\ndef k():\n    return 1\n",
    "branches": "try:\n    import x\nexcept ImportError:\n\n    def m():\n        return 1\n",
    "tail": "def t():\n    return 1\n\n\n# tail\n",
    "loop": "for _ in ():\n    pass\n",
    "string": '"text"\n',
}


def test_formatted_blocks_make_formatted_modules(tmp_path: Path) -> None:
    heads = {"": "", "doc": '"""Doc."""\n', "full": '"""Doc."""\n\nimport os\n'}
    for head, docstring in heads.items():
        for one, above in FORMATTED.items():
            for two, below in FORMATTED.items():
                if one == two:
                    continue
                text = block("h", docstring) if docstring else ""
                page = article(text + block("a", above) + block("b", below))
                name = f"{head}-{one}-{two}.py".replace(" ", "-")
                (tmp_path / name).write_text(assembled([page]).files[CORE])
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--isolated",
        "--line-length=100",
        "--check",
        ".",
    ]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def opened(line: str, body: str = "x = 1\n") -> str:
    """A block with this opening line, in line 2 of its article."""
    return f"\n{line}\n{body}```\n"


GOOD = '```python {#src-a file="literate_ad/core.py"}'
BAD_OPENINGS = [
    ('```python {file="literate_ad/core.py"}', 11, "has an id that begins with src-"),
    ('```python {#core file="literate_ad/core.py"}', 12, "has an id that begins with src-"),
    ('```text {#src-a file="literate_ad/core.py"}', 4, "is python"),
    ('```python {#src-a flie="literate_ad/core.py"}', 12, 'add file="literate_ad/..."'),
    ('```python {#src-a file="literate_ad/core.py" afer="#src-b"}', 46, "unknown attribute afer"),
    ('```python {#src-a file="literate_ad/core.py" place="end"}', 46, 'place="top"'),
    ('```python {#src-a file="literate_ad/core.py" after="src-b"}', 46, 'after="#src-name"'),
    ('```python {#src-a file="literate_ad/core.py" after="#src-b"}', 46, "no block of the book"),
    ('```python {#src-a file="literate_ad/core.py" after="#src-a"}', 46, "#src-a -> #src-a"),
    *(
        (f'```python {{#src-a file="{file}"}}', 19, "is no module of the package")
        for file in (
            "../core.py",
            "/literate_ad/core.py",
            "literate_ad/../core.py",
            "tests/core.py",
            "literate_ad/core.txt",
            "literate_ad/a-b.py",
            "literate_ad//core.py",
            "literate_ad",
            "",
        )
    ),
]


@pytest.mark.parametrize(("line", "col", "what"), BAD_OPENINGS)
def test_a_bad_opening_line_is_refused(line: str, col: int, what: str) -> None:
    with pytest.raises(BookErrors) as caught:
        assembled([article(opened(line))])
    assert places(caught.value) == [("a.md", 2, col)]
    assert what in str(caught.value)


BAD_BODIES = [
    ("", 2, 1, "this block is empty"),
    ("\nx = 1\n", 3, 1, "begins and ends with code"),
    ("x = 1\n\n", 4, 1, "begins and ends with code"),
    ("x = 1\n# --- docs/en/articles/a.md#src-b\n", 4, 1, "reads like the marker"),
    ("x = 1\ny = = 2\n", 4, 5, "does not parse: invalid syntax"),
    ("def f():\n", 3, 9, "does not parse: expected an indented block"),
    ("x = (\n", 3, 5, "does not parse: '(' was never closed"),
    ("    x = 1\n", 3, 4, "does not parse: unexpected indent"),
    (f"x{'.a' * 20_000}\n", 3, 1, "does not parse: it is nested too deeply"),
]


@pytest.mark.parametrize(("body", "line", "col", "what"), BAD_BODIES)
def test_a_bad_body_is_refused(body: str, line: int, col: int, what: str) -> None:
    with pytest.raises(BookErrors) as caught:
        assembled([article(opened(GOOD, body))])
    assert places(caught.value) == [("a.md", line, col)]
    assert what in str(caught.value)


def test_a_syntax_error_in_an_indented_block_has_its_column_in_the_article() -> None:
    text = opened(f"    {GOOD}", "    x = = 1\n    ").replace("    ```\n", "    ```\n")
    with pytest.raises(BookErrors) as caught:
        assembled([article(text)])
    assert places(caught.value) == [("a.md", 3, 9)]


def test_duplicate_ids_name_both_places() -> None:
    pages = [article(block("a", "x = 1\n"), "a.md"), article("\n" + block("a", "y = 1\n"), "b.md")]
    with pytest.raises(BookErrors, match=f"#src-a is the id of {FOLDER}/a.md:1") as caught:
        assembled(pages)
    assert places(caught.value) == [("b.md", 2, 12)]


@pytest.mark.parametrize(
    ("other", "col"),
    [
        ("def f(): ...\n", 1),
        ("class f: ...\n", 1),
        ("a, (b, *f) = 1, (2, 3)\n", 9),
        ("f: int = 1\n", 1),
        ("if a:\n    pass\nelif b:\n    f = 1\n", 5),
        ("try:\n    pass\nexcept OSError:\n    f = 1\n", 5),
    ],
)
def test_two_blocks_that_define_one_name_are_refused(other: str, col: int) -> None:
    pages = [article("\n" + block("a", "x = 1\nf = 1\n")), article(block("b", other), "b.md")]
    with pytest.raises(BookErrors, match=f"f is defined here and at {FOLDER}/a.md:4") as caught:
        assembled(pages)
    assert places(caught.value) == [("b.md", other.count("\n") + 1, col)]


def test_one_block_or_two_modules_may_repeat_a_name() -> None:
    page = block("a", "f = 1\nf = 2\n") + block("b", "f = 1\n", "util.py")
    more = block("c", "def _(): ...\n") + block("d", "def _(): ...\nf.x = f[0] = 1\nf += 1\n")
    assert len(assembled([article(page + more)]).placements) == 4


def test_after_names_a_block_of_the_same_module() -> None:
    page = block("a", "x = 1\n") + block("b", "y = 1\n", "util.py", after="#src-a")
    with pytest.raises(BookErrors, match=f"#src-a is a block of {CORE}") as caught:
        assembled([article(page)])
    assert places(caught.value) == [("a.md", 4, 46)]


def test_a_circle_of_after_is_told_once_with_all_its_blocks() -> None:
    chain = [("a", "#src-c"), ("b", "#src-a"), ("c", "#src-b"), ("d", "#src-a")]
    page = "".join(block(id_, f"{id_} = 1\n", after=anchor) for id_, anchor in chain)
    with pytest.raises(BookErrors, match="#src-a -> #src-c -> #src-b -> #src-a") as caught:
        assembled([article(page)])
    assert places(caught.value) == [("a.md", 1, 46)]


def test_after_and_place_contradict_each_other() -> None:
    page = block("a", "x = 1\n") + block("b", "y = 1\n", after="#src-a", place="top")
    with pytest.raises(BookErrors, match="contradict") as caught:
        assembled([article(page)])
    assert places(caught.value) == [("a.md", 4, 61)]


def test_the_errors_of_all_articles_come_together_in_book_order() -> None:
    first = block("a", "x = = 1\n") + block("b", "y = 1\n", after="#src-none")
    second = block("b", "z = 1\n") + block("c", "\n", "../x.py")
    with pytest.raises(BookErrors) as caught:
        assembled([article(first, "z.md"), article(second, "a.md")])
    expected = [("z.md", 2, 5), ("z.md", 4, 46), ("a.md", 1, 12), ("a.md", 4, 1), ("a.md", 4, 19)]
    assert places(caught.value) == expected


LINES = [
    "x = 1",
    "def f(): pass",
    "f = ",
    "(",
    ")",
    "'''",
    "# --- a.md#src-a",
    "",
    "    y = 2",
    "\\",
]
ATTRS = [' after="#src-0"', ' after="#src-1"', ' place="top"', ' file="../x.py"', ' odd="1"', " .c"]


@st.composite
def wild_blocks(draw: st.DrawFn) -> str:
    """An article whose fences are well formed and whose blocks are anything."""
    text = ""
    for _ in range(draw(st.integers(1, 6))):
        id_ = draw(st.sampled_from(["src-0", "src-1", "src-2", "x"]))
        file = draw(st.sampled_from(["core.py", "util.py"]))
        extra = "".join(draw(st.lists(st.sampled_from(ATTRS), max_size=2, unique=True)))
        body = "\n".join(draw(st.lists(st.sampled_from(LINES), max_size=4)))
        text += f'```python {{#{id_} file="literate_ad/{file}"{extra}}}\n{body}\n```\n'
    return text


@settings(max_examples=200, deadline=None)
@given(wild_blocks())
def test_any_blocks_are_assembled_or_refused_at_a_line_of_the_article(text: str) -> None:
    assembly, errors = outcome(lambda: assembled([article(text)]))
    assert all(1 <= each.line <= text.count("\n") for each in errors)
    assert bool(errors) != (assembly is not None and len(assembly.placements) == text.count("{#"))
    for each in assembly.placements if assembly else ():
        lines = assembly.files[each.file].split("\n")[each.first_line - 1 : each.last_line]
        assert "\n".join(lines) + "\n" == each.fence.body
