"""Draws a recorded graph as SVG: operations with their values, arrows with argument positions."""

import re
from collections.abc import Mapping
from html import escape
from textwrap import wrap

from literate_book.render.layout import Edge, Layout

NODE = re.compile(r'\s*(\w+)\["(.*)"\]')
EDGE = re.compile(r'\s*(\w+)(?: -- "(.*)")? --> (\w+)(?:\(\["(.*)"\]\))?')
LETTER, LINE, PAD = 7.3, 17, 9
VALUE = 24  # letters in a line of a value
PORTS = 42  # an edge has room for its label
TIP = (
    '<defs><marker id="{}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
    'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/>'
    "</marker></defs>"
)


def read_graph(source: str) -> tuple[dict[str, str], list[tuple[str, str, str]]] | None:
    """The nodes of a recorded graph with their labels, and its edges; None for other diagrams."""
    labels, edges = dict[str, str](), list[tuple[str, str, str]]()
    for line in source.splitlines()[1:]:
        if node := NODE.fullmatch(line):
            labels[node[1]] = node[2].replace("#quot;", '"')
        elif edge := EDGE.fullmatch(line):
            edges.append((edge[1], edge[3], edge[2] or ""))
            if edge[4]:
                labels[edge[3]] = edge[4]
        else:
            return None
    named = all(end in labels for start, end, _ in edges for end in (start, end))
    return (labels, edges) if labels and named else None


def draw_graph(source: str, name: str, title: str, frames: Mapping[str, str]) -> str:
    """A recorded graph as SVG, inputs above; empty for other diagrams.

    A node is put into the element whose opening tag ``frames`` has for it.
    """
    graph = read_graph(source)
    if graph is None:
        return ""
    labels, edges = graph
    numbers = {node: number for number, node in enumerate(labels)}
    texts = [lines_of(label) for label in labels.values()]
    degree = [sum(node == end for _, end, _ in edges) for node in labels]
    widths = [
        max(max(map(len, text)) * LETTER + 2 * PAD, PORTS * count)
        for text, count in zip(texts, degree, strict=True)
    ]
    sizes = [(w, LINE * len(text) + 12.0) for w, text in zip(widths, texts, strict=True)]
    layout = Layout(sizes, [Edge(numbers[a], numbers[b], word) for a, b, word in edges], 46, PORTS)
    said = (f"{labels[a]} to {labels[b]}{f' ({word})' if word else ''}" for a, b, word in edges)
    parts = [
        opening(layout, f"{name}-title {name}-desc", "group" if frames else "img"),
        f'<title id="{name}-title">{escape(title)}</title>',
        f'<desc id="{name}-desc">{escape("; ".join(said))}</desc>',
        TIP.format(name),
    ]
    for number, (node, text) in enumerate(zip(labels, texts, strict=True)):
        tag = frames.get(node, "<g>")
        x, y = layout.x[number] - sizes[number][0] / 2, layout.top[layout.row[number]]
        parts.append(f"{tag}{box(text, x, y, *sizes[number])}</{tag[1]}>")  # <a ...> or <g ...>
    tip = f'marker-end="url(#{name}-tip)"'
    for number in range(len(edges)):
        parts.append(f'<path class="edge" d="{layout.path(number)}" {tip}/>')
    for number, edge in enumerate(layout.edges):
        x, y = layout.port(number, end=True), layout.top[layout.row[edge.end]] - 14
        if edge.label:
            parts.append(f'<text class="word" x="{x:.0f}" y="{y:.0f}">{escape(edge.label)}</text>')
    return "".join([*parts, "</svg>"])


def opening(layout: Layout, labelled: str, role: str, scale: float = 1.0) -> str:
    """The opening tag of a drawing that shrinks with its column."""
    width, height = layout.width, layout.height
    return (
        f'<svg class="graph" viewBox="0 0 {width:.0f} {height:.0f}" width="{width * scale:.0f}" '
        f'height="{height * scale:.0f}" role="{role}" aria-labelledby="{labelled}">'
    )


def lines_of(label: str) -> list[str]:
    """The name of an operation, and its value below it."""
    name, _, value = label.partition(" = ")
    return [name, *wrap(value, VALUE, break_long_words=False)]


def box(text: list[str], x: float, y: float, width: float, height: float) -> str:
    """A node: a rectangle with lines of text."""
    size = f'width="{width:.0f}" height="{height:.0f}" rx="{4 if len(text) > 1 else 13}"'
    rows = (
        f'<text x="{x + width / 2:.0f}" y="{y + LINE * at + 2:.0f}">{escape(row)}</text>'
        for at, row in enumerate(text, 1)
    )
    return f'<g class="node"><rect x="{x:.0f}" y="{y:.0f}" {size}/>{"".join(rows)}</g>'
