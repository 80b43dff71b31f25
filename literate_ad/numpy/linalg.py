# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/22-linear-algebra.md#src-linalg-module
"""The public functions of ``numpy.linalg``, traced.

>>> import literate_ad.numpy as np
>>> import literate_ad.numpy.linalg as npla
>>> from literate_ad import grad
>>> grad(npla.det)(np.array([[1.0, 2.0], [3.0, 4.0]])).round(6)
array([[ 4., -3.],
       [-2.,  1.]])
"""

from literate_ad.numpy.numpy_wrapper import parts

globals().update(parts["linalg"])
__all__ = sorted(parts["linalg"])


def __dir__() -> list[str]:
    """NumPy's public names, and nothing of ours."""
    return __all__
