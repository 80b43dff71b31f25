"""How a recorded run looks on the page: a drawing, a list of steps, and what a script plays.

The list and the drawing are complete without a script. ``assets/stepper.js`` hides the list and
shows one step at a time, from the states that are written beside it.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from literate_book.render.diagrams import keep
from literate_book.render.listings import Here, add, add_text
from literate_book.source.articles import parse_article
from literate_book.source.directives import find_directives
from literate_book.source.errors import BookErrors

CACHE = ".cache/steppers"
PACKAGE = Path(__file__).parents[1]


def recorded(root: Path, path: str, text: str) -> dict[str, list[dict[str, Any]]]:
    """What the steppers and graphs of an article recorded: kept from an earlier build, or new."""
    page = parse_article(path, text)
    asked = [each.expression for each in find_directives(page)]
    code = [path, *asked, *(fence.opening + fence.body for fence in page.fences)]
    digest = hashlib.sha256(json.dumps(code).encode())
    for file in sorted(PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    kept = root / CACHE / f"{digest.hexdigest()}.json"
    if not kept.is_file():
        keep(kept, record(root, path))
    found: dict[str, list[dict[str, Any]]] = json.loads(kept.read_bytes())
    return found


def record(root: Path, path: str) -> bytes:
    """Let a new process run the article: this one may have an engine that is out of date."""
    command = [sys.executable, "-m", "literate_book.check.playing", path]
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    if run.returncode:
        sys.stderr.write(run.stderr.decode())
        raise BookErrors([])
    return run.stdout


LONG, BRIEF = 18, re.compile(r"-?\d+\.\d{3,}")


def brief(text: str) -> str:
    """A value short enough for the drawing: two digits behind the point, long arrays by a sign."""
    text = BRIEF.sub(lambda number: f"{float(number[0]):.2f}", text)
    if len(text) > LONG and text.startswith("[["):
        rows = text.count("], [") + 1
        return f"{rows} \N{MULTIPLICATION SIGN} {text.split(']')[0].count(',') + 1} numbers"
    text = text.removeprefix("array of shape ")
    return text if len(text) <= LONG else f"{text[: LONG - 2].rstrip(' ,')} \N{HORIZONTAL ELLIPSIS}"


# All sizes of the drawing are in its own units, which are pixels at full size.
LETTER, HIGH, PAD, BETWEEN, BELOW = 7.3, 24, 9, 34, 22
BOX, NODE, PURSE = 0, 42, 74  # the tops of the three parts of a cell
CELL = PURSE + 22
LANE = 16
# A small drawing is shown larger, a large one shrinks to the page, and a wide one scrolls.
MOST, ROOM, WIDE = 1.35, 600, 1150


class Layout:
    """Where the cells of a graph are: a column for each distance from a root.

    An edge across several columns gets a lane in each that it crosses, so that it passes no cell.
    """

    def __init__(self, nodes: list[tuple[str, str, list[int]]], labels: list[list[str]]) -> None:
        self.nodes, self.column = nodes, list[int]()
        for _, _, parents in nodes:
            self.column.append(1 + max((self.column[each] for each in parents), default=-1))
        self.columns: list[list[Any]] = [[] for _ in range(1 + max(self.column))]
        self.widths = [0.0 for _ in self.columns]
        for number, texts in enumerate(labels):
            self.columns[self.column[number]].append(number)
            width = max(map(len, texts)) * LETTER + 2 * PAD
            self.widths[self.column[number]] = max(width, self.widths[self.column[number]])
            for parent in dict.fromkeys(nodes[number][2]):
                for between in range(self.column[parent] + 1, self.column[number]):
                    self.columns[between].append((number, parent))
        self.place()

    def place(self) -> None:
        """Order each column by where its things come from, and centre it."""
        self.top: dict[Any, float] = {}
        for things in self.columns:
            things.sort(key=self.wish)
            sizes = [LANE if isinstance(thing, tuple) else CELL for thing in things]
            top = -(sum(sizes) + BELOW * (len(sizes) - 1)) / 2
            for thing, size in zip(things, sizes, strict=True):
                self.top[thing] = top
                top += size + BELOW
        least = min(self.top.values())
        self.top = {thing: top - least + 2 for thing, top in self.top.items()}
        self.left = [2 + sum(self.widths[:at]) + BETWEEN * at for at in range(len(self.widths))]
        self.width = self.left[-1] + self.widths[-1] + 2
        self.height = 2 + max(
            top + (LANE if isinstance(thing, tuple) else CELL) for thing, top in self.top.items()
        )

    def wish(self, thing: Any) -> float:
        """Where a thing would like to stand: as high as what it comes from."""
        sources = [thing[1]] if isinstance(thing, tuple) else self.nodes[thing][2]
        tops = [self.top[each] for each in sources]
        return sum(tops) / len(tops) if tops else 0.0


def edges(layout: Layout) -> Iterator[tuple[int, int, str]]:
    """Each reference of a node to a parent, as a path from the one to the other."""
    top, nodes = layout.top, layout.nodes
    pairs = [(at, each) for at, node in enumerate(nodes) for each in node[2]]
    pairs.sort(key=lambda pair: top.get(pair, top[pair[0]]))
    ends = [parent for _, parent in pairs]
    for at, (number, parent) in enumerate(pairs):
        starts = sorted(nodes[number][2], key=lambda each: top[each])
        start = starts.index(parent) + pairs[:at].count((number, parent))
        begin = top[number] + NODE + HIGH / 2 + apart(start, len(starts))
        place = apart(ends[:at].count(parent), ends.count(parent))
        yield number, parent, path(layout, number, parent, begin, place)


def path(layout: Layout, number: int, parent: int, y: float, place: float) -> str:
    """A curve from the left of a node, through its lanes, to the right of its parent."""
    first, last = layout.column[number], layout.column[parent]
    x = layout.left[first]
    parts = [f"M{x:.0f} {y:.0f}"]
    for at in range(first - 1, last, -1):
        to_y = layout.top[number, parent] + LANE / 2
        parts.append(
            f"{curve(x, y, layout.left[at] + layout.widths[at], to_y)}H{layout.left[at]:.0f}"
        )
        x, y = layout.left[at], to_y
    to_x, to_y = layout.left[last] + layout.widths[last] + 2, layout.top[parent] + NODE + HIGH / 2
    return "".join([*parts, curve(x, y, to_x, to_y + place)])


def curve(x: float, y: float, to_x: float, to_y: float) -> str:
    """A part of a path that begins and ends level."""
    middle = (x + to_x) / 2
    return f"C{middle:.0f} {y:.0f} {middle:.0f} {to_y:.0f} {to_x:.0f} {to_y:.0f}"


def apart(place: int, count: int) -> float:
    """How far above or below the middle of a node one of several arrows ends."""
    return (place - (count - 1) / 2) * min(8.0, (HIGH - 6) / count)


def draw(nodes: list[tuple[str, str, list[int]]], last: dict[str, str], name: str) -> str:
    """The graph as SVG: each node with its box above it, and its cotangent below it."""
    totals = [brief(last.get(str(number), "")) for number in range(len(nodes))]
    labels = [
        [brief(value), node, total] for (node, value, _), total in zip(nodes, totals, strict=True)
    ]
    layout = Layout(nodes, labels)
    scale = min(MOST, max(1.0, ROOM / layout.width))
    wide = ' class="wide"' if layout.width > WIDE else ""
    parts = [
        f'<svg viewBox="0 0 {layout.width:.0f} {layout.height:.0f}"{wide} role="img" '
        f'width="{layout.width * scale:.0f}" height="{layout.height * scale:.0f}" '
        f'aria-labelledby="{name}-title">'
        f'<title id="{name}-title">The nodes of the run, each with its box above it and its '
        "cotangent or tangent below it; arrows lead to parents. The steps say it in words.</title>"
        f'<defs><marker id="{name}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/>'
        "</marker></defs>"
    ]
    for number, parent, path in edges(layout):
        ends = f'data-from="{number}" data-to="{parent}" marker-end="url(#{name}-tip)"'
        parts.append(f'<path class="edge" {ends} d="{path}"/>')
    for number, texts in enumerate(labels):
        at = layout.column[number]
        parts.append(
            f'<g data-node="{number}" transform="translate({layout.left[at]:.0f} '
            f'{layout.top[number]:.0f})">{cell(texts, layout.widths[at], name)}</g>'
        )
    return "".join([*parts, "</svg>"])


def cell(texts: list[str], width: float, name: str) -> str:
    """A node, its box and its cotangent, from top to bottom."""
    parts, middle = [], f"{width / 2:.0f}"
    kinds = ("box", BOX, 3), ("node", NODE, HIGH // 2), ("cotangent", PURSE, 3)
    for (kind, top, corner), text in zip(kinds, texts, strict=True):
        size = f'width="{width:.0f}" height="{HIGH}"'
        shape = f'<rect y="{top}" {size} rx="{corner}"/>'
        if kind == "box":
            shape += f'<path d="M{middle} {HIGH}V{NODE - 2}" marker-end="url(#{name}-tip)"/>'
        words = f'<text x="{middle}" y="{top + 16}">{escape(text)}</text>'
        parts.append(f'<g class="{kind}">{shape}{words}</g>')
    return "".join(parts)


class Table:
    """Texts, each once: a text is known by its place."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def place(self, text: str) -> int:
        """Where a text stands; a new one behind all others."""
        return self.texts.setdefault(text, len(self.texts))

    def pairs(self, purse: dict[str, str]) -> list[list[int]]:
        """Amounts by the numbers of their nodes."""
        return [[int(number), self.place(text)] for number, text in purse.items()]


NOTHING: dict[str, Any] = {"nodes": [], "boxes": [], "purse": {}, "opened": {}, "hand": None}


def states(recording: dict[str, Any], lines: list[str]) -> str:
    """What the script needs besides the list: what changes from step to step, as JSON."""
    table, rows, before = Table(), [], NOTHING
    for step, line in zip(recording["steps"], lines, strict=True):
        row = {"line": table.place(line), "program": table.place(step["program"])}
        row |= {"at": table.place(step["at"])}
        row |= {"active": step["active"]} | changes(table, before, step)
        rows.append(row)
        before = step
    texts = [text if brief(text) == text else [text, brief(text)] for text in table.texts]
    data = {"names": [node[0] for node in recording["nodes"]], "texts": texts, "steps": rows}
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def changes(table: Table, before: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    """What is not as it was in the step before."""
    row: dict[str, Any] = {}
    for key in NOTHING:
        if step[key] == before[key]:
            continue
        if key == "hand":
            row[key] = step[key] and [step[key][0], table.place(step[key][1])]
        else:
            row[key] = step[key] if isinstance(step[key], list) else table.pairs(step[key])
    return row


LEGEND = (
    "From top to bottom: box, node, cotangent. "
    "A cotangent has dashes around it while it waits in the purse, and a line while it is in hand."
)
FORWARDS = "From top to bottom: box, node, tangent."


def fill_player(here: Here, player: Element, recording: dict[str, Any], name: str) -> str:
    """Write the list of steps into ``player``; returns the drawing and the states as HTML."""
    lines, steps = [], add(player, "ol")
    for step in recording["steps"]:
        item = add(steps, "li")
        words = add(item, "span", class_="words")
        for at, part in enumerate(step["words"].split("`")):
            if at % 2:
                add(words, "code", part)
            else:
                add_text(words, part)
        add_text(item, " ")
        lines.append(add_line(here, item, *step["source"]))
    svg = draw(recording["nodes"], recording["steps"][-1]["opened"], name)
    data = f'<script type="application/json">{states(recording, lines)}</script>'
    scroll = 'class="stage" tabindex="0" role="group" aria-label="The objects of the run"'
    back = any(step["hand"] for step in recording["steps"])
    return f'<div {scroll}>{svg}<p class="legend">{LEGEND if back else FORWARDS}</p></div>{data}'


def add_line(here: Here, item: Element, file: str, line: int) -> str:
    """Link a step to the block that holds its line; returns the text of the line."""
    words = f"{file.partition('/')[2]}, line {line}"
    place = here.web.block_at(file, line)
    if place is None:
        add(item, "span", words, class_="line")
        return ""
    there = here.href(place.fence.article, place.fence.id)
    add(item, "a", words, class_="line", href=there, data_line=str(line))
    return place.fence.body.split("\n")[line - place.first_line].strip()
