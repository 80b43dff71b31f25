"""Draws Mermaid text as an SVG that takes its colours from the page and loads nothing."""

import hashlib
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import mermaidx

SVG = "{http://www.w3.org/2000/svg}"
ET.register_namespace("", SVG.strip("{}"))
WIDE = 500
CONFIG = {
    "htmlLabels": False,
    # Round shapes are drawn as if by hand: from chance, unless it is given a seed.
    "handDrawnSeed": 1,
    "themeVariables": {"fontSize": "14px"},
    "flowchart": {
        "htmlLabels": False,
        "wrappingWidth": 170,
        "padding": 10,
        "nodeSpacing": 24,
        "rankSpacing": 38,
    },
}


def render(source: str) -> str:
    """The one place that knows which library draws Mermaid; ``ValueError`` says what is wrong."""
    try:
        return str(mermaidx.render(source, config=CONFIG).svg())
    except RuntimeError as problem:
        raise ValueError(str(problem)) from None


CACHE = ".cache/drawings"


def drawing(source: str, folder: Path) -> ET.Element:
    """The renderer's drawing of ``source``: the one kept in ``folder``, or a new one to keep."""
    asked = json.dumps([mermaidx.__version__, CONFIG, source])
    kept = folder / f"{hashlib.sha256(asked.encode()).hexdigest()}.svg"
    # A file can be there and empty, when the power went before the disk had it all.
    with suppress(OSError, ET.ParseError):
        return ET.fromstring(kept.read_bytes())
    svg = render(source)
    # What cannot be kept, for want of room or of rights, is drawn again the next time.
    with suppress(OSError):
        keep(kept, svg.encode())
    return ET.fromstring(svg)


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


# What the renderer writes for a page of its own: colours, measurements, editing aids.
DROPPED = {
    *("style", "fill", "stroke", "stroke-width", "stroke-dasharray"),
    *("data-points", "data-look", "data-et", "data-edge", "aria-roledescription"),
}
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
            if superfluous(child, used):
                parent.remove(child)
        for name in DROPPED & parent.attrib.keys():
            del parent.attrib[name]
        for name in ("d", "transform", "x", "y", "width", "height", "viewBox"):
            if name in parent.attrib:
                parent.set(name, NUMBER.sub(shorten, parent.attrib[name]))


def superfluous(element: ET.Element, used: set[str]) -> bool:
    """Whether nothing would be missed: a style, what no shape refers to, what covers nothing."""
    kind = element.tag.removeprefix(SVG)
    unused = kind in ("marker", "filter") and element.get("id") not in used
    empty = kind == "rect" and "width" not in element.attrib
    # A round shape comes twice, for its inside and for its line; the style sheet needs one.
    twice = (
        kind == "path" and element.get("fill") == "none" and "stroke-dasharray" in element.attrib
    )
    return kind == "style" or unused or empty or twice


def prefix_ids(svg: ET.Element, prefix: str) -> None:
    """Give the drawing ids of its own: a page may hold several."""
    own = svg.attrib.pop("id", "my-svg")
    for element in svg.iter():
        for name, value in element.attrib.items():
            if name == "id" or "url(#" in value:
                element.set(name, value.replace(own, prefix))


def words(element: ET.Element) -> str:
    """The text of a label; its rows hold no blanks between them."""
    spans = element.iter(f"{SVG}tspan")
    rows = ["".join(span.itertext()) for span in spans if "row" in span.get("class", "").split()]
    return " ".join(" ".join(rows).split())


NODE = re.compile(r".*?flowchart-(.+)-\d+")


def described_edges(svg: ET.Element) -> Iterator[str]:
    """Every arrow in words, for those who cannot see the drawing."""
    label: dict[str, str] = {}
    for group in svg.iter(f"{SVG}g"):
        if match := NODE.fullmatch(group.get("id", "")):
            label[match[1]] = words(group)
        elif "data-id" in group.attrib:
            label[group.attrib["data-id"]] = words(group)
    for path in svg.iter(f"{SVG}path"):
        if match := re.fullmatch(r"L_(.+_.+)_\d+", path.get("data-id", "")):
            said = label.get(match[0], "")
            arrow = " to ".join(label.get(end, end) for end in ends(match[1], label))
            yield f"{arrow} ({said})" if said else arrow


def ends(edge: str, names: Container[str]) -> list[str]:
    """The nodes at the two ends of an edge ``a_b``; names may hold underscores themselves."""
    parts = edge.split("_")
    cuts = [["_".join(parts[:at]), "_".join(parts[at:])] for at in range(1, len(parts))]
    return next((cut for cut in cuts if all(end in names for end in cut)), cuts[0])


def to_svg(source: str, prefix: str, title: str, folder: Path) -> str:
    """Draw ``source``; every id in the drawing starts with ``prefix``.

    The drawing has a title and, for a flow chart, a description that says every arrow in words.
    What the renderer made of ``source`` is kept in ``folder``.
    """
    svg = drawing(source, folder)
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
