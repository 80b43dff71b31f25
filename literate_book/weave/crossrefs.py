"""Who uses which block: the links from a block to its neighbours and to the articles around it."""

import ast
import doctest
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from literate_book.source.articles import Article, Fence, read_book
from literate_book.source.code import defined_names
from literate_book.source.config import Config, book_root, load_config
from literate_book.weave.assemble import Placement, assemble

Name = tuple[str, str]  # a module's file and a name defined in it; "" stands for the module
LINK = re.compile(r"\]\([^)\s]*#(src-[\w-]+)\)")


@dataclass(frozen=True)
class Crossrefs:
    """The blocks, the modules they stand in, and the articles that use them."""

    config: Config
    articles: Mapping[str, Article]
    texts: Mapping[str, str]
    places: Mapping[str, Placement]
    modules: Mapping[str, list[Placement]]
    users: Mapping[str, list[str]]

    @property
    def docs(self) -> str:
        """The folder of the articles."""
        return self.config.articles

    def neighbours(self, place: Placement) -> tuple[Placement | None, Placement | None]:
        """The blocks before and after a block in its module."""
        row = [None, *self.modules[place.file], None]
        index = row.index(place)
        return row[index - 1], row[index + 1]

    def block_at(self, file: str, line: int) -> Placement | None:
        """The block that holds a line of a module; None between blocks."""
        row = self.modules.get(file, ())
        return next((each for each in row if each.first_line <= line <= each.last_line), None)

    def article_of(self, text: str) -> tuple[Article | None, int]:
        """The article that a page's text is the end of, and the number of lines left out."""
        wanted = text.strip()
        for article in self.articles.values():
            if wanted and article.text.rstrip().endswith(wanted):
                return article, article.text.count("\n", 0, article.text.rindex(wanted))
        return None, 0


def load_crossrefs(root: Path | None = None) -> Crossrefs:
    """The crossrefs of the book in ``root``; read again only when a file of it has changed."""
    root = root or book_root()
    config = load_config(root)
    pages = [root / config.site, *sorted((root / config.articles).rglob("*.md"))]
    return read_crossrefs(root, config, tuple((page, page.stat().st_mtime_ns) for page in pages))


@lru_cache(maxsize=1)
def read_crossrefs(root: Path, config: Config, _: tuple[tuple[Path, int], ...]) -> Crossrefs:
    """Read the book. The last argument, files and their times, makes the cache forget."""
    articles = read_book(root)
    assembly = assemble(articles, config)
    return Crossrefs(
        config,
        {article.path: article for article in articles},
        assembly.files,
        assembly.by_id,
        assembly.by_file,
        find_users(articles, assembly.by_id, assembly.by_file),
    )


def title(article: Article) -> str:
    """The heading of an article, in plain words."""
    heading = re.search(r"^# +(.+)$", article.text, re.MULTILINE)
    return heading[1].replace("`", "") if heading else Path(article.path).stem


def example_code(fence: Fence) -> str:
    """The statements of a fence, without prompts and answers."""
    if not fence.is_session:
        return fence.body
    try:
        examples = doctest.DocTestParser().get_examples(fence.body)
    except ValueError:
        message = "this session cannot be read: put a blank behind >>> and ..., indent evenly"
        raise fence.error(message) from None
    return "".join(example.source for example in examples)


def parsed(fence: Fence) -> ast.Module:
    """The syntax tree of a fence; an empty one where the code is wrong on purpose."""
    try:
        return tree_of(example_code(fence))
    except SyntaxError:
        return ast.Module([], [])


def defined(fence: Fence) -> list[str]:
    """The names that a fence defines at its top level."""
    return [name for name, _ in defined_names(parsed(fence).body)]


@lru_cache(maxsize=8192)
def tree_of(code: str) -> ast.Module:
    """The syntax tree of some code."""
    return ast.parse(code)


@lru_cache(maxsize=8192)
def references(tree: ast.Module) -> list[ast.AST]:
    """The nodes of a tree that can say where a name comes from."""
    kinds = ast.Name, ast.Attribute, ast.Import, ast.ImportFrom
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def module_file(dotted: str, files: Iterable[str]) -> str:
    """The file that ``import dotted`` runs; "" when the book has no such module."""
    path = dotted.replace(".", "/")
    return next((file for file in (f"{path}.py", f"{path}/__init__.py") if file in files), "")


def imported(tree: ast.Module, files: Iterable[str]) -> Iterator[tuple[str, Name]]:
    """The names that the code imports from the package, each with where it comes from."""
    for node in references(tree):
        if isinstance(node, ast.ImportFrom):
            home = module_file(node.module or "", files)
            for alias in node.names:
                inner = module_file(f"{node.module}.{alias.name}", files)
                if home or inner:
                    name = (inner, "") if inner else (home, alias.name)
                    yield alias.asname or alias.name, name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname and (home := module_file(alias.name, files)):
                    yield alias.asname, (home, "")


def used(tree: ast.Module, scope: Mapping[str, Name]) -> Iterator[Name]:
    """Every name of the package that the code reads, as far as the text alone tells."""
    for node in references(tree):
        match node:
            case ast.Name(id=name) if name in scope:
                yield scope[name]
            case ast.Attribute(value=ast.Name(id=base), attr=name) if base in scope:
                home, inner = scope[base]
                if not inner:
                    yield home, name


def find_users(
    articles: list[Article],
    places: Mapping[str, Placement],
    modules: Mapping[str, list[Placement]],
) -> dict[str, list[str]]:
    """For every block the other articles that use, extend or break it, in book order."""
    homes = {
        (place.file, name): id_ for id_, place in places.items() for name in defined(place.fence)
    }
    scopes = read_scopes(homes, modules)
    users: dict[str, dict[str, None]] = defaultdict(dict)
    for article in articles:
        examples: dict[str, Name] = {}
        ids = set(LINK.findall(article.text))
        for fence in article.fences:
            ids |= {fence.attrs.get(key, "").removeprefix("#") for key in ("after", "of")}
            names = set(fence_names(fence, scopes, examples))
            ids |= {homes.get(home_of(name, homes, scopes), "") for name in names}
        for id_ in ids:
            if id_ in places and places[id_].fence.article != article.path:
                users[id_][article.path] = None
    return {id_: list(paths) for id_, paths in users.items()}


def read_scopes(
    homes: Iterable[Name], modules: Mapping[str, list[Placement]]
) -> dict[str, dict[str, Name]]:
    """For every module what the names at its top level stand for."""
    scopes: dict[str, dict[str, Name]] = {file: {} for file in modules}
    for home, name in homes:
        scopes[home][name] = home, name
    for file, row in modules.items():
        for place in row:
            scopes[file].update(imported(tree_of(place.fence.body), modules))
    return scopes


def fence_names(
    fence: Fence, scopes: Mapping[str, dict[str, Name]], examples: dict[str, Name]
) -> Iterator[Name]:
    """The names of the package that a fence reads.

    ``examples`` holds what the examples before it have imported.
    """
    if fence.is_source:
        yield from used(tree_of(fence.body), scopes[fence.attrs["file"]])
    elif fence.lang == "python":
        tree = parsed(fence)
        examples.update(imported(tree, scopes))
        yield from used(tree, examples)


def home_of(name: Name, homes: Container[Name], scopes: Mapping[str, Mapping[str, Name]]) -> Name:
    """The name where it is defined, through the modules that only hand it on."""
    for _ in scopes:
        if name in homes or name[1] not in scopes.get(name[0], {}):
            break
        name = scopes[name[0]][name[1]]
    return name
