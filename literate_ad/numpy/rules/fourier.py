# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/23-fourier.md#src-fourier-imports
"""Fourier transforms: linear maps, each with its transpose."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import linear
from literate_ad.numpy.rules.joining import as_traced_array, concatenate
from literate_ad.numpy.rules.pieces import for_traced
from literate_ad.numpy.rules.reductions import not_into
from literate_ad.tracer import isbox

fft = anp.parts["fft"]


# --- docs/en/articles/23-fourier.md#src-fourier-fitted
def fitted(x: Any, length: int, axis: int) -> Any:
    """``x`` cut, or filled with zeros, to a length along an axis, as ``n`` does it."""
    now = x.shape[axis]
    if now >= length:
        return x if now == length else x[(*[slice(None)] * axis, slice(length))]
    missing = [length - now if i == axis else n for i, n in enumerate(x.shape)]
    return concatenate([x, np.zeros(missing, x.dtype)], axis)


# --- docs/en/articles/23-fourier.md#src-fourier-complex
def same_transform(name: str) -> Callable[..., Any]:
    """The matrix of a complex transform is symmetric: its transpose is the transform itself."""

    def transpose(g: Any, x_shape: Any, n: Any, axis: Any, norm: Any) -> Any:
        (axis,) = axis
        length = x_shape[axis] if n is None else n
        return fitted(fft[name](g, length, axis, norm), x_shape[axis], axis)

    return transpose


linear(fft["fft"], same_transform("fft"))
linear(fft["ifft"], same_transform("ifft"))


# --- docs/en/articles/23-fourier.md#src-fourier-real
def rfft_transpose(g: Any, x_shape: Any, n: Any, axis: Any, norm: Any) -> Any:
    """The frequencies that were left out have the cotangent 0; of the rest the real part counts."""
    (axis,) = axis
    length = x_shape[axis] if n is None else n
    full = anp.real(fft["fft"](fitted(g, length, axis), length, axis, norm))
    return fitted(full, x_shape[axis], axis)


def irfft_transpose(g: Any, x_shape: Any, axis: Any, norm: Any) -> Any:
    """Each frequency but the first, and the middle one, stands for its conjugate as well."""
    (axis,) = axis
    length = g.shape[axis]
    twice = np.full(length // 2 + 1, 2.0, g.real.dtype)
    twice[0] = 1.0
    if length % 2 == 0:
        twice[-1] = 1.0
    twice = twice.reshape([-1 if i == axis else 1 for i in range(g.ndim)])
    inverse = {"backward": "forward", None: "forward", "forward": "backward"}.get(norm, norm)
    spectrum = anp.conjugate(fft["rfft"](g, length, axis, inverse))
    return fitted(spectrum * twice, x_shape[axis], axis)


linear(fft["rfft"], rfft_transpose)
linear(fft["irfft"], irfft_transpose)
of_complex = fft["irfft"]


@anp.compose(np.fft.irfft)
@wraps(np.fft.irfft)
def irfft(a: Any, *args: Any, **kwargs: Any) -> Any:
    """``numpy.fft.irfft``, of a real array as of a complex one."""
    a = as_traced_array(a)
    if isbox(a) and a.dtype.kind != "c":  # so that its cotangent is cast back, to a real one
        a = anp.cast(a, np.result_type(a.dtype, np.complex64))
    return of_complex(a, *args, **kwargs)


# --- docs/en/articles/23-fourier.md#src-fourier-hermitian
def composed(name: str) -> Callable[..., Any]:
    """Decorates a transform made of others: NumPy's own serves plain arrays."""

    def install(traced: Callable[..., Any]) -> Any:
        def f(a: Any, *args: Any, out: Any = None, **kwargs: Any) -> Any:
            not_into(name, out)
            return traced(as_traced_array(a), *args, **kwargs)

        return for_traced(getattr(np.fft, name), 0)(f)

    return install


swapped = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


@composed("hfft")
def hfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """``irfft`` of the conjugate, scaled the other way round."""
    return fft["irfft"](anp.conjugate(a), n, axis, swapped[norm])


@composed("ihfft")
def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The conjugate of ``rfft``, scaled the other way round."""
    return anp.conjugate(fft["rfft"](a, n, axis, swapped[norm]))


# --- docs/en/articles/23-fourier.md#src-fourier-axes
def axes_and_lengths(a: Any, s: Any, axes: Any, halved: bool = False) -> list[tuple[int, Any]]:
    """The axes of a transform with the length along each."""
    if axes is None:
        axes = range(a.ndim) if s is None else range(-len(s), 0)
    axes = list(axes)
    if s is None:
        s = [a.shape[axis] for axis in axes]
        if halved:
            s[-1] = 2 * (a.shape[axes[-1]] - 1)
    return [(axis, a.shape[axis] if n == -1 else n) for axis, n in zip(axes, s, strict=True)]


def over_axes(name: str, plane: bool) -> None:
    """``fftn`` and ``ifftn``, and for a plane ``fft2`` and ``ifft2``."""

    def f(a: Any, s: Any = None, axes: Any = (-2, -1) if plane else None, norm: Any = None) -> Any:
        for axis, n in reversed(axes_and_lengths(a, s, axes)):
            a = fft[name](a, n, axis, norm)
        return a

    composed(name + ("2" if plane else "n"))(f)


def real_over_axes(plane: bool) -> None:
    """``rfftn`` and ``irfftn``, for a plane ``rfft2`` and ``irfft2``: real along the last axis."""

    def forward(
        a: Any, s: Any = None, axes: Any = (-2, -1) if plane else None, norm: Any = None
    ) -> Any:
        *others, (last, length) = axes_and_lengths(a, s, axes)
        a = fft["rfft"](a, length, last, norm)
        for axis, n in reversed(others):
            a = fft["fft"](a, n, axis, norm)
        return a

    def inverse(
        a: Any, s: Any = None, axes: Any = (-2, -1) if plane else None, norm: Any = None
    ) -> Any:
        *others, (last, length) = axes_and_lengths(a, s, axes, halved=True)
        for axis, n in others:
            a = fft["ifft"](a, n, axis, norm)
        return fft["irfft"](a, length, last, norm)

    composed("rfft2" if plane else "rfftn")(forward)
    composed("irfft2" if plane else "irfftn")(inverse)


for plane in (False, True):
    over_axes("fft", plane)
    over_axes("ifft", plane)
    real_over_axes(plane)


# --- docs/en/articles/23-fourier.md#src-fourier-shifts
def shift(name: str, direction: int) -> None:
    """``fftshift`` or ``ifftshift``: reading in a rotated order."""

    def f(x: Any, axes: Any = None) -> Any:
        for axis in range(x.ndim) if axes is None else np.atleast_1d(axes):
            n = x.shape[int(axis)]
            order = np.roll(np.arange(n), direction * (n // 2))
            x = x[(*[slice(None)] * (int(axis) % x.ndim), order)]
        return x

    composed(name)(f)


shift("fftshift", 1)
shift("ifftshift", -1)
