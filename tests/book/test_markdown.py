"""The Markdown extension: what an article's text becomes on its page."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from markdown import markdown
from small_book import block, make_book

from literate_book.check.audit import audit_article
from literate_book.check.checks import Book
from literate_book.check.running import Articles
from literate_book.render import player
from literate_book.render.markdown import BookExtension, Page
from literate_book.source.articles import parse_article
from literate_book.source.errors import BookError, BookErrors

IMPORTS = block("imports", '"""The core."""\n')
BOX = block("box", "class Box:\n    value = 1\n")
PASS = block("pass", "def backward(box):\n    return Box\n")
FIRST = f"""\
# `grad` and its parts

{IMPORTS}
It begins. See [the pass](second.md#src-pass).

{BOX}"""
SECOND = f"""\
# The pass

{PASS}
```python {{.ablation of="#src-box" expect="2 instead of 1" run="Box.value"}}
class Box:
    value = 2
```

```python
>>> from literate_ad.core import Box
>>> Box.value
1
```
"""


def page(tmp_path: Path, text: str, **others: str) -> Tag:
    """The page of an article, in a book with others."""
    root = make_book(tmp_path, page=text, **others)
    extensions = [BookExtension(root=str(root)), "admonition", "pymdownx.details"]
    return BeautifulSoup(markdown(text, extensions=extensions), "html.parser")


def shown(element: Tag | None) -> str:
    """The words of an element, on one line."""
    assert element is not None
    return " ".join(element.get_text().split())


def copied(figure: Tag) -> str:
    """What the button of a listing copies."""
    button = figure.select_one("button.copy")
    assert button is not None
    return str(button["data-clipboard-text"])


def numbers(figure: Tag) -> list[str]:
    """The line numbers of a listing, as they are shown."""
    return [str(each["data-linenos"]).strip() for each in figure.select("[data-linenos]")]


def test_a_block_shows_its_module_and_the_lines_it_has_there(tmp_path: Path) -> None:
    figure = page(tmp_path, FIRST, second=SECOND).select_one("figure#src-box")
    assert figure is not None
    assert shown(figure.select_one("figcaption a")) == "literate_ad/core.py"
    assert shown(figure.select_one("figcaption .lines")) == "lines 8\N{EN DASH}9"
    assert numbers(figure) == ["8", "9"]
    assert shown(figure.select_one("#src-box-9")) == "value = 1"


def test_a_block_leads_to_its_neighbours_and_users(tmp_path: Path) -> None:
    soup = page(tmp_path, FIRST, second=SECOND)
    foot = soup.select_one("#src-box .neighbours")
    assert shown(foot) == "Above: importsBelow: backward in The passUsed in: The pass"
    assert [a["href"] for a in soup.select("#src-box .neighbours a")] == [
        "#src-imports",
        "second.md#src-pass",
        "second.md",
    ]
    back = page(tmp_path / "other", SECOND, first=FIRST).select_one("#src-pass .neighbours")
    assert "Used in: grad and its parts" in shown(back)


def test_a_wrong_variant_says_so_and_what_comes_of_it(tmp_path: Path) -> None:
    figure = page(tmp_path, SECOND, first=FIRST).select_one("figure.ablation")
    assert shown(figure and figure.select_one("figcaption")) == (
        "Wrong on purpose in place of Box in grad and its parts: Box.value gives 2 instead of 1"
    )
    assert figure is not None
    assert not numbers(figure)


def test_a_wrong_variant_names_what_it_replaces(tmp_path: Path) -> None:
    several = block("several", "first = 1\n\n\ndef second():\n    pass\n\n\nthird = 3\n")
    variant = (
        '```python {.ablation of="#src-several" expect="1"}\nfourth = 4\n\n\n'
        "def second():\n    return 1\n\n\nthird = 1\n```\n"
    )
    figure = page(tmp_path, f"# T\n\n{several}\n{variant}").select_one("figure.ablation")
    assert shown(figure and figure.select_one("figcaption")).startswith(
        "Wrong on purpose in place of second, third: "
    )


def test_a_wrong_variant_of_nothing_is_refused_at_its_line(tmp_path: Path) -> None:
    text = '# T\n\n```python {.ablation of="#src-gone" expect="1"}\nx = 1\n```\n'
    with pytest.raises(Exception, match=r"page\.md:3:\d+: no block of the package has the id"):
        page(tmp_path, text)


def test_a_session_is_copied_without_its_prompts(tmp_path: Path) -> None:
    soup = page(tmp_path, "```python\n>>> 1 + 1\n2\n```\n\n```text {.output}\n2\n```\n")
    session, output = soup.select("figure.listing")
    assert session.select(".gp")
    assert copied(session) == "1 + 1\n"
    assert shown(output.select_one("figcaption")) == "Output"
    assert not output.select("button")


def test_a_block_that_quotes_a_session_is_copied_whole(tmp_path: Path) -> None:
    body = 'def one():\n    """One.\n\n    >>> one()\n    1\n    """\n    return 1\n'
    figure = page(tmp_path, f"# T\n\n{block('one', body)}").select_one("figure")
    assert figure is not None
    assert copied(figure) == body
    assert not figure.select(".gp")


def test_every_button_to_copy_has_a_name_of_its_own(tmp_path: Path) -> None:
    soup = page(tmp_path, f"{FIRST}\n```sh\nls\n```\n", second=SECOND)
    assert [button["aria-label"] for button in soup.select("button.copy")] == [
        "Copy listing 1",
        "Copy listing 2",
        "Copy listing 3",
    ]
    assert [copied(figure) for figure in soup.select("figure")] == [
        '"""The core."""\n',
        "class Box:\n    value = 1\n",
        "ls\n",
    ]


def test_a_session_that_cannot_be_read_is_refused_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"page\.md:3:1: this session cannot be read: "):
        page(tmp_path, "# T\n\n```python\n>>>1 + 1\n```\n")


@pytest.mark.parametrize("around", ["<div>\n{}\n</div>\n", "<!--\n{}\n-->\n", "<pre>\n{}</pre>\n"])
def test_a_fence_that_would_be_lost_is_refused_at_its_line(tmp_path: Path, around: str) -> None:
    text = "# T\n\n" + around.format("```python\nx = 1\n```\n")
    with pytest.raises(BookError, match=r"page\.md:4:1: this fence stands in raw HTML"):
        page(tmp_path, text)


def test_no_text_stands_for_a_fence_by_accident(tmp_path: Path) -> None:
    text = "```python\nx = 1\n```\n\n{}\n"
    mark = next(iter(Page(text, make_book(tmp_path, page=text)).tickets))
    soup = page(tmp_path, text.format(mark))
    assert shown(soup.select_one("p")) == mark
    assert len(soup.select("figure")) == 1


def test_fences_keep_their_places_in_lists_and_questions(tmp_path: Path) -> None:
    text = (
        "1. one\n\n    ```python\n    x = 1\n    ```\n\n2. two\n\n"
        '??? question "Why?"\n\n    Since:\n    ```text\n    *a*  {: value="1"}\n    ```\n'
    )
    soup = page(tmp_path, text)
    assert shown(soup.select_one("ol > li figure pre")) == "x = 1"
    assert len(soup.select("ol > li")) == 2
    assert shown(soup.select_one("details figure pre")) == '*a* {: value="1"}'


def test_a_checked_value_is_code_with_a_quiet_mark(tmp_path: Path) -> None:
    soup = page(tmp_path, 'The gradient is `6.0`{: value="grad(f)(3.0)"} and `x`.\n')
    first, second = soup.select("code")
    assert first.attrs == {"class": ["checked"], "title": "checked: grad(f)(3.0)"}
    assert shown(soup) == "The gradient is 6.0 and x."
    assert not second.attrs


def test_the_expression_of_a_value_is_no_markdown(tmp_path: Path) -> None:
    expression = "type(x).__name__ + f'{a_b}' * _c_ ** [d](e)"
    text = f'| a |\n|---|\n| is `B`{{: value="{expression}"}} |\n\n``c`d``{{: value="e"}} `` ` ``\n'
    soup = page(tmp_path, text)
    first, second, third = soup.select("code")
    assert first["title"] == f"checked: {expression}"
    assert shown(soup.select_one("td")) == "is B"
    assert (shown(second), second["title"], shown(third)) == ("c`d", "checked: e", "`")


@pytest.mark.parametrize(
    ("comment", "name", "expression"),
    [
        ("snapshot: rows(lambda x: x > 1)", "State snapshot", "rows(lambda x: x > 1)"),
        ("source-table", "Source table", ""),
        ("correspondence", "Theory to source", ""),
    ],
)
def test_a_checked_table_says_so(tmp_path: Path, comment: str, name: str, expression: str) -> None:
    text = f"Before.\n\n<!-- {comment} -->\n| a | b |\n|---|---|\n| `np.sin` | x |\n\nAfter.\n"
    soup = page(tmp_path, text)
    figure = soup.select_one("figure.checked")
    assert figure is not None
    assert shown(figure.select_one("strong")) == name
    assert shown(figure.select_one("figcaption")) == f"{name}{expression}checked"
    assert shown(figure.select_one(".table td")) == "np.sin"
    assert "<!--" not in str(soup)
    assert [shown(each) for each in soup.find_all("p")] == ["Before.", "After."]


def test_a_checked_list_says_so_and_others_do_not(tmp_path: Path) -> None:
    text = "<!-- calls: calls(f) -->\n1. `core.grad`\n2. `core.f`\n\nAnd\n\n1. other\n"
    soup = page(tmp_path, text)
    assert [shown(each) for each in soup.select("figure.calls li")] == ["core.grad", "core.f"]
    assert len(soup.select("ol")) == 2


def test_every_table_scrolls_by_itself_and_by_keyboard(tmp_path: Path) -> None:
    box = page(tmp_path, "| a |\n|---|\n| 1 |\n").select_one("div.table")
    assert box is not None
    assert box["tabindex"] == "0"


def test_formulas_become_mathml(tmp_path: Path) -> None:
    text = "With $f'(x)$ and\n\n$$\n\\bar x = J^\\top \\bar y \\\\\n$$\n\n"
    soup = page(tmp_path, f"{text}for \\$5, `$x$` and $6 each.\n")
    inline, display = soup.select("math")
    assert inline.get("display") is None
    assert display["display"] == "block"
    assert "for $5, $x$ and $6 each." in shown(soup)


def test_a_bad_formula_is_refused_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"page\.md:4:5: this formula cannot be shown: .*\\nope"):
        page(tmp_path, "# T\n\nOne $x$.\nTwo $\\nope$.\n")


def test_a_bad_fence_is_refused_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(BookErrors, match=r"page\.md:3:1: "):
        page(tmp_path, "# T\n\n```python\nnever closed\n")


GRAPH = """\
```mermaid {graph="drawing(f, 3.0)"}
graph TB
  n0(["x = 3.0"])
  n1["multiply = 9.0"]
  n0 -- "0" --> n1
  n0 -- "1" --> n1
```
"""


def test_a_graph_is_drawn_with_words_for_those_who_cannot_see_it(tmp_path: Path) -> None:
    soup = page(tmp_path, f"{GRAPH}\nAgain:\n\n{GRAPH}")
    first, second = soup.select("figure.drawing svg")
    assert shown(first.find("title")) == "Operation graph of a run: drawing(f, 3.0)"
    assert shown(first.find("desc")) == (
        "x = 3.0 to multiply = 9.0 (0); x = 3.0 to multiply = 9.0 (1)"
    )
    assert shown(soup.select_one("figcaption")) == "Operation graphdrawing(f, 3.0)checked"
    ids = [element["id"] for svg in (first, second) for element in svg.select("[id]")]
    assert len(ids) == len(set(ids))
    marker = first.select_one("marker")
    assert marker is not None
    assert f"url(#{marker['id']})" in str(first)


def test_a_drawing_brings_no_colour_and_no_style_of_its_own(tmp_path: Path) -> None:
    svg = page(tmp_path, GRAPH).select_one("svg")
    assert svg is not None
    assert not svg.select("style, [style], [fill], [stroke]")


def test_arrows_and_frames_may_be_broken_and_a_child_may_come_first(tmp_path: Path) -> None:
    text = '```mermaid\ngraph LR\n  b_c -.-> a_d["three"]:::other\n  a["one"] --> b_c["two"]\n```\n'
    svg = page(tmp_path, text).select_one("svg")
    assert svg is not None
    assert shown(svg.select_one("desc")) == "two to three; one to two"
    assert [shown(node) for node in svg.select(".node")] == ["two", "three", "one"]
    assert len(svg.select("[marker-end].broken")) == len(svg.select("[marker-start]")) == 1
    assert [shown(node) for node in svg.select(".node.other")] == ["three"]
    assert len(svg.select(".edge")) == 2
    assert len(svg.select(".edge.broken")) == 1


def test_long_words_have_room(tmp_path: Path) -> None:
    text = '```mermaid\ngraph LR\n  a["1"] -- "a word longer than the box" --> b["2"]\n```\n'
    svg = page(tmp_path, text).select_one("svg")
    assert svg is not None
    word = svg.select_one(".word")
    assert word is not None
    half = len(word.get_text()) * 6.6 / 2
    assert half < float(str(word["x"])) < float(str(svg["width"])) - half


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "drawing.svg").mkdir()
    with pytest.raises(OSError, match=r"drawing\.svg"):
        player.keep(tmp_path / "drawing.svg", b"<svg/>")
    assert [each.name for each in tmp_path.iterdir()] == ["drawing.svg"]


def test_readers_of_a_drawing_see_all_of_it_while_others_write(tmp_path: Path) -> None:
    path, content = tmp_path / "drawing.svg", b"<svg>" + b"x" * 1_000_000 + b"</svg>"
    player.keep(path, content)
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(player.keep, path, content) for _ in range(60)]
        while not all(writer.done() for writer in writers):
            assert len(path.read_bytes()) == len(content)
    assert [writer.result() for writer in writers] == [None] * 60
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ("graph LR\n  a --> [\n", r"this line is no node and no arrow: a --> \["),
        ("flowchart\n", "a diagram begins with"),
    ],
)
def test_a_bad_drawing_is_refused_at_its_line(body: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=rf"page\.md:3:1: this cannot be drawn: .*{wrong}"):
        page(tmp_path, f"# T\n\n```mermaid\n{body}```\n")


def test_an_exempt_fence_says_why(tmp_path: Path) -> None:
    text = '```sh {.not-run reason="It starts a server."}\nmake serve\n```\n'
    assert shown(page(tmp_path, text).select_one("figcaption")) == "Not run: It starts a server."


def test_an_experiment_is_named_where_it_is_shown(tmp_path: Path) -> None:
    text = '```text {.output of="one.py"}\nall checks passed\n```\n'
    soup = page(tmp_path, text)
    assert shown(soup.select_one("figcaption")) == "Printed by one.py"
    assert [a["href"] for a in soup.select("figcaption a")] == ["../experiments/one.py"]


def test_a_page_outside_the_book_is_drawn_too(tmp_path: Path) -> None:
    root = make_book(tmp_path, page=FIRST)
    html = markdown("A `1`{: value='f()'} b.", extensions=[BookExtension(root=str(root))])
    assert html == '<p>A <code class="checked" title="checked: f()">1</code> b.</p>'


def test_columns_of_numbers_and_only_they_stand_on_the_right(tmp_path: Path) -> None:
    rows = "| `1` | 2 rows | \N{MINUS SIGN}3.5 | 40 % | |\n| 1e-08 | `7` | `-2` | | |\n"
    soup = page(tmp_path, f"| a | b | c | d | e |\n|---|---|---|---|---|\n{rows}")
    marked = [["number" in cell.get("class", "") for cell in row("td")] for row in soup("tr")[1:]]
    assert marked == [[True, False, True, True, False]] * 2
    assert [th.get_text() for th in soup.select("th.number")] == ["a", "c", "d"]


def test_errors_and_single_printed_lines_wrap(tmp_path: Path) -> None:
    session = (
        ">>> 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: no\n"
        ">>> x\narray([[1],\n       [2]])\n>>> 2\n2\n"
    )
    soup = page(tmp_path, f"```python\n{session}```\n")
    assert [shown(each) for each in soup.select(".wraps")] == ["ZeroDivisionError: no", "2"]


def test_the_keyboard_reaches_a_formula_of_its_own_line(tmp_path: Path) -> None:
    first, second = page(tmp_path, "$$x$$\n\nand $y$\n\n$$z$$\n").select("[tabindex='0']")
    assert (first["aria-label"], shown(second)) == ("Formula", "z")


TOOL = """\
import functools


class Reader:
    @functools.cache
    def read(self):
        return 1


def read():
    return 2
"""


def quoting(tmp_path: Path, quote: str, body: str = "") -> Tag:
    """The page of an article with a quotation from ``tools/reader.py``."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/reader.py").write_text(TOOL)
    return page(tmp_path, f'# T\n\n```python {{quote="{quote}"}}\n{body}```\n')


def test_a_quotation_is_filled_in_with_its_place(tmp_path: Path) -> None:
    figure = quoting(tmp_path, "tools/reader.py#Reader.read").select_one("figure.listing")
    assert figure is not None
    assert shown(figure.figcaption) == "tools/reader.pylines 5\N{EN DASH}7"
    assert numbers(figure) == ["5", "6", "7"]
    assert copied(figure) == "@functools.cache\ndef read(self):\n    return 1\n"
    assert not figure.select("[id]")


@pytest.mark.parametrize(
    ("quote", "body", "problem"),
    [
        ("tools/reader.py#gone", "", "tools/reader.py defines no 'gone'"),
        ("tools/reader.py#read.more", "", "defines no 'read.more'"),
        ("tools/reader.py", "", "defines no ''"),
        ("tools/none.py#read", "", "tools/none.py cannot be quoted: No such file"),
        ("tools/reader.py#read", "x = 1\n", "leave the fence empty"),
    ],
)
def test_a_quotation_of_nothing_is_refused_at_its_line(
    tmp_path: Path, quote: str, body: str, problem: str
) -> None:
    with pytest.raises(BookError, match=r"page\.md:3:12: ") as refused:
        quoting(tmp_path, quote, body)
    assert problem in str(refused.value)


def test_a_quotation_is_a_check_and_the_audit_knows_it(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("def read():\n    pass\n")
    text = (
        '# T\n\n```python {quote="tools.py#read"}\n```\n\n```python {quote="tools.py#gone"}\n```\n'
    )
    root = make_book(tmp_path, page=text)
    path = "docs/en/articles/page.md"
    assert not audit_article(parse_article(path, text))
    (error,) = Articles(Book(root)).complaints_about(path, text)
    assert (error.line, error.message.partition(":")[0]) == (6, "tools.py defines no 'gone'")
