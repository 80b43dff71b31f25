# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-numpy-vjps
"""The rules of NumPy's functions: importing this module declares them all."""

from literate_ad.numpy.rules import (  # noqa: F401
    arithmetic,
    complex_numbers,
    contractions,
    decompositions,
    elementary,
    fourier,
    indexing,
    joining,
    linalg,
    norms,
    ordering,
    pieces,
    products,
    reductions,
    selection,
    shaping,
    statistics,
    ufunc_methods,
)
from literate_ad.numpy.rules.broadcasting import unbroadcast, unbroadcast_f

__all__ = ["unbroadcast", "unbroadcast_f"]
