"""The order of the parts: who may import whom, read from the text of every module."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ORDER = ("source", "weave", "record", "check", "render", "lookup", "publish")
# What never runs the engine: a broken one must not lock its writer out.
WITHOUT_ENGINE = ("source", "weave")


def imports(file: Path, root: Path) -> Iterator[tuple[int, str]]:
    """The line and the full name of every import of a module, also of those inside functions."""
    here = file.relative_to(root).with_suffix("").parts
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*here[: len(here) - node.level]] if node.level else []
            origin = ".".join([*base, *filter(None, [node.module])])
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)


def package_imports(package: str, root: Path = ROOT) -> Iterator[tuple[str, int, str, str]]:
    """File, line, own sub-package and imported name for every import of a package."""
    for file in sorted((root / package).rglob("*.py")):
        path = file.relative_to(root)
        part = path.parts[1] if len(path.parts) > 2 else ""
        for line, name in imports(file, root):
            yield path.as_posix(), line, part, name


def backward_imports(root: Path = ROOT) -> list[str]:
    """A complaint about every sub-package of the tools that imports a later one."""
    found = []
    for path, line, part, name in package_imports("literate_book", root):
        first, _, rest = name.partition(".")
        other = rest.partition(".")[0]
        if first != "literate_book" or part not in ORDER or other not in ORDER:
            continue
        if ORDER.index(other) > ORDER.index(part):
            found.append(f"{path}:{line}: {part} imports {name}, but {part} comes before {other}")
    return found


def test_sub_packages_import_only_earlier_ones() -> None:
    assert not (found := backward_imports()), "\n".join(["", *found, f"the order is {ORDER}"])


def test_every_part_of_the_tools_has_its_place_in_the_order() -> None:
    folders = {each.parent.name for each in (ROOT / "literate_book").glob("*/__init__.py")}
    assert folders == set(ORDER)
    modules = {each.name for each in (ROOT / "literate_book").glob("*.py")}
    assert modules == {"__init__.py", "__main__.py"}


def test_the_engine_never_imports_the_tools() -> None:
    found = [
        f"{path}:{line}: the engine imports {name}"
        for path, line, _, name in package_imports("literate_ad")
        if name.partition(".")[0] == "literate_book"
    ]
    assert not found, "\n".join(["", *found])


def test_reading_and_weaving_never_import_the_engine() -> None:
    found = [
        f"{path}:{line}: {part} imports {name}, so a broken engine would stop it"
        for path, line, part, name in package_imports("literate_book")
        if part in WITHOUT_ENGINE and name.partition(".")[0] == "literate_ad"
    ]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    "statement",
    [
        "from literate_book.publish.site import build",
        "import literate_book.publish.site",
        "def f():\n    from literate_book import publish",
        "from ..publish import site",
    ],
)
def test_an_import_of_a_later_part_is_seen_however_it_is_written(
    tmp_path: Path, statement: str
) -> None:
    folder = tmp_path / "literate_book" / "weave"
    folder.mkdir(parents=True)
    (folder / "late.py").write_text(f"from literate_book.source import code\n{statement}\n")
    [found] = backward_imports(tmp_path)
    assert found.startswith("literate_book/weave/late.py:")
    assert found.endswith("but weave comes before publish")


def test_every_class_of_the_tools_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = {}
    for file in sorted((ROOT / "literate_book").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                place = f"{file.relative_to(ROOT)}:{node.lineno}"
                places.setdefault(node.name, []).append(place)
    found = [f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1]
    assert not found, "\n".join(["", *found])
