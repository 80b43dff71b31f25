"""Source blocks on trial: is the package what the articles say, and what if a block were wrong?"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.machinery import ModuleSpec
from pathlib import Path
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
    shown,
)
from literate_book.source.articles import Fence, read_text
from literate_book.source.code import defined_names, parse
from literate_book.source.errors import BookError, BookErrors
from literate_book.weave.assemble import Placement
from literate_book.weave.package import split_module

MEND = 'run "make book" to follow the article, or "python -m literate_book stitch" the module'


@dataclass(frozen=True)
class SourceBlock(Check):
    """A block of the package: the committed module holds it, letter by letter."""

    kind: ClassVar[str] = "block"
    fence: Fence

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        file = self.fence.attrs["file"]
        try:
            module = split_module(file, read_text(book.root, file))
        except BookErrors:
            yield Finding(self.start, f"{file} does not exist yet: {MEND}")
            return
        piece = next((piece for piece in module.pieces if piece.id == self.fence.id), None)
        if piece is None:
            yield Finding(self.start, f"{file} has no block #{self.fence.id}: {MEND}")
            return
        lines, there = self.fence.body.splitlines(), piece.body.splitlines()
        if lines != there:
            index, starts = first_difference(lines, there), self.fence.line_starts
            text = f"`{there[index]}`" if index < len(there) else "nothing more"
            at = starts[min(index, len(starts) - 1)] + len(self.fence.indent)
            yield Finding(at, f"{file}:{piece.line + index} has {text}: {MEND}")


@dataclass(frozen=True)
class Ablation(Check):
    """A wrong variant of a block, and the wrong answer that comes of it."""

    kind: ClassVar[str] = "ablation"
    fence: Fence
    run: str

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        wrong, _, right = self.fence.attrs["expect"].partition(" instead of ")
        here = self.fence.start
        at = here + max(self.fence.opening.find("expect="), 0)
        place = block_named(book, self.fence)
        text = module_with(book, place, self.fence)
        try:
            with variant(book, place.file, text, namespace):
                actual = outcome(book, self, here, namespace)
        except (BookError, BookErrors):
            raise
        except Exception as problem:  # the variant broke the import of the engine
            actual = f"raises {type(problem).__name__}: {problem}"
        if not fits(wrong, actual):
            yield Finding(at, disagreement(f"with this variant, {self.run}", wrong, actual))
        actual = outcome(book, self, here, namespace)
        if fits(wrong, actual) or (right and not fits(right, actual)):
            what = f"with the engine's own #{place.fence.id}, {self.run}"
            yield Finding(at, disagreement(what, right or f"something other than {wrong}", actual))


def block_named(book: Book, fence: Fence) -> Placement:
    """The block that an ablation replaces."""
    id_ = fence.attrs["of"].removeprefix("#")
    known = book.assembly.by_id
    if id_ not in known:
        close = get_close_matches(id_, known, 1)
        hint = f"did you mean #{close[0]}?" if close else 'write of="#src-name"'
        raise fence.error(f"no block of the book has the id #{id_}: {hint}", "of=")
    return known[id_]


def outcome(book: Book, check: "Ablation", at: int, namespace: Namespace) -> str:
    """What an expression gives, in words: its value, or the exception it raises."""
    try:
        return shown(evaluate(book, check, check.run, at, dict(namespace)))
    except BookError as problem:
        if problem.__cause__ is None:
            raise
        return f"raises {type(problem.__cause__).__name__}: {problem.__cause__}"


def fits(expected: str, actual: str) -> bool:
    """Whether an outcome is as described; of an exception's message the beginning is enough."""
    kind, _, beginning = expected.partition(":")
    raised, _, message = actual.partition(":")
    same_kind = kind == raised and kind.startswith("raises ")
    return actual == expected or (same_kind and message.startswith(beginning))


def module_with(book: Book, place: Placement, fence: Fence) -> str:
    """The text of the block's module, with the variant in ``fence`` in the block's place."""
    lines = book.assembly.files[place.file].splitlines(keepends=True)
    lines[place.first_line - 1 : place.last_line] = [merged(place.fence, fence)]
    return "".join(lines)


def merged(original: Fence, other: Fence) -> str:
    """The block with the definitions of the variant; a definition that it leaves out stays."""
    tree, variant_tree = parse(original), parse(other)
    names = {name for name, _ in defined_names(variant_tree.body)}
    old = {name for name, _ in defined_names(tree.body)}
    if old <= names:
        return other.body
    if not old & names:
        raise other.error(f"the variant defines none of {', '.join(sorted(old))}: name one of them")
    lines, parts, done = original.body.splitlines(keepends=True), list[str](), False
    for node in tree.body:
        if names.isdisjoint(name for name, _ in defined_names([node])):
            first = min(
                [node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]
            )
            parts.append("".join(lines[first - 1 : node.end_lineno]))
        elif not done:
            parts.append(other.body)
            done = True
    return "\n".join(parts)


class VariantFinder(importlib.abc.MetaPathFinder):
    """Makes ``import`` take one module from a text instead of its file."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        self.name, self.path, self.text = name, path, text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module, if it is the one."""
        if fullname != self.name:
            return None
        loader = VariantLoader(fullname, str(self.path))
        loader.text = self.text
        return importlib.util.spec_from_file_location(fullname, self.path, loader=loader)


class VariantLoader(importlib.machinery.SourceFileLoader):
    """Runs a text under the name of a module."""

    text: str

    def get_code(self, fullname: str) -> CodeType:
        """The compiled text; its lines are not the file's, so tracebacks do not name the file."""
        return compile(self.text, f"<variant of {fullname}>", "exec", dont_inherit=True)


@contextmanager
def variant(book: Book, file: str, text: str, namespace: Namespace) -> Iterator[None]:
    """For a while, the names in ``namespace`` mean an engine in which ``file`` holds ``text``.

    That engine is imported afresh and forgotten afterwards. What the real one has registered, and
    every object made before, stays as it is.
    """
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    finder = VariantFinder(name, book.root / file, text)
    real, before = forget(book.package), dict(namespace)
    sys.meta_path.insert(0, finder)
    try:
        namespace.update(counterparts(namespace, real))
        yield
    finally:
        sys.meta_path.remove(finder)
        forget(book.package)
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
