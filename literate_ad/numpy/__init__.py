# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-numpy-package
"""NumPy, traced: every function under its own name, with rules where it has a derivative."""

from importlib import import_module

from literate_ad.numpy import assignment, methods  # noqa: F401
from literate_ad.numpy.numpy_wrapper import __getattr__, namespace, parts  # noqa: F401

globals().update(namespace)
for part in parts:  # each takes the place of NumPy's module of that name
    import_module(f"literate_ad.numpy.{part}")
__all__ = sorted(namespace)


def __dir__() -> list[str]:
    """NumPy's public names, and nothing of ours."""
    return __all__
