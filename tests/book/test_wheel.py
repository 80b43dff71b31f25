"""What each distribution installs: the engine alone, and the tools alone."""

import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]


def wheel(project: Path, target: Path) -> dict[str, str]:
    """The files of a project's wheel, by name."""
    [path] = WheelBuilder(str(project)).build(directory=str(target), versions=["standard"])
    with ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def about(files: dict[str, str], name: str) -> str:
    """A file of a wheel's description of itself."""
    return next(text for path, text in files.items() if path.endswith(f".dist-info/{name}"))


def contents(folder: Path) -> set[str]:
    """The files of a package, by their path from the root."""
    files = {path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    return {path.relative_to(ROOT).as_posix() for path in files - {folder / "pyproject.toml"}}


@pytest.mark.parametrize("package", ["literate_ad", "literate_book"])
def test_a_wheel_holds_its_own_package_and_nothing_else(package: str, tmp_path: Path) -> None:
    files = wheel(ROOT / ("" if package == "literate_ad" else package), tmp_path)
    code = {name for name in files if ".dist-info/" not in name}
    assert f"{package}/__init__.py" in code
    assert code == contents(ROOT / package)


def test_the_engine_advertises_no_tools_and_needs_numpy_alone(tmp_path: Path) -> None:
    files = wheel(ROOT, tmp_path)
    assert "literate_ad/py.typed" in files
    assert not any(name.endswith("entry_points.txt") for name in files)
    lines = about(files, "METADATA").splitlines()
    needed = [line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert len(needed) == 1
    assert needed[0].startswith("Requires-Dist: numpy")


def test_the_tools_bring_their_plugin_and_do_not_need_the_engine(tmp_path: Path) -> None:
    files = wheel(ROOT / "literate_book", tmp_path)
    plugin = "literate-book = literate_book.publish.mkdocs_plugin:BookPlugin"
    assert plugin in about(files, "entry_points.txt")
    project = tomllib.loads((ROOT / "literate_book" / "pyproject.toml").read_text())["project"]
    assert not any("literate" in each for each in project["dependencies"])
