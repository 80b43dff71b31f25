# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-numpy-package
"""NumPy, traced: every function under its own name, with rules where it has a derivative."""

from literate_ad.numpy import numpy_boxes, numpy_vjps, numpy_vspaces, numpy_wrapper  # noqa: F401

# Only now, when every declaration has put its own function under NumPy's name.
from literate_ad.numpy.numpy_wrapper import *  # noqa: F403
from literate_ad.numpy.numpy_wrapper import __getattr__  # noqa: F401
