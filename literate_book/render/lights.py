"""What is highlighted together on a page: a node of a drawn run, the lines that it comes from, and
the rows of tables about it. ``assets/lights.js`` does it; without a script they are links.
"""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from literate_book.record.matching import drawn_run, draws_run, subject
from literate_book.render.listings import PROMPT, Here, Marks, statement
from literate_book.source.articles import Fence

HINT = "Point at a node, or tap it, to see the lines it comes from and the rows about it."
Spot = tuple[int, int]  # a fence of the page, by its number, and a line: of a listing, or a module


@dataclass(frozen=True)
class DrawnNode:
    """A node of a graph: its key on the page, its id in the drawing, its name in tables, what it
    is in words, the lines that it comes from, and which pieces of them.
    """

    key: str
    node: str
    name: str
    said: str
    lines: tuple[Spot, ...]
    pieces: str


def figure_name(fence: Fence, number: int) -> str:
    """The id of the figure of a drawing; the keys of its nodes begin with it."""
    return fence.id or f"drawing-{number}"


class Spots:
    """The lines of a page's listings: where those of the package are, their ids, their words."""

    def __init__(self, here: Here, fences: Sequence[Fence]) -> None:
        self.here, self.fences = here, fences
        self.blocks = {fence.id: number for number, fence in enumerate(fences) if fence.is_source}

    def block(self, file: str, line: int) -> Spot | None:
        """Where a block has a line of the package."""
        place = self.here.web.block_at(file, line)
        number = self.blocks.get(place.fence.id) if place else None
        return None if number is None else (number, line)

    def name(self, spot: Spot) -> str:
        """The id of a line on the page."""
        number, line = spot
        return f"{self.fences[number].id or f'listing-{number + 1}'}-{line}"

    def piece(self, spot: Spot, place: dict[str, Any]) -> str:
        """Where in a line an expression stands: ``listing-1-4:15-20``, counted in letters."""
        line = self.text(spot)
        prompt = PROMPT.match(line)
        shift = prompt.end() if prompt else 0
        code = line[shift:].encode()
        begin, length = (len(code[:to].decode()) for to in (place["start"], place["end"]))
        return f"{self.name(spot)}:{shift + begin}-{shift + length}" if length else ""

    def text(self, spot: Spot) -> str:
        """A line as the listing shows it."""
        number, line = spot
        fence = self.fences[number]
        first = self.here.web.places[fence.id].first_line if fence.is_source else 1
        return fence.body.splitlines()[line - first]

    def words(self, spot: Spot) -> str:
        """A line in words: where it stands, and what it says."""
        number, line = spot
        fence = self.fences[number]
        where = inside(fence.attrs["file"]) if fence.is_source else f"listing {number + 1}"
        return f"line {line} of {where}: {statement(self.text(spot))}"


def inside(file: str) -> str:
    """A module's file without the name of the package."""
    return file.partition("/")[2]


class Lights:
    """The nodes drawn on a page, and the lines of its listings that they come from."""

    def __init__(
        self,
        spots: Spots,
        steppers: Sequence[dict[str, Any]] = (),
        graphs: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.spots, self.fences, self.steppers = spots, spots.fences, steppers
        self.nodes: dict[int, list[DrawnNode]] = {}
        self.lines: dict[Spot, list[DrawnNode]] = {}
        drawn = [number for number, fence in enumerate(self.fences) if draws_run(fence)]
        for number, graph in zip(drawn, graphs, strict=bool(graphs)):
            figure = figure_name(self.fences[number], number)
            self.nodes[number] = [self.node(figure, node) for node in graph["nodes"]]
        for step in (step for stepper in steppers for step in stepper["steps"]):
            if spot := step["at"]:
                self.lines.setdefault(tuple(spot), [])

    def node(self, figure: str, node: dict[str, Any]) -> DrawnNode:
        """A recorded node; its lines refer to it."""
        found = [(node["at"] and tuple(node["at"]), node["program"])]
        engine = [(self.spots.block(each["file"], each["line"]), each) for each in node["engine"]]
        found += [each for each in engine if each[0]][:1]
        lines = {spot: self.spots.piece(spot, place) for spot, place in found if spot}
        said = [node["label"], *map(self.spots.words, lines)]
        if engine and not engine[0][0]:
            said.append(f"line {engine[0][1]['line']} of {inside(engine[0][1]['file'])}")
        names = f"{figure}-{node['id']}", node["id"], node["name"], "; ".join(said)
        drawn = DrawnNode(*names, tuple(lines), " ".join(filter(None, lines.values())))
        for spot in lines:
            self.lines.setdefault(spot, []).append(drawn)
        return drawn


def frames(lights: Lights, number: int) -> dict[str, str]:
    """The opening tags around the nodes of a drawing: links, where the line is on the page."""
    found = {}
    for node in lights.nodes.get(number, []):
        tag, told = 'g role="img" tabindex="0"', {"id": node.key, "class": "lamp"}
        if node.lines:
            tag = f'a href="#{lights.spots.name(node.lines[0])}"'
        told |= {"data-lights": node.key, "aria-label": node.said, "data-pieces": node.pieces}
        attributes = " ".join(f'{key}="{escape(value)}"' for key, value in told.items() if value)
        found[node.node] = f"<{tag} {attributes}>"
    return found


def marks(lights: Lights, number: int) -> Marks:
    """What is special about lines of a listing: ids, the keys of their nodes, and a link back."""
    lines = {line: nodes for (at, line), nodes in lights.lines.items() if at == number}
    return {
        line: (lights.spots.name((number, line)), keys_of(nodes), back(nodes))
        for line, nodes in lines.items()
    }


def connect(
    lights: Lights, table: ET.Element, expression: str, store: Callable[[str], str]
) -> None:
    """Give the rows of a table the keys of the nodes that they are about."""
    fence = drawn_run(lights.fences, expression)
    number = next((at for at, each in enumerate(lights.fences) if each is fence), -1)
    nodes = {node.name: node for node in lights.nodes.get(number, [])}
    for row in table.iter("tr"):
        first = next(row.iter("code"), None)
        node = None if first is None else nodes.get(subject("".join(first.itertext())))
        if first is not None and node:
            row.set("data-lights", node.key)
            link_code(first, node, store)


def keys_of(nodes: Sequence[DrawnNode]) -> str:
    """The attribute that says which nodes a line belongs to."""
    return f' data-lights="{" ".join(node.key for node in nodes)}"' if nodes else ""


def back(nodes: Sequence[DrawnNode]) -> str:
    """The link at the end of a line to the first node that it made; it holds no text."""
    if not nodes:
        return ""
    names = ", ".join(dict.fromkeys(node.name for node in nodes))
    return f'<a class="lamp" href="#{nodes[0].key}" aria-label="In the graph: {names}"></a>'


def link_code(code: ET.Element, node: DrawnNode, store: Callable[[str], str]) -> None:
    """Make the first code of a row a link to its node.

    It is stored, as the drawing is: a check of the tree's links would not find the id.
    """
    inner, tail = ET.tostring(code, encoding="unicode", method="html"), code.tail
    inner = inner.removesuffix(tail or "")
    code.clear()
    code.tag, code.tail = "span", tail
    code.text = store(f'<a class="lamp" href="#{node.key}">{inner}</a>')
