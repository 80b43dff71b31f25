"""Draws the graphs of Mermaid fences as SVG: nodes with their labels, arrows with words.

Of Mermaid's language these are read: ``a["label"]``, ``a(["label"])``, ``a["label"]:::other``, and
``a --> b``, ``a -.-> b``, ``a -- "word" --> b``, where a label may stand behind each end.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap

from literate_book.render.layout import Edge, Layout

NODE = r'(\w+)(?:\(?\["([^"]*)"\]\)?)?(:::other)?'
ARROW = re.compile(rf'\s*{NODE}(?: (?:-- "(.*)" -->|(-->|-\.->)) {NODE})?\s*')
LETTER, LINE, PAD = 7.3, 17, 9
VALUE = 24  # letters in a line of a value
PORTS = 42  # an edge has room for its label
TIP = (
    '<defs><marker id="{}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
    'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    '<path d="M0 0L8 4L0 8z"/></marker></defs>'
)


@dataclass
class GraphText:
    """The nodes of a graph with their labels, those with a broken frame, and its edges."""

    labels: dict[str, str] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    edges: list[tuple[str, str, str, bool]] = field(default_factory=list)  # the last: broken

    def add_node(self, name: str, label: str | None, other: str | None) -> None:
        """A node where it is named; its label stands at one of these places."""
        self.labels.setdefault(name, name)
        if label:
            self.labels[name] = label.replace("#quot;", '"')
        if other:
            self.others.add(name)


def read_graph(source: str) -> GraphText:
    """The graph that a fence describes.

    Raises:
        ValueError: a line is neither a node nor an edge.
    """
    graph = GraphText()
    first, *lines = source.rstrip().splitlines() or [""]
    if not first.startswith("graph ") or not lines:
        raise ValueError('a diagram begins with "graph TB" and has a node in the next line')
    for line in lines:
        match = ARROW.fullmatch(line)
        if match is None:
            raise ValueError(f"this line is no node and no arrow: {line.strip()}")
        one, label, other, word, arrow, end, *rest = match.groups()
        graph.add_node(one, label, other)
        if end:
            graph.add_node(end, *rest)
            graph.edges.append((one, end, word or "", arrow == "-.->"))
    return graph


def draw_graph(source: str, name: str, title: str, frames: Mapping[str, str]) -> str:
    """A graph as SVG; every id in it starts with ``name``.

    An arrow leads down to a node that the text names later, and up to one that it names before. A
    node is put into the element whose opening tag ``frames`` has for it.
    """
    graph = read_graph(source)
    labels, edges = graph.labels, graph.edges
    numbers = {node: number for number, node in enumerate(labels)}
    texts = [lines_of(label) for label in labels.values()]
    ports = max([PORTS, *(len(word) * LETTER + 8 for _, _, word, _ in edges if word)])
    ports = ports if any(word for _, _, word, _ in edges) else 10
    degree = [sum(node == end for _, end, *_ in edges) for node in labels]
    widths = [
        max(max(map(len, text)) * LETTER + 2 * PAD, ports * count)
        for text, count in zip(texts, degree, strict=True)
    ]
    sizes = [(w, LINE * len(text) + 12.0) for w, text in zip(widths, texts, strict=True)]
    arrows = [
        Edge(min(numbers[a], numbers[b]), max(numbers[a], numbers[b]), word)
        for a, b, word, _ in edges
    ]
    layout = Layout(sizes, arrows, 46 if ports > 10 else 34, ports)
    said = (f"{labels[a]} to {labels[b]}{f' ({word})' if word else ''}" for a, b, word, _ in edges)
    parts = [
        opening(layout, f"{name}-title {name}-desc", "group" if frames else "img"),
        f'<title id="{name}-title">{escape(title)}</title>',
        f'<desc id="{name}-desc">{escape("; ".join(said))}</desc>',
        TIP.format(name),
    ]
    for number, (node, text) in enumerate(zip(labels, texts, strict=True)):
        tag = frames.get(node, "<g>")
        x, y = layout.x[number] - sizes[number][0] / 2, layout.top[layout.row[number]]
        look = "node other" if node in graph.others else "node"
        shape = box(text, x, y, *sizes[number], look)
        parts.append(f"{tag}{shape}</{tag[1]}>")  # <a ...> or <g ...>
    for number, (a, b, _, broken) in enumerate(edges):
        tip = f'marker-{"end" if numbers[a] < numbers[b] else "start"}="url(#{name}-tip)"'
        look = "edge broken" if broken else "edge"
        parts.append(f'<path class="{look}" d="{layout.path(number)}" {tip}/>')
    for number, edge in enumerate(layout.edges):
        x, y = layout.port(number, end=True), layout.top[layout.row[edge.end]] - 14
        if edge.label:
            parts.append(f'<text class="word" x="{x:.0f}" y="{y:.0f}">{escape(edge.label)}</text>')
    return "".join([*parts, "</svg>"])


def opening(layout: Layout, labelled: str, role: str, scale: float = 1.0) -> str:
    """The opening tag of a drawing."""
    width, height = layout.width, layout.height
    return (
        f'<svg class="graph" viewBox="0 0 {width:.0f} {height:.0f}" width="{width * scale:.0f}" '
        f'height="{height * scale:.0f}" role="{role}" aria-labelledby="{labelled}">'
    )


def lines_of(label: str) -> list[str]:
    """The name of an operation, and its value below it."""
    name, _, value = label.partition(" = ")
    rows = [name] if value else wrap(name, 2 * VALUE)
    return [*rows, *wrap(value, VALUE, break_long_words=False)]


def box(text: list[str], x: float, y: float, width: float, height: float, look: str) -> str:
    """A node: a rectangle with lines of text."""
    size = f'width="{width:.0f}" height="{height:.0f}" rx="{4 if len(text) > 1 else 13}"'
    rows = (
        f'<text x="{x + width / 2:.0f}" y="{y + LINE * at + 2:.0f}">{escape(row)}</text>'
        for at, row in enumerate(text, 1)
    )
    return f'<g class="{look}"><rect x="{x:.0f}" y="{y:.0f}" {size}/>{"".join(rows)}</g>'
