# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Eight operations, one gradient
#
# The experiment of [NumPy primitives and their rules](../articles/06-numpy-primitives.md). One
# expression goes through `sin`, `exp`, `log`, `multiply`, `add`, `divide`, `subtract` and `sum`.
# Its gradient is compared with a formula that was found with pen and paper and knows nothing of
# the engine.

# %%
import numpy
from numpy import cos, exp, log

import literate_ad.numpy as np
from literate_ad import grad, make_jvp, make_vjp
from literate_book.record.recorder import forward_objects, short


def f(x):
    terms = np.sin(x) + np.exp(x) * np.log(x) - x / 2.0
    return np.sum(terms)


# %% [markdown]
# ## The formula
#
# Written with NumPy's own functions and never seen by the engine:
#
# $$ \nabla f(x) = \cos x + e^x \ln x + \frac{e^x}{x} - \frac12 $$
#
# One term for each way from an input to the sum; the product has two.


# %%
def analytical_gradient(x):
    return cos(x) + exp(x) * log(x) + exp(x) / x - 0.5


x = numpy.array([0.5, 1.5, 2.0])
gradient, formula = grad(f)(x), analytical_gradient(x)

print(f"literate_ad gradient={short(gradient)}")
print(f"analytical gradient={short(formula)}")

assert numpy.allclose(gradient, formula, rtol=1e-14)

# %% [markdown]
# ## Did it go through all eight?
#
# Not by reading the expression, but by asking the run what it recorded.

# %%
objects = [row["object"] for row in forward_objects(f, x)]
operations = [name.removeprefix("node ") for name in objects if name.startswith("node ")][1:]

print(f"operations: {', '.join(operations)}")

assert sorted(operations) == sorted("sin exp log multiply add divide subtract sum".split())

# %% [markdown]
# ## Two more witnesses
#
# Forward mode uses the same rules the other way around: one tangent for each input. Central
# differences use no rules at all.

# %%
directions = numpy.eye(3)
forward = numpy.array([make_jvp(f)(x)(direction)[1] for direction in directions])
step = 1e-6
differences = [(f(x + step * each) - f(x - step * each)) / (2 * step) for each in directions]

assert numpy.allclose(forward, formula, rtol=1e-14)
assert numpy.allclose(differences, formula, rtol=1e-7)

# %% [markdown]
# ## One recording, many questions
#
# The rules kept what they need while `f` ran. A pullback can be asked again, with another weight,
# and nothing is recorded a second time.

# %%
pullback, value = make_vjp(f)(x)
for weight in (1.0, 0.0, -2.5):
    assert numpy.allclose(pullback(weight), weight * formula)

print("all checks passed")
