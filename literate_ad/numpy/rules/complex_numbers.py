# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/21-complex.md#src-complex-imports
"""Complex numbers: parts, conjugates, moduli and angles."""

from __future__ import annotations

from typing import Any

import numpy as np

import literate_ad.numpy.numpy_wrapper as anp
from literate_ad.numpy.forms import elementwise
from literate_ad.numpy.rules.joining import as_traced_array
from literate_ad.tracer import getval, isbox

# --- docs/en/articles/21-complex.md#src-complex-parts
# A cotangent g of z means dL = Re(g dz). With dy = dz for the real part, -i dz for the imaginary
# part and the conjugate of dz for the conjugate, these are the rules.
elementwise(anp.real, lambda g, _: g)
elementwise(anp.imag, lambda g, _: g * -1j)
elementwise(anp.conjugate, lambda g, _: anp.conjugate(g))
of_complex = anp.imag


def conjugated(x: Any) -> Any:
    """The conjugate; a real array as it is."""
    return anp.conjugate(x) if x.dtype.kind == "c" else x


@anp.compose(np.imag)
def imag(val: Any) -> Any:
    """``numpy.imag``, which is a constant for real numbers."""
    real = isbox(val) and val.dtype.kind != "c"
    return np.zeros(val.shape, val.dtype)[()] if real else of_complex(val)


# --- docs/en/articles/21-complex.md#src-complex-made
@anp.compose(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    """``numpy.angle``: of the real and the imaginary part."""
    z = as_traced_array(z)
    if not isbox(z):
        return np.angle(z, deg)
    radians = anp.arctan2(anp.imag(z), anp.real(z))
    return radians * (180 / np.pi) if deg else radians


real_sign = anp.sign


@anp.compose(np.sign)
def sign(x: Any, /, *args: Any, **options: Any) -> Any:
    """``numpy.sign``: a constant for real numbers, ``z / |z|`` for complex ones."""
    if not isbox(x) or x.dtype.kind != "c":
        return real_sign(x, *args, **options)
    r = anp.absolute(x)
    return x / anp.where(anp.equal(r, 0), 1.0, r)


@anp.compose(np.real_if_close)
def real_if_close(a: Any, tol: float = 100) -> Any:
    """``numpy.real_if_close``: the real part, if all imaginary parts are close to 0."""
    if not isbox(a):
        return np.real_if_close(a, tol)
    close = not np.iscomplexobj(np.real_if_close(getval(a), tol))
    return anp.real(a) if close and a.dtype.kind == "c" else a
