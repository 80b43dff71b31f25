"""Source blocks: is the package what the articles say, and what would a wrong block give?"""

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, ClassVar

from literate_book.check.checks import (
    Book,
    Check,
    Finding,
    Namespace,
    disagreement,
    evaluate,
    first_difference,
    place_in,
    shown,
)
from literate_book.source.articles import Fence, read_text
from literate_book.source.code import defined_names, parse
from literate_book.source.errors import BookError, BookErrors
from literate_book.weave.assemble import Placement
from literate_book.weave.package import split_module


@dataclass(frozen=True)
class SourceBlock(Check):
    """A block of the package: the committed module holds it, letter by letter."""

    kind: ClassVar[str] = "block"
    fence: Fence

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        file = self.fence.attrs["file"]
        mend = f'run "{book.config.command}" to follow the article, or "stitch" the module'
        try:
            module = split_module(file, read_text(book.root, file))
        except BookErrors:
            yield Finding(self.start, f"{file} does not exist yet: {mend}")
            return
        piece = next((piece for piece in module.pieces if piece.id == self.fence.id), None)
        if piece is None:
            yield Finding(self.start, f"{file} has no block #{self.fence.id}: {mend}")
            return
        lines, there = self.fence.body.splitlines(), piece.body.splitlines()
        if lines != there:
            index = first_difference(lines, there)
            text = f"`{there[index]}`" if index < len(there) else "nothing more"
            message = f"{file}:{piece.line + index} has {text}: {mend}"
            yield Finding(place_in(self.fence, index), message)


@dataclass(frozen=True)
class Ablation(Check):
    """A wrong variant of a block, and the wrong answer that comes of it."""

    kind: ClassVar[str] = "ablation"
    fence: Fence
    run: str

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        wrong, _, right = self.fence.attrs["expect"].partition(" instead of ")
        at = self.start + max(self.fence.opening.find("expect="), 0)
        place = block_named(book, self.fence)
        try:
            with variant(book, place, merged(place.fence, self.fence), namespace):
                actual = self.outcome(book, namespace)
        except (BookError, BookErrors):
            raise
        except Exception as problem:  # the variant broke the import of the package
            actual = f"raises {type(problem).__name__}: {problem}"
        if not fits(wrong, actual):
            yield Finding(at, disagreement(f"with this variant, {self.run}", wrong, actual))
        actual = self.outcome(book, namespace)
        if fits(wrong, actual) or (right and not fits(right, actual)):
            what = f"with the engine's own #{place.fence.id}, {self.run}"
            yield Finding(at, disagreement(what, right or f"something other than {wrong}", actual))

    def outcome(self, book: Book, namespace: Namespace) -> str:
        """The value of the expression as text, or the exception that it raises."""
        try:
            return shown(evaluate(book, self, self.run, self.start, dict(namespace)))
        except BookError as problem:
            if problem.__cause__ is None:
                raise
            return f"raises {type(problem.__cause__).__name__}: {problem.__cause__}"


def block_named(book: Book, fence: Fence) -> Placement:
    """The block that an ablation replaces."""
    id_ = fence.attrs["of"].removeprefix("#")
    known = book.assembly.by_id
    if id_ not in known:
        close = get_close_matches(id_, known, 1)
        hint = f"did you mean #{close[0]}?" if close else 'write of="#src-name"'
        raise fence.error(f"no block of the book has the id #{id_}: {hint}", "of=")
    return known[id_]


def fits(expected: str, actual: str) -> bool:
    """Whether an outcome is as described; of an exception's message the beginning is enough."""
    kind, _, beginning = expected.partition(":")
    raised, _, message = actual.partition(":")
    same_kind = kind == raised and kind.startswith("raises ")
    return actual == expected or (same_kind and message.startswith(beginning))


def merged(original: Fence, other: Fence) -> str:
    """The block with the definitions of the variant; a definition that it leaves out stays."""
    tree, variant_tree = parse(original), parse(other)
    names = {name for name, _ in defined_names(variant_tree.body)}
    old = {name for name, _ in defined_names(tree.body)}
    if old <= names:
        return other.body
    if not old & names:
        raise other.error(f"the variant defines none of {', '.join(sorted(old))}: name one of them")
    lines, parts = original.body.splitlines(keepends=True), list[str]()
    for node in tree.body:
        if not names.isdisjoint(name for name, _ in defined_names([node])):
            parts += [other.body] if other.body not in parts else []
            continue
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda each: each.lineno)
        parts.append("".join(lines[first.lineno - 1 : node.end_lineno]))
    return "\n".join(parts)


class VariantLoader(SourceFileLoader):
    """Stands in ``sys.meta_path`` and imports one module from a text instead of its file."""

    text: str

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module, if it is the one."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        """The compiled text; its lines are not the file's, so tracebacks do not name the file."""
        return compile(self.text, f"<variant of {fullname}>", "exec", dont_inherit=True)


@contextmanager
def variant(book: Book, place: Placement, body: str, namespace: Namespace) -> Iterator[None]:
    """For a while, the names in ``namespace`` mean a package whose block at ``place`` is ``body``.

    That package is imported afresh and forgotten afterwards. What the real one has registered, and
    every object made before, stays as it is.
    """
    lines = book.assembly.files[place.file].splitlines(keepends=True)
    lines[place.first_line - 1 : place.last_line] = [body]
    name = place.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    loader = VariantLoader(name, str(book.root / place.file))
    loader.text = "".join(lines)
    real, before = forget(book.config.package), dict(namespace)
    sys.meta_path.insert(0, loader)
    try:
        namespace.update(counterparts(namespace, real))
        yield
    finally:
        sys.meta_path.remove(loader)
        forget(book.config.package)
        sys.modules.update(real)
        namespace.update(before)


def forget(package: str) -> dict[str, ModuleType]:
    """Take the modules of a package out of ``sys.modules``, so that they can be imported afresh."""
    names = [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]
    return {name: sys.modules.pop(name) for name in names}


def counterparts(namespace: Namespace, real: dict[str, ModuleType]) -> dict[str, Any]:
    """What the names that stand for things of the ``real`` modules mean in fresh ones."""
    wanted: dict[int, list[str]] = {}
    for name, value in namespace.items():
        wanted.setdefault(id(value), []).append(name)
    found: dict[str, Any] = {}
    for module_name, module in real.items():
        for name in wanted.get(id(module), ()):
            found[name] = importlib.import_module(module_name)
        for attribute, value in vars(module).items():
            if callable(value) or isinstance(value, dict | list | set):
                for name in wanted.get(id(value), ()):
                    found[name] = getattr(importlib.import_module(module_name), attribute)
    return found
