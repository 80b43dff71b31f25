"""What the checks say about an article that is wrong, and what pytest makes of it."""

import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown import Markdown

from literate_book.check.checks import Book, shown
from literate_book.check.documents import article_checks
from literate_book.check.experiments import run_experiment
from literate_book.check.running import Articles, Updates
from literate_book.check.symbols import MISSING, resolve, uses
from literate_book.source.articles import parse_article, read_book
from literate_book.source.config import load_config
from literate_book.source.errors import BookError, BookErrors
from literate_book.source.tables import find_spans, read_list, read_table, stray_digits
from literate_book.weave.assemble import assemble

KINDS = "docs/en/articles/kinds.md"
SETUP = """```python
>>> from literate_ad import grad
>>> from literate_book.record.recorder import calls, graph
>>> def f(x):
...     return x * x
```

"""


def complaints(root: Path, text: str, setup: str = SETUP) -> list[str]:
    """Every complaint about an article, with its lines counted from behind the setup."""
    lines = setup.count("\n")
    errors = Articles(Book(root)).complaints_about(KINDS, setup + text)
    return [f"{error.line - lines}:{error.col}: {error.message}" for error in errors]


# Each case: the article, then the beginning of the one complaint about it.
CASES = {
    "snapshot without rows": (
        "<!-- snapshot: [] -->\n| a |\n|---|\n",
        "1:1: the table has no rows: write at least one",
    ),
    "snapshot without table": (
        "<!-- snapshot: [] -->\n\n| a |\n|---|\n| `b` |\n",
        "1:1: no table follows: write it in the next line",
    ),
    "snapshot without expression": (
        "<!-- snapshot -->\n| a |\n|---|\n| `b` |\n",
        "1:1: say what gives the rows: <!-- snapshot: EXPR -->",
    ),
    "row too many": (
        "<!-- snapshot: [('b',)] -->\n| a |\n|---|\n| `b` |\n| `c` |\n",
        "5:1: the engine gives only 1 rows: delete this one",
    ),
    "row missing": (
        "<!-- snapshot: [('b',), ('c',)] -->\n| a |\n|---|\n| `b` |\n",
        "4:8: the engine gives one more row: write | `c` |",
    ),
    "cell that nothing checks": (
        "<!-- snapshot: [('b', None)] -->\n| a | c |\n|---|---|\n| `b` | `d` |\n",
        "4:10: row 1, column “c” holds a value that nothing checks: take away its backticks",
    ),
    "cell without value": (
        "<!-- snapshot: [('b', 1.5)] -->\n| a | c |\n|---|---|\n| `b` | much |\n",
        "4:9: row 1, column “c”: the article says nothing, the engine says `1.5`",
    ),
    "too few columns": (
        "<!-- snapshot: [('b',)] -->\n| a | c |\n|---|---|\n| `b` | |\n",
        "4:1: `[('b',)]` gives 1 cells for 2 columns",
    ),
    "headers that fit no key": (
        "<!-- snapshot: [{'value': 1}] -->\n| vlaue |\n|---|\n| `1` |\n",
        "2:1: no column of this table is one of value: rename a header",
    ),
    "row without a check": (
        "<!-- snapshot: [('b',), (None,)] -->\n| a |\n|---|\n| `b` |\n| c |\n",
        "5:1: nothing in this row is checked",
    ),
    "rows that are no rows": (
        "<!-- snapshot: 3 -->\n| a |\n|---|\n| `b` |\n",
        "1:16: `3` gives 3, not a list of rows",
    ),
    "row that is no row": (
        "<!-- snapshot: ['b'] -->\n| a |\n|---|\n| `b` |\n",
        "4:1: `['b']` gives b as a row, which is no list of cells",
    ),
    "expression that fails": (
        "<!-- snapshot: rows() -->\n| a |\n|---|\n| `b` |\n",
        "1:16: `rows()` raised NameError: name 'rows' is not defined",
    ),
    "expression that is no Python": (
        "<!-- snapshot: rows( -->\n| a |\n|---|\n| `b` |\n",
        "1:1: this is not Python",
    ),
    "calls without list": (
        "<!-- calls: [] -->\n* `core.make_vjp`\n",
        "1:1: no numbered list follows: write it in the next line",
    ),
    "unknown function in calls": (
        "<!-- calls: calls(lambda: grad(f)) -->\n1. `wrap_util.unary_to_nary.nary_operator`\n"
        "2. `wrap_util.DerivedFunction.__init__`\n3. `wrap_util.chekc_operand`\n",
        "4:5: call 3: `wrap_util.chekc_operand` is no function of the engine "
        "(did you mean `wrap_util.check_operand`?)",
    ),
    "call that does not happen": (
        "<!-- calls: calls(lambda: grad(f)) -->\n1. `wrap_util.unary_to_nary.nary_operator`\n"
        "2. `core.make_vjp`\n3. `wrap_util.DerivedFunction.__init__`\n"
        "4. `wrap_util.check_operand`\n",
        "3:1: this run never calls `core.make_vjp`: delete this item",
    ),
    "call that is not listed": (
        "<!-- calls: calls(lambda: grad(f)) -->\n1. `wrap_util.unary_to_nary.nary_operator`\n"
        "2. `wrap_util.check_operand`\n",
        "3:1: the engine calls more, list it before this item:\n"
        "2. `wrap_util.DerivedFunction.__init__`",
    ),
    "value missing in a call": (
        "<!-- calls: [('core.make_vjp', 'f', '3.0')] -->\n1. `core.make_vjp` takes `f`\n",
        "2:4: call 1: the article says `core.make_vjp, f`, the engine says `core.make_vjp, f, 3.0`",
    ),
    "unknown comment": (
        "<!-- snapshop: f(3.0) -->\n| a |\n|---|\n| `b` |\n",
        "1:1: no check is called “snapshop”: did you mean snapshot?",
    ),
    "ablation of an unknown block": (
        '```python {.ablation of="#src-toy-duoble" expect="1 instead of 2" run="1"}\nx = 1\n```\n',
        "1:22: no block of the book has the id #src-toy-duoble: did you mean #src-toy-double?",
    ),
    "ablation that changes nothing": (
        '```python {.ablation of="#src-toy-double" expect="9.0" run="f(3.0)"}\n'
        "def double(x):\n    return x\n```\n",
        "1:43: with the engine's own #src-toy-double, f(3.0): the article says "
        "`something other than 9.0`, the engine says `9.0`",
    ),
    "ablation that defines something else": (
        '```python {.ablation of="#src-toy-double" expect="1 instead of 9.0" run="f(3.0)"}\n'
        "def treble(x):\n    return x\n```\n",
        "1:1: the variant defines none of double, halve, quadruple: name one of them",
    ),
    "ablation that does not parse": (
        '```python {.ablation of="#src-toy-double" expect="1 instead of 9.0" run="f(3.0)"}\n'
        "def double(x:\n```\n",
        "2:11: this block does not parse: '(' was never closed",
    ),
    "ablation that says nothing": (
        '```python {.ablation of="#src-toy-double"}\nx = 1\n```\n',
        '1:11: this needs expect="..." in its braces',
    ),
    "source table with other columns": (
        "<!-- source-table -->\n| symbol |\n|---|\n| `core.make_vjp` |\n",
        "2:1: the columns of a source table are | symbol | called by | calls |",
    ),
    "unknown symbol": (
        "<!-- source-table -->\n| symbol | called by | calls | input and output | role |\n"
        "|---|---|---|---|---|\n| `core.make_vpj` | | | | |\n",
        "4:4: `core.make_vpj` is nothing in literate_ad: did you mean `core.make_vjp`?",
    ),
    "edge that is none": (
        "<!-- source-table -->\n| symbol | called by | calls | input and output | role |\n"
        "|---|---|---|---|---|\n| `core.make_vjp` | | `core.make_jvp` | | |\n",
        "4:24: `core.make_vjp` does not use `core.make_jvp`, but",
    ),
    "wrong parameter": (
        "<!-- source-table -->\n| symbol | called by | calls | input and output | role |\n"
        "|---|---|---|---|---|\n| `core.make_vjp` | | | `fun, y` | |\n",
        "4:26: `core.make_vjp` has no parameter `y`, but `fun`, `x`",
    ),
    "name in a role": (
        "<!-- source-table -->\n| symbol | called by | calls | input and output | role |\n"
        "|---|---|---|---|---|\n| `core.make_vjp` | | | | makes `vjp` |\n",
        "4:34: a role is prose, which nothing checks: take away the backticks",
    ),
    "state that is nothing": (
        "<!-- correspondence -->\n| theory | in the engine | state |\n|---|---|---|\n"
        "| seed | `core.make_vjp` | `f.seed` |\n",
        "4:29: `f.seed` raised AttributeError: 'function' object has no attribute 'seed'",
    ),
    "state with a number of its own": (
        "<!-- correspondence -->\n| theory | in the engine | state |\n|---|---|---|\n"
        "| seed | `core.make_vjp` | `f(2.0)` |\n",
        "4:29: a number that is not computed is checked by nothing: add {: value=",
    ),
    "wrong output": (
        "```python\n>>> for i in range(3):\n...     print(i)\n0\n1\n4\n```\n",
        "6:1: output: the article says\n0\n1\n4\nbut the engine says\n0\n1\n2",
    ),
    "output inside a question": (
        '??? question "Why?"\n\n    ```python\n    >>> 1 + 1\n    3\n    ```\n',
        "5:5: output: the article says `3`, the engine says `2`",
    ),
    "example that fails": (
        "```python\n>>> def h(x):\n...     return 1 / x\n>>> h(0)\n```\n",
        "3:1: this raised ZeroDivisionError: division by zero",
    ),
    "wrong exception": (
        "```python\n>>> {}['a']\nTraceback (most recent call last):\n    ...\nKeyError: 'b'\n```\n",
        "5:1: output: the article says",
    ),
    "loose text in a session": (
        "```python\n>>> print(1)\n1\n\nand so on\n```\n",
        "5:1: this line is neither a statement nor the output of one",
    ),
    "doctest option": (
        "```python\n>>> print(1)  # doctest: +SKIP\n2\n```\n",
        "2:1: outputs are compared exactly, without doctest options: delete this one",
    ),
    "bad prompt": (
        "```python\n>>>print(1)\n1\n```\n",
        "2:1: not a session: line 1",
    ),
    "program that prints unseen": (
        "```python\nprint(1)\n```\n",
        "1:1: this prints what the article does not show: add ```text {.output} with\n1",
    ),
    "program that fails": (
        "```python\nx = 1\nx.y\n```\n",
        "3:1: this raised AttributeError: 'int' object has no attribute 'y'",
    ),
    "program that does not parse": (
        "```python\nx = 1\ny = = 2\n```\n",
        "3:5: this is not Python: invalid syntax",
    ),
    "unknown experiment": (
        '```text {.output of="tiyn.py"}\nall checks passed\n```\n',
        "1:18: there is no experiment tiyn.py in docs/en/experiments",
    ),
    "session without a statement": (
        "```python\n>>> # nothing\n```\n",
        "1:1: this session runs nothing: write a statement behind >>>",
    ),
    "program without a statement": (
        "```python\n# nothing\n```\n",
        "1:1: this program runs nothing: write a statement",
    ),
    "output of a program that prints nothing": (
        "```python\nx = 1\n```\n\n```text {.output}\n```\n",
        "5:1: nothing is printed, so there is nothing to show: delete this output",
    ),
    "output without lines": (
        "```python\nprint(1)\n```\n\n```text {.output}\n```\n",
        "6:1: output: the article says nothing, the engine says `1`; to let",
    ),
    "experiment that is shown without a line": (
        '```text {.output of="tiny.py"}\n```\n',
        "1:1: this shows nothing of tiny.py: copy at least one line of it",
    ),
    "excerpt of blank lines": (
        '```python {.excerpt of="tiny.py"}\n\n```\n',
        "1:1: this shows nothing of tiny.py: copy at least one line of it",
    ),
    "value without an expression": (
        'It gives `()`{: value=""} there.\n',
        "1:11: an expression is missing here: say what gives the value",
    ),
    "snapshot of a remark": (
        "<!-- snapshot: # rows -->\n| a |\n|---|\n| `b` |\n",
        "1:16: an expression is missing here: say what gives the value",
    ),
    "value that is blank": (
        "It gives ` `{: value=\"''\"} there.\n",
        "1:12: '' gives an empty text, which shows nothing",
    ),
    "graph of nothing": (
        "```mermaid {graph=\"''\"}\n```\n",
        "1:1: '' gives an empty text, which draws nothing",
    ),
    "row of empty values": (
        "<!-- snapshot: [('',)] -->\n| a |\n|---|\n| |\n",
        "4:1: nothing in this row is checked: give a cell a value",
    ),
    "call that is none": (
        "<!-- calls: [()] -->\n1. `core.make_vjp`\n",
        "1:13: `[()]` gives () as a call, not a name",
    ),
    "run that cannot be watched": (
        "<!-- source-table: f -->\n| symbol | called by | calls | input and output | role |\n"
        "|---|---|---|---|---|\n| `core.make_vjp` | | | | |\n",
        "1:20: `edges(f)` raised TypeError: f() missing 1 required positional argument: 'x'",
    ),
    "row that names nothing": (
        "<!-- correspondence -->\n| theory | in the engine |\n|---|---|\n| `seed` | ones |\n",
        "4:1: this row names nothing of the engine: name its part",
    ),
    "ablation that raises anything": (
        '```python {.ablation of="#src-toy-double" expect="raises " run="double(3.0)"}\n'
        "def double(x):\n    raise TypeError(x)\n```\n",
        "1:43: with this variant, double(3.0): the article says `raises`, the engine says "
        "`raises NameError: name 'double' is not defined`",
    ),
    "value": (
        'It gives `6.1`{: value="grad(f)(3.0)"} there.\n',
        "1:11: the value of grad(f)(3.0): the article says `6.1`, the engine says `6.0`; to let",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_complaint(kinds_book: Path, name: str) -> None:
    text, wanted = CASES[name]
    found = complaints(kinds_book, text)
    assert len(found) == 1, found
    assert found[0].startswith(wanted)


def test_a_block_without_its_module_is_drift(kinds_book: Path) -> None:
    text = (kinds_book / KINDS).read_text(encoding="utf-8")
    line = text[: text.index("{#src-toy-double")].count("\n") + 1
    block = '```python {#src-new file="literate_ad/toy.py"}\nx = 1\n```\n'
    assert complaints(kinds_book, block)[0].startswith(
        "1:1: literate_ad/toy.py has no block #src-new"
    )
    (kinds_book / "literate_ad/toy.py").unlink()
    checks = article_checks(parse_article(KINDS, text))
    source = next(check for check in checks if check.kind == "block")
    (error,) = Articles(Book(kinds_book)).complaints(source, {})
    assert error.line == line
    assert error.message.startswith("literate_ad/toy.py does not exist yet")


def test_an_ablation_leaves_the_engine_as_it_was(kinds_book: Path) -> None:
    import sys

    import literate_ad.core as core

    modules = {name: module for name, module in sys.modules.items() if "literate_ad" in name}
    text = (kinds_book / KINDS).read_text(encoding="utf-8")
    assert Articles(Book(kinds_book)).complaints_about(KINDS, text) == []
    assert all(sys.modules[name] is module for name, module in modules.items())
    assert core.make_vjp is sys.modules["literate_ad"].core.make_vjp


def test_a_merged_variant_keeps_what_it_does_not_mention(kinds_book: Path) -> None:
    text = (
        "```python\n>>> from literate_ad.toy import quadruple\n```\n\n"
        '```python {.ablation of="#src-toy-double" expect="8.0 instead of 12.0" '
        'run="quadruple(3.0)"}\n'
        "def double(x):\n    return x + 1 if x > 3 else x + 4\n```\n"
    )
    assert complaints(kinds_book, text) == []


def test_an_ablation_runs_the_last_expression(kinds_book: Path) -> None:
    text = (
        "```python\n>>> from literate_ad.toy import double\n>>> double(3.0)\n6.0\n"
        ">>> x = 1\n```\n\n"
        '```python {.ablation of="#src-toy-double" expect="3.0 instead of 6.0"}\n'
        "def double(x):\n    return x\n```\n"
    )
    assert complaints(kinds_book, text) == []


def test_shown_values_are_plain() -> None:
    import numpy as np

    value = (np.float64(3.0), [np.float32(0.5)], {"a": np.array([1.0, 2.0])}, "b")
    assert shown(value) == "(3.0, [0.5], {'a': [1. 2.]}, 'b')"
    assert shown((np.float64(1.0),)) == "(1.0,)"
    assert shown("b") == "b"


# --- tables and lists


CELL = st.lists(st.sampled_from([*"ab1 |`", "\\|", "``"]), max_size=7).map("".join)
ROWS = st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=1, max_size=4)


@given(ROWS)
def test_tables_are_cut_as_python_markdown_cuts_them(rows: list[list[str]]) -> None:
    lines = ["| h | i |", "|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    text = "\n".join(lines)
    code = r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)"
    assume(all("`" not in re.sub(code, "", cell) for row in rows for cell in row))
    html = Markdown(extensions=["tables"]).convert(text)
    ours = read_table(text, 0)
    theirs = re.findall(r"<tr>(.*?)</tr>", html, re.S)[1:]
    assert ours is not None
    for row, line in zip(ours.rows, theirs, strict=True):
        cells = re.findall(r"<td>(.*?)</td>", line, re.S)
        codes = [re.findall(r"<code>(.*?)</code>", cell, re.S) for cell in cells]
        mine = [[span.text for span in cell.spans] for cell in row.cells][: len(cells)]
        assert mine + [[]] * (len(cells) - len(mine)) == codes


def test_spans_know_their_places_and_braces() -> None:
    text = "a `b` and `` c`d `` then `6.0`{: value=\"f({'x': 1})\" } and `e`{ not braces"
    spans = list(find_spans(text, 0, len(text)))
    assert [text[span.start : span.end] for span in spans] == ["b", "c`d", "6.0", "e"]
    assert [dict(span.attrs) for span in spans] == [{}, {}, {"value": "f({'x': 1})"}, {}]
    assert text[slice(*spans[2].outer)] == "`6.0`{: value=\"f({'x': 1})\" }"


def test_list_items_go_on_over_lines() -> None:
    text = "1. `a` takes\n   `b`\n\n   and `c`\n2. `d`\n\nend `e`\n"
    items = read_list(text, 0)
    assert [[span.text for span in item.spans] for item in items] == [["a", "b", "c"], ["d"]]
    assert [item.number for item in items] == [1, 2]


def test_digits_in_code_and_addresses_are_not_stray() -> None:
    text = "`1` [two](04-tracer.md) 3"
    assert [
        text[i] for i in stray_digits(text, 0, len(text), tuple(find_spans(text, 0, len(text))))
    ] == ["3"]


# --- symbols


@pytest.mark.parametrize(
    ("caller", "called"),
    [
        ("differential_operators.grad", "core.make_vjp"),
        ("core.make_vjp", "tracer.trace"),
        ("core.make_vjp", "core.VJPNode.new_root"),
        ("core.make_vjp", "core.Pullback"),
        ("wrap_util.DerivedFunction.__call__", "wrap_util.DerivedFunction.__call__.unary_f"),
        ("numpy.numpy_boxes.box_float", "numpy.numpy_boxes.ArrayBox"),
    ],
)
def test_edges_of_the_engine(caller: str, called: str) -> None:
    first, second = resolve("literate_ad", caller), resolve("literate_ad", called)
    assert first is not None
    assert second is not None
    assert uses(first, second)
    assert not uses(second, first)


def test_names_of_nothing() -> None:
    assert resolve("literate_ad", "core.make_vpj") is None
    assert resolve("literate_ad", "nowhere.make_vjp") is None
    assert resolve("literate_ad", "core.make_vjp(f)") is None


def test_a_function_inside_another_exists_by_its_source_alone() -> None:
    symbol = resolve("literate_ad", "wrap_util.DerivedFunction.__call__.unary_f")
    assert symbol is not None
    assert symbol.value is MISSING


# --- pytest


def run(pytester: pytest.Pytester, root: Path, *args: str) -> pytest.RunResult:
    options = [
        f"--rootdir={root}",
        "-pliterate_book.check.plugin",
        "-pno:cacheprovider",
        "--tb=short",
    ]
    return pytester.runpytest_inprocess(*options, *args, str(root))


def test_pytest_runs_every_check_and_the_experiment(
    pytester: pytest.Pytester, kinds_book: Path
) -> None:
    outcome = run(pytester, kinds_book).parseoutcomes()
    text = (kinds_book / KINDS).read_text(encoding="utf-8")
    assert outcome == {"passed": text.count("\n>>> ") + text.count("    >>> ") + 17}


def test_pytest_names_the_line_and_how_to_accept_it(
    pytester: pytest.Pytester, kinds_book: Path
) -> None:
    path = kinds_book / KINDS
    path.write_text(path.read_text(encoding="utf-8").replace("10.0 60.0", "10.0 61.0"))
    result = run(pytester, kinds_book)
    result.stdout.fnmatch_lines(
        [f"{KINDS}:31:1: output: the article says*", "*10.0 60.0", "to let * pytest --update-book"]
    )
    assert result.parseoutcomes()["failed"] == 1


def test_tracebacks_name_the_article(pytester: pytest.Pytester, kinds_book: Path) -> None:
    path = kinds_book / KINDS
    text = path.read_text(encoding="utf-8").replace(
        ">>> grad(f)(3.0)", '>>> double("a") - quadruple(1)'
    )
    path.write_text(text.replace("return x + x", "return x / 0"), encoding="utf-8")
    for file, module in assemble(read_book(kinds_book), load_config(kinds_book)).files.items():
        (kinds_book / file).write_text(module, encoding="utf-8")
    line = text[: text.index("return x + x")].count("\n") + 1
    test = kinds_book / "test_toy.py"
    test.write_text("from literate_ad.toy import quadruple\n\n\ndef test():\n    quadruple(1.0)\n")
    place = f"{KINDS}:{line} #src-toy-double"
    for style in ("short", "long", "native"):
        result = run(pytester, test, f"--tb={style}", "--rootdir", str(kinds_book))
        result.stdout.fnmatch_lines([f"*toy.py*{place}*"])
    result = run(pytester, path, "--rootdir", str(kinds_book))
    assert result.parseoutcomes()["failed"] == 4
    result.stdout.fnmatch_lines([f"*toy.py*{place}*"])


def test_an_article_that_cannot_be_read_fails_at_its_line(
    pytester: pytest.Pytester, kinds_book: Path
) -> None:
    path = kinds_book / KINDS
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<!-- snapshot: [(", "<!-- snapshop: [("), encoding="utf-8")
    result = run(pytester, kinds_book)
    result.stdout.fnmatch_lines([f"{KINDS}:*:1: no check is called “snapshop”*"])
    assert result.parseoutcomes()["errors"] == 1


def test_update_writes_what_the_engine_says(pytester: pytest.Pytester, kinds_book: Path) -> None:
    path = kinds_book / KINDS
    right = path.read_text(encoding="utf-8")
    wrong = right
    for old, new in {
        "np.float64(6.0)": "np.float64(6.5)",
        "TypeError: grad": "TypeError: Grad",
        "1.0 6.0\n10.0 60.0\n": "1.0 60.0\n",
        "gives `6.0`{:": "gives `6.1`{:",
        "(3.0, 3.0)": "(3.0, 4.0)",
        "`a` and `b`": "`a` and `c`",
        "takes `2.0`": "takes `2.5`",
        'v1["multiply = 9.0"]': 'v2["multiply = 9.0"]',
        "gradient: 6.0": "gradient: 7.0",
        "[1.0, 3.0, 3.0]": "[1.0, 3.0]",
    }.items():
        assert wrong.count(old) == 1
        wrong = wrong.replace(old, new)
    path.write_text(wrong, encoding="utf-8")
    result = run(pytester, kinds_book, "--update-book")
    assert result.ret == 0
    assert path.read_text(encoding="utf-8") == right
    result.stdout.fnmatch_lines([f"rewritten {KINDS}:*: `np.float64(6.5)` -> `np.float64(6.0)`"])
    assert str(result.stdout).count("rewritten ") == 10
    result = run(pytester, kinds_book, "--update-book")
    result.stdout.fnmatch_lines(["*nothing to rewrite"])
    assert path.read_text(encoding="utf-8") == right


def test_update_leaves_to_people_what_is_theirs(
    pytester: pytest.Pytester, kinds_book: Path
) -> None:
    path = kinds_book / KINDS
    wrong = path.read_text(encoding="utf-8").replace("27.0 instead", "28.0 instead")
    path.write_text(wrong, encoding="utf-8")
    assert run(pytester, kinds_book, "--update-book").parseoutcomes()["failed"] == 1
    assert path.read_text(encoding="utf-8") == wrong


def test_update_leaves_code_with_backticks_to_people(kinds_book: Path) -> None:
    updates = Updates()
    articles = Articles(Book(kinds_book), updates)
    table = "<!-- snapshot: [[chr(96)]] -->\n| h |\n|---|\n| `a` |\n"
    text = f'It is `a`{{: value="chr(96)"}}.\n\n{table}'
    assert [error.line for error in articles.complaints_about(KINDS, text)] == [1, 6]
    assert updates.findings == {}


def test_update_writes_nothing_over_an_edit_made_meanwhile(kinds_book: Path) -> None:
    path = kinds_book / KINDS
    wrong = path.read_text(encoding="utf-8").replace("10.0 60.0", "10.0 61.0")
    updates = Updates()
    assert Articles(Book(kinds_book), updates).complaints_about(KINDS, wrong) == []
    path.write_text(edited := f"{wrong}\nOne more sentence.\n", encoding="utf-8")
    with pytest.raises(BookErrors, match="this article was changed during the run"):
        updates.apply(kinds_book)
    assert path.read_text(encoding="utf-8") == edited
    path.write_text(wrong, encoding="utf-8")
    assert updates.apply(kinds_book) == [f"{KINDS}:31: `10.0 61.0` -> `10.0 60.0`"]


def test_a_failing_experiment_is_reported_at_its_line(
    pytester: pytest.Pytester, kinds_book: Path
) -> None:
    path = kinds_book / "docs/en/experiments/tiny.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("== 6.0", "== 7.0"), encoding="utf-8")
    line = text[: text.index("assert")].count("\n") + 1
    result = run(pytester, path.parent, f"--rootdir={kinds_book}")
    result.stdout.fnmatch_lines([f"docs/en/experiments/tiny.py:{line}:1: this failed:"])
    path.write_text("print('all checks passed')\n", encoding="utf-8")
    with pytest.raises(BookError, match="nothing in this script can fail"):
        run_experiment(Book(kinds_book), "tiny.py")
    path.write_text("assert True\nprint('no checks passed')\n", encoding="utf-8")
    with pytest.raises(BookError, match="the last line printed must be"):
        run_experiment(Book(kinds_book), "tiny.py")
