# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/01-derivative-programs.md#src-package
"""Automatic differentiation for NumPy: the engine of the Literate AD articles."""

from literate_ad import builtins, core, extend, numpy, tracer, util  # noqa: F401
from literate_ad.differential_operators import (
    deriv,
    elementwise_grad,
    grad,
    hessian,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_hvp,
    make_jvp,
    make_vjp,
    value_and_grad,
)
from literate_ad.tracer import primitive

__version__ = "0.1.0"
__all__ = [
    "deriv", "elementwise_grad", "grad", "hessian", "hessian_vector_product",
    "holomorphic_grad", "jacobian",
    "make_hvp", "make_jvp", "make_vjp", "primitive", "value_and_grad",
]  # fmt: skip
