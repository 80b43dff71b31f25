# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-own-primitives.md#src-extend
"""What an extension of the engine needs: primitives, rules, boxes and spaces."""

from literate_ad.core import (
    JVPNode,
    SparseObject,
    VJPNode,
    VSpace,
    def_linear,
    defjvp,
    defjvp_argnum,
    defjvp_argnums,
    defvjp,
    defvjp_argnum,
    defvjp_argnums,
    vspace,
)
from literate_ad.numpy.forms import differentiable, elementwise, linear, multilinear
from literate_ad.tracer import Box, notrace_primitive, primitive, register_notrace

__all__ = [
    "Box", "JVPNode", "SparseObject", "VJPNode", "VSpace", "def_linear", "defjvp", "defjvp_argnum",
    "defjvp_argnums", "defvjp", "defvjp_argnum", "defvjp_argnums", "differentiable", "elementwise",
    "linear", "multilinear", "notrace_primitive", "primitive", "register_notrace", "vspace",
]  # fmt: skip
