"""Checks a comment that asks for the steps of a run: ``<!-- stepper: grad(f)(3.0) -->``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from literate_book.check.checks import (
    Book,
    Check,
    Finding,
    Namespace,
    disagreement,
    evaluate,
    shown,
)
from literate_book.source.directives import Directive

if TYPE_CHECKING:
    from literate_book.record.steps import Recording


@dataclass(frozen=True)
class Steps(Check):
    """A stepper of the run of its expression."""

    kind: ClassVar[str] = "stepper"
    directive: Directive

    def evaluated(self, book: Book, namespace: Namespace) -> Any:
        """The value of the expression."""
        directive = self.directive
        return evaluate(book, self, directive.expression, directive.expression_start, namespace)

    def record(self, book: Book, namespace: Namespace) -> "Recording":
        """The steps of the expression."""
        # A book without steppers may have another engine than the one that the recorder knows.
        from literate_book.record.steps import steps

        return steps(self.evaluated, book, namespace)

    def findings(self, book: Book, namespace: Namespace) -> Iterator[Finding]:
        recording, at = self.record(book, namespace), self.directive.expression_start
        expression = self.directive.expression
        if not recording.steps:
            message = f"nothing is traced in `{expression}`, so it has no steps: call a derivative"
            yield Finding(at, message)
            return
        first, second = shown(recording.value), shown(self.evaluated(book, namespace))
        if first != second:
            message = disagreement(f"the last step of `{expression}`", first, second)
            yield Finding(at, f"{message} in a second run: give it the same value each time")
        for place in dict.fromkeys(step.source for step in recording.steps):
            if book.assembly.locate(place.file, place.line) is None:
                message = f"a step happens at {place.file}:{place.line}, in no block of the book"
                yield Finding(at, message)
