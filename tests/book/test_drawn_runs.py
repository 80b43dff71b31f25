"""What lights together: nodes of drawn runs, the lines that asked for them, rows that tell of them.

The lines are compared with what Python itself says of the same function: which lines run, by
``sys.settrace``, and which operations stand in them, by ``ast``. No node takes part in that.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from markdown import markdown
from small_book import make_book
from test_checkers import SETUP, complaints

import literate_ad.numpy as np
from literate_ad import deriv, grad, make_jvp
from literate_book.check.checkers import Graph, Snapshot
from literate_book.check.checks import Book, Namespace, evaluate
from literate_book.check.documents import article_checks
from literate_book.check.examples import Program, Prompt
from literate_book.check.replay import recordings
from literate_book.record import watch
from literate_book.record.matching import drawn_run, draws_run, run_of, subject
from literate_book.record.recorder import graph
from literate_book.render.lights import HINT
from literate_book.render.listings import statement
from literate_book.render.markdown import BookExtension
from literate_book.source.articles import Article, read_book
from literate_book.source.config import book_root

ROOT = book_root(Path(__file__))
ARTICLES = {article.path: article for article in read_book(ROOT)}
LIT = [path for path, each in ARTICLES.items() if any(map(draws_run, each.fences))]

Operation = tuple[int, str]  # a line and what is done there
OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.MatMult: "matmul",
    ast.USub: "negative",
}
# Functions that make an array of a list, and the primitive that each of them records.
JOINED = {"array": "stack_args", "concatenate": "concatenate_args"}

# Functions that make an array of constants, which is no operation.
CONSTANTS = {"zeros", "ones", "full"}


def operations(code: ast.AST) -> Iterator[str]:
    """The names of the operations of a statement, in the order of their happening."""
    if isinstance(code, ast.Assign):
        yield from operations(code.value)
        yield from ("getitem" for each in code.targets for _ in getattr(each, "elts", ()))
        yield from ("assigned" for each in code.targets if isinstance(each, ast.Subscript))
        return
    for inner in ast.iter_child_nodes(code):
        yield from operations(inner)
    if isinstance(code, ast.BinOp | ast.UnaryOp):
        yield OPERATORS[type(code.op)]
    if isinstance(code, ast.Call) and isinstance(code.func, ast.Attribute):
        yield from [JOINED.get(name, name) for name in {code.func.attr} - CONSTANTS]
    if isinstance(code, ast.Subscript):
        key = isinstance(code.slice, ast.Constant) and isinstance(code.slice.value, str)
        yield "container_take" if key else "getitem"


def lines_run(thunk: Callable[[], Any], file: str) -> list[int]:
    """The lines of a file that run, inside of the functions that ``thunk`` calls."""
    found: list[int] = []

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != file or frame.f_code.co_name.startswith("<"):
            return None
        if event == "line":
            found.append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        thunk()
    finally:
        sys.settrace(before)
    return found


def asked(article: Article, thunk: Callable[[], Any]) -> Iterator[Operation]:
    """The operations of an article's function, by the lines of the article that run."""
    lines = article.text.split("\n")
    for line in lines_run(thunk, str(ROOT / article.path)):
        try:
            code = ast.parse(statement(lines[line - 1]))
        except SyntaxError:  # the head of a compound statement
            continue
        yield from ((line, name) for name in operations(code))


def until(article: Article, kind: type) -> Iterator[tuple[Any, Namespace]]:
    """Each check of a kind, with the namespace that the article has made so far."""
    namespace: Namespace = {"__name__": "__main__"}
    for check in article_checks(article):
        if isinstance(check, Prompt | Program):
            list(check.findings(Book(ROOT), namespace))
        elif isinstance(check, kind):
            yield check, namespace


def line_of(article: Article, spot: tuple[int, int]) -> int:
    """The line of an article that a line of an example is."""
    number, line = spot
    return article.fences[number].line + line


def differences(article: Article) -> Iterator[tuple[list[Operation], list[Operation]]]:
    """For each drawn run of an article: what its nodes say of their lines, and what Python says."""
    graphs = iter(recordings(Book(ROOT), article)["graphs"])
    for check, namespace in until(article, Graph):
        if not draws_run(check.fence):
            continue
        nodes = next(graphs)["nodes"]
        fun, *_ = run_of(check.fence.attrs["graph"])
        if fun.startswith("lambda") or hasattr(namespace.get(fun), "fun"):
            continue  # a function in the directive itself, or a primitive: no line of an example
        told = [
            (line_of(article, node["at"]), node["label"].split(" = ")[0])
            for node in nodes
            if node["at"] and not node["label"].startswith("root ")
        ]
        arguments = ", ".join(run_of(check.fence.attrs["graph"]))
        run = evaluate(
            Book(ROOT),
            check,
            f"lambda: call({arguments})",
            check.start,
            {**namespace, "call": lambda fun, *args: fun(*args)},
        )
        yield told, list(asked(article, run))


def test_the_book_has_lights() -> None:
    series = [path for path in ARTICLES if "/articles/" in path]
    assert [Path(path).stem.partition("-")[0] for path in series if path not in LIT] == ["13", "15"]


@pytest.mark.parametrize("path", LIT)
def test_a_node_is_from_the_line_whose_operation_it_is(path: str) -> None:
    found = list(differences(ARTICLES[path]))
    assert [told for told, _ in found] == [said for _, said in found]
    assert all(told for told, _ in found)


def test_a_wrong_line_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = watch.program_line

    def wrong(frame: FrameType) -> watch.Location:
        place = right(frame)
        return watch.Location(place.file, place.line + 1)

    monkeypatch.setattr(watch, "program_line", wrong)
    found = list(differences(ARTICLES[LIT[2]]))
    assert found
    assert all(told != said for told, said in found)


def test_most_articles_with_a_drawn_run_draw_one_of_an_example() -> None:
    assert sum(bool(list(differences(ARTICLES[path]))) for path in LIT) > len(LIT) / 2


def code_of(place: watch.Location) -> str:
    """A piece of a line of the package."""
    line = (ROOT / place.file).read_text().split("\n")[place.line - 1]
    return line.encode()[place.start : place.end].decode()


@pytest.mark.parametrize("path", LIT)
def test_a_piece_of_a_line_is_the_operation_of_its_node(path: str) -> None:
    lines = ARTICLES[path].text.split("\n")
    for drawn in recordings(Book(ROOT), ARTICLES[path])["graphs"]:
        for node in drawn["nodes"][1:]:
            start, end = node["program"]["start"], node["program"]["end"]
            name = node["label"].split(" = ")[0]
            if name.startswith("root "):
                continue
            if node["at"]:
                line = line_of(ARTICLES[path], node["at"])
                shift = 4 if lines[line - 1].startswith((">>> ", "... ")) else 0
                piece = lines[line - 1][shift + start : shift + end]
            elif node["engine"]:
                piece = code_of(watch.Location(**node["engine"][0]))
            else:
                continue  # the drawn function is a primitive, or stands in the directive
            if name == "getitem" and piece in ("a, b", "record(getitem, (x, index), {})"):
                continue
            code = ast.parse(piece, mode="eval").body
            said = list(operations(code))[-1:]
            if isinstance(code, ast.Call):  # also of a primitive that has no module before it
                said.append(ast.unparse(code.func).rpartition(".")[2])
            assert name in said or (said, name) == (["getitem"], "assigned"), piece


def test_the_engine_is_named_where_the_engine_asked() -> None:
    drawn = graph(grad(lambda x: x * x * x), 3.0)
    found = {node.name: node.engine for node in drawn.nodes}
    assert found["multiply"] == found["multiply_2"] == []
    rule, *others = found["multiply_3"]
    assert rule.file == "literate_ad/numpy/rules/arithmetic.py"
    assert code_of(rule) in ("g * y", "g * x", "g * kept")
    assert "literate_ad/core.py" in [place.file for place in others]
    assert code_of(found["add"][0]).startswith("before + ")


def test_a_forward_run_is_drawn_with_its_lines() -> None:
    def cube(x: Any) -> Any:
        return x * x * x

    for fun in (deriv(cube), lambda x: make_jvp(cube)(x)(1.0)[1]):
        nodes = graph(fun, 3.0).nodes
        assert [node.name for node in nodes][:3] == ["x", "multiply", "multiply_2"]
        line = cube.__code__.co_firstlineno + 1
        assert {(each.program.file, each.program.line) for each in nodes[1:]} == {(__file__, line)}
    assert graph(deriv(cube), 3.0).nodes[0].program == watch.Location(__file__, line - 1)


def test_an_expression_over_several_lines_is_known_by_its_first() -> None:
    def long(x: Any) -> Any:
        return np.add(
            x,
            x,
        )

    [_, node] = graph(long, 3.0).nodes
    assert node.program == watch.Location(__file__, long.__code__.co_firstlineno + 1)


def test_a_drawing_has_a_direction() -> None:
    lines = graph(abs, 3.0).splitlines()
    assert graph(abs, 3.0, direction="TB").splitlines() == ["graph TB", *lines[1:]]


@pytest.mark.parametrize(
    ("expression", "run"),
    [
        ("graph(f, 3.0)", ("f", "3.0")),
        ("recorder.graph( f,  3.0, direction='TB')", ("f", "3.0")),
        ("recorder.reverse_history(f, 3.0, 2.0)", ("f", "3.0")),
        ("forward_objects(lambda x:x*x, 3.0)", ("lambda x: x * x", "3.0")),
        ("graph(f, a, b)", ("f", "a", "b")),
        ("rows(f, 3.0)", ()),
        ("graph", ()),
        ("graph(f, 3.0).nodes", ()),
        ("graph(", ()),
    ],
)
def test_a_run_is_known_by_its_call(expression: str, run: tuple[str, ...]) -> None:
    assert run_of(expression) == run


def test_a_cell_names_a_node() -> None:
    cells = ["multiply_2", "node x", "box x0", "argument x", "arguments of add", "answer = 1", "()"]
    assert list(map(subject, cells)) == ["multiply_2", "x", "x0", "x", "add", "", ""]


GRAPH = """```mermaid {graph="graph(f, 3.0)"}
graph LR
    x["root x = 3.0"]
    v1["multiply = 9.0"]
    x -- "arg 0" --> v1
    x -- "arg 1" --> v1
    v1 --> output(["output"])
```

"""
ROWS = "<!-- snapshot: {} -->\n| node | {} |\n|---|---|\n| `x` | one |\n| `multiply` | two |\n"
NAMES = "[('x', None), ('multiply', None)]"


def test_a_table_may_say_which_graph_it_tells_of() -> None:
    table = ROWS.format(f'list({NAMES}) of="recorder.graph(f, 3.0)"', "why")
    assert (
        complaints(
            ROOT,
            "```python\n>>> from literate_book.record import recorder\n```\n\n" + GRAPH + table,
        )
        == []
    )


CASES = {
    "a graph that is not there": (
        ROWS.format(f'list({NAMES}) of="graph(f, 4.0)"', "why"),
        '10:1: of="graph(f, 4.0)" is no graph of this page: give the expression of one',
    ),
    "a row that names nothing": (
        ROWS.format("[('y', None), ('multiply', None)][:] of='graph(f, 3.0)'", "why").replace(
            "| `x` |", "| `y` |"
        ),
        "13:1: the first code of this row names no node of `graph(f, 3.0)`: known are x, multiply",
    ),
    "a list of calls": (
        '<!-- calls: calls(f) of="graph(f, 3.0)" -->\n1. `f`\n',
        '10:1: of="graph(f, 3.0)" is no graph of this page: give the expression of one',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_table_that_tells_of_no_graph_is_refused_at_its_line(name: str) -> None:
    text, expected = CASES[name]
    found = complaints(ROOT, GRAPH + text)
    assert len(found) == 1, found
    assert found[0].startswith(expected)


def rendered(tmp_path: Path, text: str) -> BeautifulSoup:
    """The page of an article."""
    root = make_book(tmp_path, page=text)
    return BeautifulSoup(markdown(text, extensions=[BookExtension(root=str(root))]), "html.parser")


def keys(element: Tag) -> list[str]:
    """What an element lights with."""
    return str(element["data-lights"]).split()


def test_a_page_connects_a_node_its_line_and_its_rows(tmp_path: Path) -> None:
    table = ROWS.format(f'list({NAMES}) of="graph(f, 3.0)"', "why")
    soup = rendered(tmp_path, f"# T\n\n{SETUP}{GRAPH}{table}")
    root, product = soup.select("svg a.lamp")
    assert [root["id"], product["id"]] == ["drawing-1-x", "drawing-1-v1"]
    assert product["aria-label"] == "multiply = 9.0; line 4 of listing 1: return x * x"
    assert product["href"] == "#listing-1-4"
    assert product["data-pieces"] == "listing-1-4:15-20"
    line = soup.select_one("#listing-1-4")
    assert line is not None
    assert line.get_text() == "...     return x * x\n"
    assert line.get_text()[15:20] == "x * x"
    assert keys(line) == ["drawing-1-v1"]
    assert [a["href"] for a in line.select("a")] == ["#drawing-1-v1"]
    assert [keys(row) for row in soup.select("tr[data-lights]")] == [keys(root), keys(product)]
    assert [a["href"] for a in soup.select("td a")] == ["#drawing-1-x", "#drawing-1-v1"]
    assert [each["id"] for each in soup.select(".listing span[id]")] == [
        "listing-1-3",
        "listing-1-4",
    ]
    svg = soup.select_one("svg")
    assert svg is not None
    assert svg["role"] == "group"
    assert soup.select_one(".hint").get_text() == HINT  # type: ignore[union-attr]


def test_letters_are_counted_where_python_counts_bytes(tmp_path: Path) -> None:
    setup = SETUP.replace("x * x", "('äöü', x * x)[1]")
    soup = rendered(tmp_path, f"# T\n\n{setup}{GRAPH}")
    line, node = soup.select_one("#listing-1-4"), soup.select("svg a.lamp")[1]
    assert line is not None
    start, end = map(int, str(node["data-pieces"]).split(":")[1].split("-"))
    assert line.get_text()[start:end] == "x * x"


def test_a_node_from_no_line_of_the_page_can_be_reached(tmp_path: Path) -> None:
    text = GRAPH.replace("graph(f, 3.0)", "graph(lambda x: x * x, 3.0)")
    soup = rendered(tmp_path, f"# T\n\n{SETUP}{text}")
    assert not soup.select("svg a")
    assert [each["tabindex"] for each in soup.select("svg g.lamp")] == ["0", "0"]
    assert not soup.select(".listing [data-lights]")


def test_a_graph_of_no_run_stays_an_image(tmp_path: Path) -> None:
    drawn = '```mermaid {graph="drawing()"}\ngraph LR\n  a --> b\n```\n'
    soup = rendered(tmp_path, f"# T\n\n{drawn}")
    assert [svg["role"] for svg in soup.select("svg")] == ["img"]
    assert not soup.select(".hint, .lamp")


def linked_graph(article: Article, check: Snapshot) -> Any:
    """The graph that a table belongs to."""
    return drawn_run(article.fences, check.directive.of or check.directive.expression)


@pytest.mark.parametrize("path", LIT)
def test_a_table_tells_of_the_run_that_its_graph_draws(path: str) -> None:
    """Names may have changed between the two: where the table stands, the graph is drawn again."""
    for check, namespace in until(ARTICLES[path], Snapshot):
        if fence := linked_graph(ARTICLES[path], check):
            again = evaluate(Book(ROOT), check, fence.attrs["graph"], check.start, namespace)
            assert str(again) == fence.body.rstrip("\n")
