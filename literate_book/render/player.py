"""Draws a recorded run: the program, a drawing of its objects, a list of steps, data for a script.

The list and the drawing are complete without a script. ``assets/stepper.js`` hides the list and
shows one step at a time, from the states that are written beside it.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from xml.etree.ElementTree import Element

from literate_book.render.graphs import LETTER, PAD, TIP, opening
from literate_book.render.layout import Edge, Layout
from literate_book.render.lights import Lights
from literate_book.render.listings import PROMPT, Here, add, add_text, in_colours, module_page
from literate_book.source.articles import parse_article
from literate_book.source.directives import find_directives
from literate_book.source.errors import BookErrors

CACHE = ".cache/steppers"
TOOLS = Path(__file__).parents[1]
Run = dict[str, Any]  # a recording, as literate_book.check.replay prints it


def recorded(root: Path, path: str, text: str, package: str) -> dict[str, list[Run]]:
    """What the steppers and graphs of an article recorded: kept from an earlier build, or new."""
    page = parse_article(path, text)
    asked = [each.expression for each in find_directives(page)]
    code = [path, *asked, *(fence.opening + fence.body for fence in page.fences)]
    digest = hashlib.sha256(json.dumps(code).encode())
    for folder in (TOOLS, root / package):
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.read_bytes())
    kept = root / CACHE / f"{digest.hexdigest()}.json"
    if not kept.is_file():
        keep(kept, record(root, path))
    found: dict[str, list[Run]] = json.loads(kept.read_bytes())
    return found


def record(root: Path, path: str) -> bytes:
    """Run the article in a new process: this one may have loaded an engine that is out of date."""
    command = [sys.executable, "-m", "literate_book.check.replay", path]
    paths = [str(TOOLS.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    if run.returncode:
        sys.stderr.write(run.stderr.decode())
        raise BookErrors([])
    return run.stdout


def keep(path: Path, content: bytes) -> None:
    """Put a file in its place as a whole, whoever else is reading or writing it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as unfinished:
        try:
            unfinished.write(content)
            unfinished.close()
            Path(unfinished.name).replace(path)
        finally:
            Path(unfinished.name).unlink(missing_ok=True)


LONG, DIGITS = 18, re.compile(r"-?\d+\.\d{3,}")


def brief(text: str) -> str:
    """A value short enough for the drawing: two digits behind the point, long arrays by a sign."""
    text = DIGITS.sub(lambda number: f"{float(number[0]):.2f}", text)
    if len(text) > LONG and text.startswith("[["):
        rows = text.count("], [") + 1
        return f"{rows} \N{MULTIPLICATION SIGN} {text.split(']')[0].count(',') + 1} numbers"
    text = text.removeprefix("array of shape ")
    return text if len(text) <= LONG else f"{text[: LONG - 2].rstrip(' ,')} \N{HORIZONTAL ELLIPSIS}"


# A cell of the drawing: a box with the value above a node, and a cotangent below it.
HIGH, BOX, NODE, COTANGENT = 24, 0, 40, 68
CELL = COTANGENT + HIGH
# A small drawing is shown larger; a large one scrolls.
ROOM, MOST = (430, 470), 1.5


def draw(nodes: list[Run], last: dict[str, str], name: str) -> str:
    """The graph as SVG: each node with its box above it, and its cotangent below it."""
    cells = [
        [brief(node["value"]), node["name"], brief(last.get(str(number), ""))]
        for number, node in enumerate(nodes)
    ]
    sizes = [(max(map(len, texts)) * LETTER + 2 * PAD, float(CELL)) for texts in cells]
    edges = [Edge(p, number) for number, node in enumerate(nodes) for p in node["parents"]]
    layout = Layout(sizes, edges, gap=30, foot=CELL - NODE - HIGH)
    scale = min(ROOM[0] / layout.width, ROOM[1] / layout.height, MOST)
    parts = [
        opening(layout, f"{name}-title", "img", max(scale, 1.0)),
        f'<title id="{name}-title">The nodes of the run, each with its box above it and its '
        "cotangent or tangent below it; arrows lead from parents to the operations that used them."
        "</title>",
        TIP.format(name),
    ]
    for number, edge in enumerate(edges):
        ends = f'data-to="{edge.end}" marker-end="url(#{name}-tip)"'
        parts.append(f'<path class="edge" {ends} d="{layout.path(number)}"/>')
    for number, texts in enumerate(cells):
        width, top = sizes[number][0], layout.top[layout.row[number]]
        place = f"translate({layout.x[number] - width / 2:.0f} {top:.0f})"
        parts.append(f'<g data-node="{number}" transform="{place}">{cell(texts, width)}</g>')
    return "".join([*parts, "</svg>"])


def cell(texts: list[str], width: float) -> str:
    """A node, its box and its cotangent, from top to bottom."""
    parts, middle = [], f"{width / 2:.0f}"
    kinds = ("box", BOX, 3), ("node", NODE, HIGH // 2), ("cotangent", COTANGENT, 3)
    for (kind, top, corner), text in zip(kinds, texts, strict=True):
        shape = f'<rect y="{top}" width="{width:.0f}" height="{HIGH}" rx="{corner}"/>'
        if kind == "box":
            shape += f'<path d="M{middle} {HIGH}V{NODE}"/>'
        words = f'<text x="{middle}" y="{top + 16}">{escape(text)}</text>'
        parts.append(f'<g class="{kind}">{shape}{words}</g>')
    return "".join(parts)


class Texts:
    """Texts, each once: a text is known by its place."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def place(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))

    def pairs(self, cotangents: dict[str, str]) -> list[list[int]]:
        """Cotangents by the numbers of their nodes."""
        return [[int(number), self.place(text)] for number, text in cotangents.items()]


NOTHING: Run = {"nodes": [], "boxes": [], "pending": {}, "visited": {}, "current": None}


def states(run: Run, lines: list[str], program: list[int]) -> str:
    """What the script needs besides the list: what changes from step to step, as JSON.

    ``lines`` are those of the engine, and ``program`` numbers those of the program.
    """
    texts, rows, before = Texts(), [], NOTHING
    for step, line, at in zip(run["steps"], lines, program, strict=True):
        row = {"line": texts.place(line), "program": at, "active": step["active"]}
        rows.append(row | changes(texts, before, step))
        before = step
    shown = [text if brief(text) == text else [text, brief(text)] for text in texts.places]
    data = {"names": [node["name"] for node in run["nodes"]], "texts": shown, "steps": rows}
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def changes(texts: Texts, before: Run, step: Run) -> Run:
    """What is not as it was in the step before."""
    row: Run = {}
    for key in NOTHING:
        if step[key] == before[key]:
            continue
        if key == "current":
            row[key] = step[key] and [step[key][0], texts.place(step[key][1])]
        else:
            row[key] = step[key] if isinstance(step[key], list) else texts.pairs(step[key])
    return row


def program_html(lights: Lights, run: Run) -> tuple[str, list[int]]:
    """The functions that the steps are in, then the expression; and the line of each step."""
    used = {
        (step["at"][0], line)
        for step in run["steps"]
        if step["at"]
        for line in range(step["body"][0], step["body"][1] + 1)
    }
    spots = sorted(used)
    code = [PROMPT.sub("", lights.spots.text(spot), count=1) for spot in spots]
    lines = in_colours("\n".join([*code, run["expression"]]), "python").split("\n")
    ids = [lights.spots.name(spot) if spot in lights.lines else "" for spot in spots]
    spans = [
        f'<span data-line="{own}">{line}\n</span>'
        for own, line in zip([*ids, ""], lines, strict=True)
    ]
    numbers = {spot: number for number, spot in enumerate(spots)}
    at = [step["at"] and numbers[tuple(step["at"])] for step in run["steps"]]
    return (
        f'<pre class="program highlight" tabindex="0"><code>{"".join(spans)}</code></pre>',
        [len(spots) if each is None else each for each in at],
    )


LEGEND = (
    "Arrows lead from parents to the operations that used them. From top to bottom: the box, the "
    "node, {}."
)
REVERSE = "the cotangent (dashed while it is pending)"


def fill_player(here: Here, player: Element, run: Run, name: str, lights: Lights) -> str:
    """Write the list of steps into ``player``; returns everything above it as HTML."""
    lines, steps = [], add(player, "ol")
    for step in run["steps"]:
        item = add(steps, "li")
        words = add(item, "span", class_="words")
        for at, part in enumerate(step["words"].split("`")):
            if at % 2:
                add(words, "code", part)
            else:
                add_text(words, part)
        add_text(item, " ")
        lines.append(add_line(here, item, step["source"]["file"], step["source"]["line"]))
    program, numbers = program_html(lights, run)
    svg = draw(run["nodes"], run["steps"][-1]["visited"], name)
    reverse = any(step["current"] for step in run["steps"])
    legend = LEGEND.format(REVERSE if reverse else "the tangent")
    stage = 'class="stage" tabindex="0" role="group" aria-label="The objects of the run"'
    data = f'<script type="application/json">{states(run, lines, numbers)}</script>'
    return f'{program}<div {stage}>{svg}</div><p class="legend">{legend}</p>{data}'


def add_line(here: Here, item: Element, file: str, line: int) -> str:
    """Link a step to its line in the module; returns the text of the line."""
    words = f"{file.partition('/')[2]}, line {line}"
    place = here.web.block_at(file, line)
    if place is None:
        add(item, "span", words, class_="line")
        return ""
    there = here.href(module_page(here.web, file), place.fence.id)
    add(item, "a", words, class_="line whole", href=there, data_line=str(line))
    return place.fence.body.split("\n")[line - place.first_line].strip()
