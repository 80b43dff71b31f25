# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/23-fourier.md#src-fft-module
"""The public functions of ``numpy.fft``, traced.

>>> import literate_ad.numpy as np
>>> import literate_ad.numpy.fft as npfft
>>> from literate_ad import grad
>>> grad(lambda x: np.sum(np.abs(npfft.fft(x)) ** 2))(np.array([1.0, 2.0, 3.0])).round(6)
array([ 6., 12., 18.])
"""

from literate_ad.numpy.numpy_wrapper import parts

globals().update(parts["fft"])
__all__ = sorted(parts["fft"])


def __dir__() -> list[str]:
    """NumPy's public names, and nothing of ours."""
    return __all__
