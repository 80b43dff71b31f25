# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/01-derivative-programs.md#src-package
"""Automatic differentiation for NumPy: the engine of the Literate AD articles."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from literate_ad.differential_operators import (
        deriv,
        elementwise_grad,
        grad,
        hessian,
        hessian_vector_product,
        jacobian,
        make_hvp,
        make_jvp,
        make_vjp,
        value_and_grad,
    )
    from literate_ad.tracer import primitive

__version__ = "0.1.0"
__all__ = [
    "deriv", "elementwise_grad", "grad", "hessian", "hessian_vector_product", "jacobian",
    "make_hvp", "make_jvp", "make_vjp", "primitive", "value_and_grad",
]  # fmt: skip
submodules = ("builtins", "core", "differential_operators", "extend", "numpy", "tracer", "util")


def __getattr__(name: str) -> object:
    """Imports the engine at its first use: the toolchain must run while the engine is broken."""
    if name in submodules:
        return import_module(f"{__name__}.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "tracer" if name == "primitive" else "differential_operators"
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
