# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/18b-einsum.md#src-contractions-imports
"""Contractions: ``einsum`` and its relatives, as matrix products of arrays laid flat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.rules.complex_numbers import conjugated
from literate_ad.numpy.rules.joining import as_traced_array, stack, with_dtype
from literate_ad.numpy.rules.pieces import for_traced
from literate_ad.numpy.rules.reductions import not_into
from literate_ad.tracer import isbox

Function = Callable[..., Any]


# --- docs/en/articles/18b-einsum.md#src-contract
def contract(a: Any, letters_a: str, b: Any, letters_b: str, keep: str) -> tuple[Any, str]:
    """The product of two arrays, summed over the letters that ``keep`` lacks, and its letters.

    No letter is twice in an array, and each that only one of them has is in ``keep``.
    """
    shared = [letter for letter in letters_a if letter in letters_b]
    batch = [letter for letter in shared if letter in keep]
    summed = [letter for letter in shared if letter not in keep]
    free_a = [letter for letter in letters_a if letter not in shared]
    free_b = [letter for letter in letters_b if letter not in shared]
    size = dict(zip(letters_a + letters_b, a.shape + b.shape))
    a = in_order(a, letters_a, batch + free_a + summed)
    b = in_order(b, letters_b, batch + (summed + free_b if summed else free_b))
    batches, rows, inner, columns = (
        [size[letter] for letter in each] for each in (batch, free_a, summed, free_b)
    )
    if summed:
        left = shaped(a, (*batches, prod(rows), prod(inner)))
        right = shaped(b, (*batches, prod(inner), prod(columns)))
        result = anp.matmul(left, right)
    else:
        left = shaped(a, (*batches, *rows, *[1] * len(columns)))
        result = left * shaped(b, (*batches, *[1] * len(rows), *columns))
    return shaped(result, (*batches, *rows, *columns)), "".join(batch + free_a + free_b)


def shaped(x: Any, shape: tuple[int, ...]) -> Any:
    """``reshape``, where there is something to do."""
    return x if x.shape == shape else anp.reshape(x, shape)


def in_order(x: Any, letters: str, wanted: Sequence[str]) -> Any:
    """``x`` with its axes in the order of the wanted letters."""
    return permuted(x, [letters.index(letter) for letter in wanted])


def permuted(x: Any, axes: list[int]) -> Any:
    """``transpose``, where there is something to do."""
    return x if axes == sorted(axes) else anp.transpose(x, axes)


# --- docs/en/articles/18b-einsum.md#src-single
def single(x: Any, letters: str, keep: str) -> tuple[Any, str]:
    """``x`` with repeated letters read on their diagonal, and letters nothing else has summed."""
    for letter in dict.fromkeys(letters) if len(set(letters)) < len(letters) else ():
        places = [i for i, each in enumerate(letters) if each == letter]
        if len(places) > 1:
            rest = [i for i in range(len(letters)) if i not in places]
            x = anp.transpose(x, places + rest)
            x = x[(np.arange(x.shape[0]),) * len(places)]
            letters = letter + "".join(letters[i] for i in rest)
    alone = tuple([i for i, letter in enumerate(letters) if letter not in keep])
    if alone:
        x = anp.sum(x, alone)
        letters = "".join(letter for letter in letters if letter in keep)
    return x, letters


def without_stretched(x: Any, letters: str, size: dict[str, int]) -> tuple[Any, str]:
    """``x`` without the axes of length 1 that are longer elsewhere: they are broadcast."""
    shape = x.shape
    kept = [i for i, letter in enumerate(letters) if shape[i] == size[letter]]
    if len(kept) == len(letters):
        return x, letters
    return anp.reshape(x, [shape[i] for i in kept]), "".join(letters[i] for i in kept)


# --- docs/en/articles/18b-einsum.md#src-einsum
@anp.compose(np.einsum)
def einsum(*operands: Any, **options: Any) -> Any:
    """``numpy.einsum`` in all its forms; of traced values a sequence of matrix products."""
    subscripts, arrays = string_form(operands)
    arrays = [as_traced_array(x) for x in arrays]
    if not any(map(isbox, arrays)):
        return np.einsum(*operands, **options)
    arrays = [with_dtype(x) for x in arrays]
    if options.pop("out", None) is not None:
        raise TypeError("einsum of traced values cannot be written into out: use its answer")
    optimize, dtype = options.pop("optimize", True), options.pop("dtype", None)
    inputs, output = explicit(subscripts, tuple([x.ndim for x in arrays]))
    size: dict[str, int] = {}
    for letters, x in zip(inputs, arrays):
        for letter, n in zip(letters, x.shape):
            if size.setdefault(letter, n) != n and 1 not in (size[letter], n):
                raise ValueError(
                    f"einsum({subscripts!r}): the index {letter} stands for axes of length "
                    f"{size[letter]} and {n}"
                )
            size[letter] = max(size[letter], n) if n != 0 else 0
    factors = [without_stretched(*pair, size) for pair in zip(arrays, inputs)]
    result, letters = product_of(factors, output, optimize)
    missing = "".join([letter for letter in output if letter not in letters])
    result = shaped(result, result.shape + (1,) * len(missing))  # they have length 1 everywhere
    result = in_order(result, letters + missing, output)
    return result if dtype is None else anp.astype(result, dtype)


def product_of(factors: list[tuple[Any, str]], output: str, optimize: Any) -> tuple[Any, str]:
    """The product of all factors, two at a time, in the order that NumPy finds cheapest."""
    factors = list(factors)
    for places in order_of(factors, output, optimize):
        chosen = [factors.pop(place) for place in sorted(places, reverse=True)][::-1]
        keep = output + "".join(letters for _, letters in factors)
        (x, letters), *others = [
            single(each, names, keep + "".join(n for j, (_, n) in enumerate(chosen) if j != i))
            for i, (each, names) in enumerate(chosen)
        ]
        for i, (y, names) in enumerate(others):
            later = keep + "".join(n for _, n in others[i + 1 :])
            x, letters = contract(x, letters, y, names, later)
        factors.append(single(x, letters, keep))
    return factors[0]


def order_of(factors: list[tuple[Any, str]], output: str, optimize: Any) -> list[tuple[int, ...]]:
    """Which places are multiplied next, step by step."""
    if len(factors) < 3:
        return [tuple(range(len(factors)))]
    used = "".join(dict.fromkeys("".join(letters for _, letters in factors)))
    subscripts = (
        ",".join(letters for _, letters in factors)
        + "->"
        + "".join(letter for letter in output if letter in used)
    )
    empties = [np.broadcast_to(0.0, x.shape) for x, _ in factors]
    path, _ = np.einsum_path(subscripts, *empties, optimize=optimize or True)
    return path[1:]


# --- docs/en/articles/18b-einsum.md#src-einsum-forms
def string_form(operands: Sequence[Any]) -> tuple[str, list[Any]]:
    """Subscripts and arrays of a call, also of one like ``einsum(a, [0, 1], b, [1])``."""
    if isinstance(operands[0], str):
        return operands[0], list(operands[1:])
    arrays, lists = list(operands[: len(operands) // 2 * 2 : 2]), list(operands[1::2])
    if len(operands) % 2:
        lists.append(operands[-1])
    names = [
        "".join("..." if each is Ellipsis else LETTERS[each] for each in numbers)
        for numbers in lists
    ]
    inputs = ",".join(names[: len(arrays)])
    return (f"{inputs}->{names[-1]}" if len(operands) % 2 else inputs), arrays


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@lru_cache(1024)
def explicit(subscripts: str, ndims: tuple[int, ...]) -> tuple[list[str], str]:
    """The letters of each operand and of the output, some of them for an ellipsis."""
    given, arrow, output = subscripts.replace(" ", "").partition("->")
    parts = given.split(",")
    if len(parts) != len(ndims):
        raise ValueError(f"einsum({subscripts!r}): {len(parts)} terms for {len(ndims)} operands")
    unused = [letter for letter in LETTERS if letter not in subscripts]
    counts = [n - len(part.replace("...", "")) for part, n in zip(parts, ndims)]
    for part, n in zip(parts, counts):
        if n < 0 or (n > 0 and "..." not in part):
            raise ValueError(
                f"einsum({subscripts!r}): {part!r} does not name the axes of its operand"
            )
    longest = max([n for part, n in zip(parts, counts) if "..." in part], default=0)
    dots = "".join(unused[:longest])
    inputs = [part.replace("...", dots[longest - n :]) for part, n in zip(parts, counts)]
    if not arrow:
        named = given.replace(",", "").replace("...", "")
        output = "..." + "".join(sorted(x for x in set(named) if named.count(x) == 1))
    return inputs, output.replace("...", dots)


# --- docs/en/articles/18b-einsum.md#src-tensordot
@anp.compose(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``numpy.tensordot``: a matrix product of the two, with the summed axes laid flat."""
    a, b = as_traced_array(a), as_traced_array(b)
    if not (isbox(a) or isbox(b)):
        return np.tensordot(a, b, axes)
    a, b = with_dtype(a), with_dtype(b)
    n, m = a.ndim, b.ndim
    if isinstance(axes, int):
        axes = list(range(n - axes, n)), list(range(axes))
    axes_a, axes_b = ([each] if isinstance(each, int) else list(each) for each in axes)
    axes_a, axes_b = [axis % n for axis in axes_a], [axis % m for axis in axes_b]
    if [a.shape[i] for i in axes_a] != [b.shape[i] for i in axes_b]:
        raise ValueError(
            f"tensordot: shapes {a.shape} and {b.shape} differ along the axes {axes_a} and {axes_b}"
        )
    rest_a = [i for i in range(n) if i not in axes_a]
    rest_b = [i for i in range(m) if i not in axes_b]
    rows, columns = [a.shape[i] for i in rest_a], [b.shape[i] for i in rest_b]
    inner = prod([a.shape[i] for i in axes_a])
    left = shaped(permuted(a, rest_a + axes_a), (prod(rows), inner))
    right = shaped(permuted(b, axes_b + rest_b), (inner, prod(columns)))
    return shaped(anp.matmul(left, right), (*rows, *columns))


# --- docs/en/articles/18b-einsum.md#src-vector-products
def of_traced(raw: Any) -> Callable[[Function], Function]:
    """Decorates a product of two arrays, for traced ones; NumPy's own serves all others."""

    def install(fun: Function) -> Function:
        def f(a: Any, b: Any, *args: Any, out: Any = None, **kwargs: Any) -> Any:
            not_into(raw.__name__, out)
            a, b = (with_dtype(as_traced_array(x)) for x in (a, b))
            return fun(a, b, *args, **kwargs)

        return for_traced(raw, 0, 1)(f)

    return install


@of_traced(np.inner)
def inner(a: Any, b: Any) -> Any:
    """``numpy.inner``: the sum over the last axes of both."""
    if a.ndim == 0 or b.ndim == 0:
        return anp.multiply(a, b)
    return tensordot(a, b, (-1, -1))


@of_traced(np.outer)
def outer(a: Any, b: Any) -> Any:
    """``numpy.outer``: every number of ``a`` times every number of ``b``."""
    return anp.multiply(anp.reshape(a, (-1, 1)), anp.reshape(b, (1, -1)))


@of_traced(np.vdot)
def vdot(a: Any, b: Any) -> Any:
    """``numpy.vdot``: the inner product of all numbers, those of ``a`` conjugated."""
    return anp.matmul(conjugated(anp.ravel(a)), anp.ravel(b))


# --- docs/en/articles/18b-einsum.md#src-kron-and-others
@of_traced(np.kron)
def kron(a: Any, b: Any) -> Any:
    """``numpy.kron``: blocks of ``b``, each multiplied by a number of ``a``."""
    n = max(a.ndim, b.ndim)
    shape_a, shape_b = (1,) * (n - a.ndim) + a.shape, (1,) * (n - b.ndim) + b.shape
    a = anp.reshape(a, [k for size in shape_a for k in (size, 1)])
    b = anp.reshape(b, [k for size in shape_b for k in (1, size)])
    return anp.reshape(a * b, [k * m for k, m in zip(shape_a, shape_b)])


@of_traced(np.vecdot)
def vecdot(a: Any, b: Any, *, axis: int = -1) -> Any:
    """``numpy.vecdot``: the inner product along an axis, ``a`` conjugated."""
    return anp.sum(conjugated(anp.moveaxis(a, axis, -1)) * anp.moveaxis(b, axis, -1), -1)


if hasattr(np, "matvec"):  # since NumPy 2.2

    @of_traced(np.matvec)
    def matvec(a: Any, b: Any) -> Any:
        """``numpy.matvec``: each matrix times each vector."""
        return anp.squeeze(anp.matmul(a, anp.expand_dims(b, -1)), -1)

    @of_traced(np.vecmat)
    def vecmat(a: Any, b: Any) -> Any:
        """``numpy.vecmat``: each vector, conjugated, times each matrix."""
        return anp.squeeze(anp.matmul(anp.expand_dims(conjugated(a), -2), b), -2)


# --- docs/en/articles/18b-einsum.md#src-cross
@of_traced(np.cross)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """``numpy.cross``: of vectors of length 3; one of length 2 has the last component 0."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = anp.moveaxis(a, axisa, -1), anp.moveaxis(b, axisb, -1)
    if not {a.shape[-1], b.shape[-1]} <= {2, 3}:
        raise ValueError(f"cross: vectors have length 2 or 3, not {a.shape[-1]} and {b.shape[-1]}")
    flat = a.shape[-1] == b.shape[-1] == 2
    (a0, a1, a2), (b0, b1, b2) = components(a), components(b)
    last = a0 * b1 - a1 * b0
    if flat:
        return last
    return anp.moveaxis(stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, last], -1), -1, axisc)


def components(x: Any) -> list[Any]:
    """The three components of vectors along the last axis."""
    parts = [x[..., i] for i in range(x.shape[-1])]
    return [*parts, np.zeros(parts[0].shape, x.dtype)][:3]
