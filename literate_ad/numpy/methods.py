# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/04-tracer.md#src-methods-imports
"""What a traced array does when it is used like an array: one table, an operation or an error."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import literate_ad.numpy.numpy_vjps  # noqa: F401  every rule has been declared from here on
import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.numpy_boxes import ArrayBox, copied
from literate_ad.numpy.recorder import comparison_recorder
from literate_ad.numpy.rules.indexing import getitem
from literate_ad.numpy.rules.joining import as_traced_array
from literate_ad.tracer import Box, LostDerivativeError, box_types, getval


# --- docs/en/articles/04-tracer.md#src-operator-table
def swapped(fun: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The method for an operator whose left operand is not traced."""
    return lambda x, y: fun(y, x)


def attempt(fun: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator method: for an operand that NumPy cannot use, the operand's class may answer."""

    def method(x: Any, y: Any) -> Any:
        return NotImplemented if is_foreign(x) or is_foreign(y) else fun(x, y)

    return method


def is_foreign(y: Any) -> bool:
    """Whether ``y`` is of a class of its own, or of no use in arithmetic."""
    return not (hasattr(y, "dtype") or isinstance(y, (int, float, complex, list, tuple)))


# Each operator with its function. A function with an operator form of its own has it in `operator`.
OPERATORS = {
    "add": anp.add, "sub": anp.subtract, "mul": anp.multiply, "truediv": anp.divide,
    "pow": anp.power, "mod": anp.remainder, "floordiv": anp.floor_divide, "matmul": anp.matmul,
    "divmod": lambda x, y: (x // y, x % y),
    "and": anp.bitwise_and, "or": anp.bitwise_or, "xor": anp.bitwise_xor,
}  # fmt: skip
for name, fun in OPERATORS.items():
    method = getattr(fun, "operator", None) or attempt(fun)
    setattr(ArrayBox, f"__{name}__", method)
    setattr(ArrayBox, f"__r{name}__", swapped(method))

COMPARISONS = {
    "eq": anp.equal, "ne": anp.not_equal, "lt": anp.less, "le": anp.less_equal,
    "gt": anp.greater, "ge": anp.greater_equal,
}  # fmt: skip
for name, fun in COMPARISONS.items():
    setattr(ArrayBox, f"__{name}__", comparison_recorder(fun, getattr(operator, name)))

for name, fun in {
    "neg": anp.negative, "pos": anp.positive, "abs": anp.absolute, "invert": anp.invert,
}.items():  # fmt: skip
    setattr(ArrayBox, f"__{name}__", fun)
ArrayBox.__getitem__ = getitem

# --- docs/en/articles/04-tracer.md#src-array-box-methods
# Methods with the arguments of the function of the same name: x.sum(axis=0) is sum(x, axis=0).
for name in """
    all any argmax argmin argpartition argsort astype clip conj cumprod cumsum diagonal dot max mean
    min nonzero prod ravel repeat round searchsorted squeeze std sum swapaxes take trace var
""".split():
    setattr(ArrayBox, name, getattr(anp, name))

# Methods whose arguments differ from the function's, or that have no function.
METHODS: dict[str, Callable[..., Any]] = {
    "reshape": lambda x, *shape, **order: anp.reshape(
        x, shape[0] if len(shape) == 1 else shape, **order
    ),
    "transpose": lambda x, *axes: anp.transpose(x, axes[0] if len(axes) == 1 else axes or None),
    "flatten": lambda x, order="C": copied(anp.ravel(x, order)),
    "copy": lambda x, order="C": copied(x),
    "conjugate": lambda x: anp.conj(x),
    "compress": lambda x, condition, axis=None: anp.compress(condition, x, axis),
    "choose": lambda x, choices, **mode: anp.choose(x, choices, **mode),
    "__array_namespace__": lambda x, *, api_version=None: sys.modules["literate_ad.numpy"],
}
for name, method in METHODS.items():
    setattr(ArrayBox, name, method)

# Attributes: those of the value, which no trace changes, and those that are functions of it.
for name in ("itemsize", "nbytes", "strides", "flags"):
    setattr(ArrayBox, name, property(lambda self, name=name: getattr(getval(self), name)))
for name, fun in {
    "T": lambda x: anp.transpose(x), "mT": lambda x: anp.swapaxes(x, -1, -2),
    "real": anp.real, "imag": anp.imag,
}.items():  # fmt: skip
    setattr(ArrayBox, name, property(fun))


# --- docs/en/articles/04-tracer.md#src-refusals
def refusal(what: str, instead: str) -> Callable[..., NoReturn]:
    """A method that would lose the derivative, or write into the value: an error that says so."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise LostDerivativeError(f"{what} would lose the derivative of a traced value: {instead}")

    return refuse


plain = (
    "use functions of literate_ad.numpy or numpy on it, "
    "or literate_ad.tracer.getval(x) for its value as a constant"
)
rebuild = (
    "build the new array, with where(mask, v, x), concatenate([x[:i], [v], x[i + 1:]]) "
    "or array([...])"
)
REFUSALS = {
    "__float__": ("float(x), a function of module math, or an assignment a[i] = x", plain),
    "__int__": ("int(x)", plain),
    "__complex__": ("complex(x)", plain),
    "__round__": ("round(x)", "call round of literate_ad.numpy"),
    "__index__": ("using it as an index", plain),
    "__delitem__": ("del x[i]", rebuild),
    "item": ("x.item()", plain),
    "tolist": ("x.tolist()", plain),
    "tobytes": ("x.tobytes()", plain),
    "view": ("x.view()", plain),
    "dump": ("x.dump()", plain),
    "dumps": ("x.dumps()", plain),
    "tofile": ("x.tofile()", plain),
    "getfield": ("x.getfield()", plain),
    "setfield": ("x.setfield()", rebuild),
    "setflags": ("x.setflags()", plain),
    "byteswap": ("x.byteswap()", plain),
    "fill": ("x.fill(v)", "use full(shape, v)"),
    "put": ("x.put(indices, values)", rebuild),
    "itemset": ("x.itemset(i, v)", rebuild),
    "sort": ("x.sort(), which sorts in place,", "write x = sort(x)"),
    "partition": ("x.partition(), which works in place,", "write x = partition(x, kth)"),
    "resize": ("x.resize(), which works in place,", "write x = resize(x, shape)"),
}
for name, (what, instead) in REFUSALS.items():
    setattr(ArrayBox, name, refusal(what, instead))


def missing_attribute(self: Any, name: str) -> NoReturn:
    """What is not in the table."""
    raise AttributeError(
        f"a traced array has no {name!r}: use a function of literate_ad.numpy instead"
    )


ArrayBox.__getattr__ = missing_attribute


# --- docs/en/articles/04-tracer.md#src-array-conversion
def array_conversion(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """NumPy makes a plain array of a traced value: an error that names the call."""
    raise LostDerivativeError(
        f"{array_maker(sys._getframe(1))} makes a plain numpy array of a traced value, which "
        f"would lose the derivative: build arrays of traced values with "
        f"literate_ad.numpy.array, stack or concatenate, and write a @ x instead of a.dot(x)"
    )


def array_maker(frame: Any) -> str:
    """The call, in the code of a library or in the caller's own, that makes the array."""
    library = ""
    while frame and str(frame.f_globals.get("__name__")).split(".")[0] in LIBRARIES:
        module = str(frame.f_globals["__name__"]).split(".")[0]
        if module != "literate_ad" and not frame.f_code.co_name.startswith(("_", "<")):
            library = f"{module}'s {frame.f_code.co_name}, called in "
        frame = frame.f_back
    if frame is None:
        return f"{library}an unknown place"
    return f"{library}line {frame.f_lineno} of {frame.f_code.co_filename}"


LIBRARIES = {"numpy", "scipy", "literate_ad"}
ArrayBox.__array__ = array_conversion


# --- docs/en/articles/06-numpy-primitives.md#src-array-ufunc
def array_ufunc(self: Box, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``numpy.sin(x)`` on a traced ``x`` runs the primitive of the same function."""
    if kwargs.get("out") is not None:
        raise TypeError(
            f"numpy.{ufunc.__name__} cannot write a traced value into an existing array "
            f"(out=, or a += x with a plain a): write a = a + x"
        )
    inputs = tuple([as_traced_array(x) for x in inputs])
    call = anp.primitives.get(ufunc)
    if method != "__call__":
        call = getattr(call, method, None)
    if call is None:
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise NotImplementedError(
            f"{name} cannot be traced: write it with functions of literate_ad.numpy"
        )
    return call(*inputs, **kwargs)


# --- docs/en/articles/15-shapes.md#src-array-function
def array_function(self: Box, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """The same for NumPy's other functions; with boxes inside a list, NumPy's own code runs."""
    call = anp.primitives.get(func)
    if call is None:
        raise NotImplementedError(
            f"{func.__module__}.{func.__name__} cannot be traced: "
            f"write it with functions of literate_ad.numpy"
        )
    given = {type(arg) for arg in (*args, *kwargs.values())}
    if ArrayBox not in given and given & box_types:  # a traced list
        args = tuple([as_traced_array(arg) for arg in args])
        kwargs = {name: as_traced_array(value) for name, value in kwargs.items()}
    elif ArrayBox not in given and hasattr(call, "fun"):
        return func._implementation(*args, **kwargs)
    return call(*args, **kwargs)


Box.__array_ufunc__ = array_ufunc
Box.__array_function__ = array_function
