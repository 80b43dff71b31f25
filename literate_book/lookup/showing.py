"""Examples for the functions of NumPy: the derivative by the rule, and by a difference."""

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

# What is differentiated, and where; a function that is not here is, at the usual place.
PAIR = "np.array([3.0, 5.0])"
SQUARE = "np.array([[1.0, 2.0], [3.0, 4.0]])"
EXAMPLES: dict[str, tuple[str, ...]] = {
    "arccosh": ("np.arccosh", "1.7"),
    "array": ("lambda x: np.array([x, x * x])[1]", "3.0"),
    "astype": ("lambda x: np.astype(x, np.float64) ** 2", "3.0"),
    "atleast_1d": ("lambda x: np.atleast_1d(x)[0] ** 2", "3.0"),
    "atleast_2d": ("lambda x: np.atleast_2d(x)[0, 1]", PAIR),
    "atleast_3d": ("lambda x: np.atleast_3d(x)[0, 1, 0]", PAIR),
    "broadcast_to": ("lambda x: np.sum(np.broadcast_to(x, (4, 2)))", PAIR),
    "concatenate": ("lambda x, y: np.concatenate([x, y])[2]", PAIR, PAIR),
    "dot": ("np.dot", PAIR, "np.array([1.0, 2.0])"),
    "expand_dims": ("lambda x: np.expand_dims(x, 0)[0, 1]", PAIR),
    "matmul": ("np.matmul", PAIR, "np.array([1.0, 2.0])"),
    "mean": ("np.mean", PAIR),
    "moveaxis": ("lambda x: np.moveaxis(x, 0, 1)[0, 1]", SQUARE),
    "ravel": ("lambda x: np.ravel(x)[2]", SQUARE),
    "reshape": ("lambda x: np.reshape(x, (2, 1))[1, 0]", PAIR),
    "squeeze": ("lambda x: np.squeeze(x)[1]", "np.array([[3.0, 5.0]])"),
    "stack": ("lambda x, y: np.stack([x, y])[1, 0]", PAIR, PAIR),
    "sum": ("np.sum", PAIR),
    "swapaxes": ("lambda x: np.swapaxes(x, 0, 1)[0, 1]", SQUARE),
    "transpose": ("lambda x: np.transpose(x)[0, 1]", SQUARE),
    "where": ("lambda x, y: np.sum(np.where([True, False], x, y))", PAIR, PAIR),
}
USUAL = ("0.7", "1.3")


def example(name: str, own_name: str, count: int) -> tuple[str, ...]:
    """The text of a function to differentiate, and of its arguments."""
    function, *arguments = EXAMPLES.get(own_name, (f"np.{own_name}", *USUAL[:count]))
    return (function.replace(f"np.{own_name}", f"np.{name}"), *arguments)


def tried(expression: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The example as it is seen at a prompt, and the same derivative without a rule."""
    try:
        return tuple(session(*expression)), difference(*expression)
    except Exception as problem:
        told = f"{expression[0]} at {', '.join(expression[1:]) or 'nothing'}: {problem}"
        sys.exit(f"{__file__}: an example does not run: {told}. Write another in EXAMPLES")


def session(function: str, *arguments: str) -> list[str]:
    """The derivative with respect to every argument, as it is seen at a prompt."""
    which = "" if len(arguments) == 1 else f", {tuple(range(len(arguments)))}"
    lines = ["import literate_ad.numpy as np", "from literate_ad import grad"]
    if "lambda" in function:
        lines.append(f"fun = {function}")
        function = "fun"
    lines.append(f"grad({function}{which})({', '.join(arguments)})")
    names: dict[str, Any] = {}
    for line in lines[:-1]:
        exec(line, names)
    value = repr(eval(lines[-1], names))
    return [*(f">>> {line}" for line in lines), value]


def difference(function: str, *arguments: str) -> str:
    """The same by raising and lowering each number a little: no rule has a say in it."""
    names = {"np": import_module("numpy")}
    fun, args = eval(function, names), [eval(each, names) for each in arguments]
    slopes = [shown(list(slopes_of(fun, args, place)), each) for place, each in enumerate(args)]
    return ", ".join(slopes)


def slopes_of(fun: Any, args: list[Any], place: int, step: float = 1e-5) -> Iterator[float]:
    """The slope of ``fun`` along every number of one argument."""
    np = import_module("numpy")
    value = np.asarray(args[place])
    for index in np.ndindex(*value.shape):
        ends = []
        for sign in (1, -1):
            moved = value.copy()
            moved[index] += sign * step
            ends.append(fun(*args[:place], moved[()], *args[place + 1 :]))
        yield float(ends[0] - ends[1]) / (2 * step)


def shown(slopes: list[float], like: Any) -> str:
    """Slopes to six decimals, in the shape of the argument that they belong to."""
    np = import_module("numpy")
    array = np.reshape(np.round(slopes, 6) + 0.0, np.shape(like))
    return str(array.tolist())
