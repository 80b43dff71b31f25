"""Draws Mermaid text as an SVG that takes its colours from the page and loads nothing."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import lru_cache

import mermaidx

SVG = "{http://www.w3.org/2000/svg}"
ET.register_namespace("", SVG.strip("{}"))
WIDE = 500
CONFIG = {
    "htmlLabels": False,
    "themeVariables": {"fontSize": "14px"},
    "flowchart": {
        "htmlLabels": False,
        "wrappingWidth": 170,
        "padding": 10,
        "nodeSpacing": 24,
        "rankSpacing": 38,
    },
}


@lru_cache(maxsize=256)
def render(source: str) -> str:
    """The one place that knows which library draws Mermaid; ``ValueError`` says what is wrong."""
    try:
        return str(mermaidx.render(source, config=CONFIG).svg())
    except RuntimeError as problem:
        raise ValueError(str(problem)) from None


# What the renderer writes for a page of its own: colours, measurements, editing aids.
DROPPED = {"style", "data-points", "data-look", "data-et", "data-edge", "aria-roledescription"}
NUMBER = re.compile(r"-?\d+\.\d+")
MARKER = re.compile(r"url\(#([^)]+)\)")


def shorten(match: re.Match[str]) -> str:
    """A coordinate with one decimal: more cannot be seen, and the page is a third as heavy."""
    return f"{round(float(match[0]), 1) + 0.0:g}"


def strip(svg: ET.Element) -> None:
    """Leave shapes, words, classes and ids; the colours come from the style sheet."""
    used = {match for element in svg.iter() for match in MARKER.findall(str(element.attrib))}
    for parent in list(svg.iter()):
        for child in list(parent):
            unused = child.tag == f"{SVG}marker" and child.get("id") not in used
            empty = child.tag == f"{SVG}rect" and "width" not in child.attrib
            if child.tag == f"{SVG}style" or unused or empty:
                parent.remove(child)
        for name in DROPPED & parent.attrib.keys():
            del parent.attrib[name]
        for name in ("d", "transform", "x", "y", "width", "height", "viewBox"):
            if name in parent.attrib:
                parent.set(name, NUMBER.sub(shorten, parent.attrib[name]))


def words(element: ET.Element) -> str:
    """The text of a label, on one line."""
    return " ".join("".join(element.itertext()).split())


def described_edges(svg: ET.Element) -> Iterator[str]:
    """Every arrow in words, for those who cannot see the drawing."""
    label: dict[str, str] = {}
    for group in svg.iter(f"{SVG}g"):
        if match := re.fullmatch(r".*?flowchart-(.+)-\d+", group.get("id", "")):
            label[match[1]] = words(group)
        elif "data-id" in group.attrib:
            label[group.attrib["data-id"]] = words(group)
    for path in svg.iter(f"{SVG}path"):
        if match := re.fullmatch(r"L_(.+)_(.+)_\d+", path.get("data-id", "")):
            said = label.get(match[0], "")
            arrow = f"{label.get(match[1], match[1])} to {label.get(match[2], match[2])}"
            yield f"{arrow} ({said})" if said else arrow


def prefix_ids(svg: ET.Element, prefix: str) -> None:
    """Give the drawing ids of its own: a page may hold several."""
    own = svg.attrib.pop("id", "my-svg")
    for element in svg.iter():
        for name, value in element.attrib.items():
            if name == "id" or "url(#" in value:
                element.set(name, value.replace(own, prefix))


def to_svg(source: str, prefix: str, title: str) -> str:
    """Draw ``source``; every id in the drawing starts with ``prefix``.

    The drawing has a title and, for a flow chart, a description that says every arrow in words.
    """
    svg = ET.fromstring(render(source))
    strip(svg)
    prefix_ids(svg, prefix)
    _, _, width, height = svg.attrib["viewBox"].split()
    svg.attrib.update(width=width, height=height, role="img")
    if float(width) > WIDE:
        svg.set("class", f"{svg.get('class', '')} wide")
    svg.set("aria-labelledby", f"{prefix}-title {prefix}-desc")
    for name, said in (("desc", "; ".join(described_edges(svg))), ("title", title)):
        element = ET.Element(f"{SVG}{name}", id=f"{prefix}-{name}")
        element.text = said
        svg.insert(0, element)
    return ET.tostring(svg, encoding="unicode")
