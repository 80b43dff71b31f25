"""What lights together on a page: a node of a drawn run, the lines that asked for it, and the
rows of tables that tell of it. ``assets/lights.js`` lights them; without it they are links.
"""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from literate_book.record.runs import drawn_run, draws_run, subject
from literate_book.render.diagrams import SVG
from literate_book.render.listings import PROMPT, Here, Marks, statement
from literate_book.source.articles import Fence

HINT = "Point at a node, or tap it, to see where it comes from and which rows tell of it."
Spot = tuple[int, int]  # a fence of the page, by its number, and a line: of a listing, or a module


@dataclass(frozen=True)
class Lamp:
    """A node of a graph: its key on the page, its id in the drawing, its name in tables, what it
    is in words, the lines that asked for it, and which pieces of them.
    """

    key: str
    node: str
    name: str
    said: str
    lines: tuple[Spot, ...]
    pieces: str


def figure_name(fence: Fence, number: int) -> str:
    """The id of the figure of a drawing; the keys of its lamps begin with it."""
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

    def piece(self, spot: Spot, start: int, end: int) -> str:
        """Where in a line an expression stands: ``listing-1-4:15-20``, counted in letters."""
        line = self.text(spot)
        prompt = PROMPT.match(line)
        shift = prompt.end() if prompt else 0
        code = line[shift:].encode()
        begin, length = (len(code[:to].decode()) for to in (start, end))
        return f"{self.name(spot)}:{shift + begin}-{shift + length}" if end else ""

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
    """The lamps of a page, and the lines of its listings that light with them."""

    def __init__(
        self,
        spots: Spots,
        steppers: Sequence[dict[str, Any]] = (),
        graphs: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.spots, self.fences, self.steppers = spots, spots.fences, steppers
        self.lamps: dict[int, list[Lamp]] = {}
        self.lines: dict[Spot, list[Lamp]] = {}
        drawn = [number for number, fence in enumerate(self.fences) if draws_run(fence)]
        for number, graph in zip(drawn, graphs, strict=bool(graphs)):
            figure = figure_name(self.fences[number], number)
            self.lamps[number] = [self.lamp(figure, node) for node in graph["nodes"]]
        for step in (step for stepper in steppers for step in stepper["steps"]):
            if spot := step["at"]:
                self.lines.setdefault(tuple(spot), [])
            step["at"] = spots.name(spot) if spot else ""

    def lamp(self, figure: str, node: dict[str, Any]) -> Lamp:
        """The lamp of a recorded node. Its lines are told of it."""
        found = [(node["at"] and tuple(node["at"]), node["columns"])]
        engine = [(self.spots.block(*each[:2]), each[2:]) for each in node["engine"]]
        found += [each for each in engine if each[0]][:1]
        lines = {spot: self.spots.piece(spot, *columns) for spot, columns in found if spot}
        said = [node["label"], *map(self.spots.words, lines)]
        if engine and not engine[0][0]:
            said.append(f"line {node['engine'][0][1]} of {inside(node['engine'][0][0])}")
        names = f"{figure}-{node['id']}", node["id"], node["name"], "; ".join(said)
        lamp = Lamp(*names, tuple(lines), " ".join(filter(None, lines.values())))
        for spot in lines:
            self.lines.setdefault(spot, []).append(lamp)
        return lamp


def around(lights: Lights, number: int) -> dict[str, ET.Element]:
    """What is put around the nodes of a drawing: links, where the line is on the page."""
    frames = {}
    for lamp in lights.lamps.get(number, []):
        told = {"id": lamp.key, "class": "lamp", "data-lights": lamp.key, "aria-label": lamp.said}
        told |= {"data-pieces": lamp.pieces} if lamp.pieces else {}
        if lamp.lines:
            href = f"#{lights.spots.name(lamp.lines[0])}"
            frames[lamp.node] = ET.Element(f"{SVG}a", told, href=href)
        else:
            frames[lamp.node] = ET.Element(f"{SVG}g", told, role="img", tabindex="0")
    return frames


def marks(lights: Lights, number: int) -> Marks:
    """What is special about lines of a listing: ids, the keys of their lamps, and a link back."""
    lines = {line: lamps for (at, line), lamps in lights.lines.items() if at == number}
    return {
        line: (lights.spots.name((number, line)), keys_of(lamps), back(lamps))
        for line, lamps in lines.items()
    }


def connect(
    lights: Lights, table: ET.Element, expression: str, store: Callable[[str], str]
) -> None:
    """Give the rows of a table the keys of the nodes that they tell of."""
    fence = drawn_run(lights.fences, expression)
    number = next((at for at, each in enumerate(lights.fences) if each is fence), -1)
    lamps = {lamp.name: lamp for lamp in lights.lamps.get(number, [])}
    for row in table.iter("tr"):
        first = next(row.iter("code"), None)
        lamp = None if first is None else lamps.get(subject("".join(first.itertext())))
        if first is not None and lamp:
            row.set("data-lights", lamp.key)
            link_code(first, lamp, store)


def keys_of(lamps: Sequence[Lamp]) -> str:
    """The attribute that says with which lamps a line lights."""
    return f' data-lights="{" ".join(lamp.key for lamp in lamps)}"' if lamps else ""


def back(lamps: Sequence[Lamp]) -> str:
    """The link at the end of a line to the first node that it asked for; it holds no text."""
    if not lamps:
        return ""
    names = ", ".join(dict.fromkeys(lamp.name for lamp in lamps))
    return f'<a class="lamp" href="#{lamps[0].key}" aria-label="In the graph: {names}"></a>'


def link_code(code: ET.Element, lamp: Lamp, store: Callable[[str], str]) -> None:
    """Make the first code of a row a link to its node.

    It is stored away, as the drawing is: who checks the links of the tree knows no id of either.
    """
    inner, tail = ET.tostring(code, encoding="unicode", method="html"), code.tail
    inner = inner.removesuffix(tail or "")
    code.clear()
    code.tag, code.tail = "span", tail
    code.text = store(f'<a class="lamp" href="#{lamp.key}">{inner}</a>')
