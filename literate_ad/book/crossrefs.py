"""Who uses which block: the links from a block to its neighbours and to the articles around it."""

import ast
import doctest
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from literate_ad.book.articles import Article, Fence, book_root, read_book
from literate_ad.book.assemble import Assembly, Placement, assemble
from literate_ad.book.code import defined_names

PACKAGE = "literate_ad"
Name = tuple[str, str]  # a module's file and a name defined in it


def module_file(dotted: str, files: Iterable[str]) -> str:
    """The file that ``import dotted`` runs; "" when the book has no such module."""
    path = dotted.replace(".", "/")
    return next((file for file in (f"{path}.py", f"{path}/__init__.py") if file in files), "")


def defined(fence: Fence) -> list[str]:
    """The names that a block defines at its top level."""
    return [name for name, _ in defined_names(ast.parse(fence.body).body)]


def is_session(body: str) -> bool:
    """Whether an example is written with prompts and answers."""
    return body.lstrip().startswith(">>>")


def example_code(body: str) -> str:
    """The statements of an example, without prompts and answers."""
    if not is_session(body):
        return body
    return "".join(example.source for example in doctest.DocTestParser().get_examples(body))


def parsed(fence: Fence) -> ast.Module:
    """The syntax tree of a fence; an empty one where the code is wrong on purpose."""
    try:
        return ast.parse(example_code(fence.body))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


class Scope:
    """What the names in a module, or in an article's examples, stand for."""

    def __init__(self, files: Iterable[str]) -> None:
        self.files = files
        self.names: dict[str, Name] = {}

    def learn(self, tree: ast.Module) -> None:
        """Take in the imports of the package's own names."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                home = module_file(node.module or "", self.files)
                for alias in node.names:
                    inner = module_file(f"{node.module}.{alias.name}", self.files)
                    name = (inner, "") if inner else (home, alias.name)
                    self.names[alias.asname or alias.name] = name
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname and (home := module_file(alias.name, self.files)):
                        self.names[alias.asname] = (home, "")

    def used(self, tree: ast.Module) -> Iterator[Name]:
        """Every name of the package that the code reads, as far as the text alone tells."""
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name) if name in self.names:
                    yield self.names[name]
                case ast.Attribute(value=ast.Name(id=base), attr=name) if base in self.names:
                    home, inner = self.names[base]
                    if not inner:
                        yield home, name


class Crossrefs:
    """The book as a web: blocks, the modules they stand in, and the articles that use them."""

    def __init__(self, articles: list[Article], assembly: Assembly) -> None:
        self.articles = {article.path: article for article in articles}
        self.places, self.modules = assembly.by_id, assembly.by_file
        self.home = {
            (place.file, name): place.fence.id
            for place in assembly.placements
            for name in defined(place.fence)
        }
        self.scopes = {file: self.module_scope(file) for file in self.modules}
        self.users = self.find_users()

    def module_scope(self, file: str) -> Scope:
        """The names of one module: what it defines, and what it imports."""
        scope = Scope(self.modules)
        scope.names = {name: (home, name) for home, name in self.home if home == file}
        for place in self.modules[file]:
            scope.learn(ast.parse(place.fence.body))
        return scope

    def block_of(self, name: Name) -> str:
        """The id of the block that defines a name, through the modules that only hand it on."""
        for _ in range(len(self.modules)):
            if name in self.home:
                return self.home[name]
            scope = self.scopes.get(name[0])
            if scope is None or name[1] not in scope.names:
                break
            name = scope.names[name[1]]
        return ""

    def find_users(self) -> MappingProxyType[str, list[str]]:
        """For every block the other articles that use, extend or break it, in book order."""
        users: dict[str, dict[str, None]] = defaultdict(dict)
        for article in self.articles.values():
            for id_ in self.blocks_named_by(article):
                if self.places[id_].fence.article != article.path:
                    users[id_][article.path] = None
        return MappingProxyType({id_: list(paths) for id_, paths in users.items()})

    def blocks_named_by(self, article: Article) -> Iterator[str]:
        """The ids of the blocks that an article's code and links name."""
        examples = Scope(self.modules)
        for fence in article.fences:
            if fence.is_source:
                names = self.scopes[fence.attrs["file"]].used(ast.parse(fence.body))
            elif fence.lang == "python":
                tree = parsed(fence)
                examples.learn(tree)
                names = examples.used(tree)
            else:
                continue
            yield from filter(None, map(self.block_of, names))
            named = (fence.attrs.get(key, "").removeprefix("#") for key in ("after", "of"))
            yield from (id_ for id_ in named if id_ in self.places)
        yield from (id_ for id_ in LINK.findall(article.text) if id_ in self.places)

    def neighbours(self, place: Placement) -> tuple[Placement | None, Placement | None]:
        """The blocks before and after a block in its module."""
        row = self.modules[place.file]
        index = row.index(place)
        after = row[index + 1] if index + 1 < len(row) else None
        return row[index - 1] if index else None, after

    def article_of(self, text: str) -> tuple[Article | None, int]:
        """The article that a page's text is the end of, and the number of lines left out."""
        wanted = text.strip()
        for article in self.articles.values():
            if wanted and article.text.rstrip().endswith(wanted):
                return article, article.text.count("\n", 0, article.text.rindex(wanted))
        return None, 0


LINK = re.compile(r"\]\([^)\s]*#(src-[\w-]+)\)")


def title(article: Article) -> str:
    """The heading of an article, in plain words."""
    heading = re.search(r"^# +(.+)$", article.text, re.MULTILINE)
    return heading[1].replace("`", "") if heading else Path(article.path).stem


def load_crossrefs(root: Path | None = None) -> Crossrefs:
    """The web of the book in ``root``; read again only when a file of it has changed."""
    root = root or book_root()
    pages = [root / "mkdocs.yml", *sorted(root.glob("docs/**/*.md"))]
    return cached(root, tuple((str(page), page.stat().st_mtime_ns) for page in pages))


@lru_cache(maxsize=1)
def cached(root: Path, stamp: tuple[tuple[str, int], ...]) -> Crossrefs:
    """``stamp`` says which files, and how new, the answer was made from."""
    articles = read_book(root)
    return Crossrefs(articles, assemble(articles))
