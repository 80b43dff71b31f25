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
# # Every copy counted
#
# The experiment of [the reverse of broadcasting](../articles/07-broadcasting.md). Broadcasting
# pretends to copy. Here the copies are made, in memory, and a loop over places adds every cotangent
# to its original. The engine has to agree, for shapes of all kinds.

# %%
import numpy

import literate_ad.numpy as np
from literate_ad import grad, make_jvp, make_vjp
from literate_ad.core import vspace
from literate_ad.numpy.rules.broadcasting import unbroadcast

rng = numpy.random.default_rng(7)


def whole_numbers(shape):
    """Random, so that no symmetry hides a wrong axis; whole, so that sums are exact."""
    return rng.integers(-9, 10, shape).astype(float)


# %% [markdown]
# ## The copies, for real
#
# `original` says which number of an operand stands behind a place of the answer: shapes are
# aligned at their last axis, so surplus axes in front are dropped, and along an axis of length 1
# there is only number 0. The gradient of `sum(cotangents * x * y)` with respect to `x` is then a
# loop: each place adds its cotangent, times what its copy was multiplied by, to the original.


# %%
def original(place, shape):
    own = place[len(place) - len(shape) :]
    return tuple(0 if length == 1 else i for i, length in zip(own, shape, strict=True))


def by_hand(cotangents, x, y):
    y_copies = numpy.broadcast_to(y, cotangents.shape).copy()
    total = numpy.zeros(x.shape)
    for place in numpy.ndindex(cotangents.shape):
        total[original(place, x.shape)] += cotangents[place] * y_copies[place]
    return total


# %% [markdown]
# ## Shapes against shapes
#
# For each pair: the shape of the answer, how many copies were made of each number of `x` and of
# `y`, and whether the engine's two gradients are the ones made by hand. The comparison has no
# tolerance.

# %%
pairs = [
    ((2, 3), (2, 3)),
    ((2, 1), (3,)),
    ((2, 1), (1, 3)),
    ((3,), (2, 3)),
    ((3, 1), (3,)),
    ((), (2, 3)),
    ((1,), (2, 3)),
    ((1, 1), (4,)),
    ((4, 1, 3), (2, 4, 5, 3)),
    ((2, 1, 5, 1), (4, 1, 3)),
    ((1,), (0,)),
]

print(f"{'x':14}{'y':14}{'x * y':14}{'copies of x':>12}{'copies of y':>12}  gradients")
for shape_x, shape_y in pairs:
    x, y = whole_numbers(shape_x), whole_numbers(shape_y)
    cotangents = whole_numbers((x * y).shape)

    def loss(x, y, cotangents=cotangents):
        return np.sum(cotangents * (x * y))

    of_x, of_y = grad(loss, (0, 1))(x, y)
    assert numpy.array_equal(of_x, by_hand(cotangents, x, y))  # the shapes are compared too
    assert numpy.array_equal(of_y, by_hand(cotangents, y, x))

    copies = [cotangents.size // operand.size if operand.size else 0 for operand in (x, y)]
    counted = grad(lambda x, y: np.sum(x + y), (0, 1))(x, y)
    for operand_copies, each in zip(copies, counted, strict=True):
        assert numpy.all(each == operand_copies)

    shapes = f"{shape_x!s:14}{shape_y!s:14}{cotangents.shape!s:14}"
    print(f"{shapes}{copies[0]:12}{copies[1]:12}  as by hand")

# %% [markdown]
# The line with `(3, 1)` and `(3,)` is the square in which a sum over the wrong axis has the right
# shape. The cotangents are random, so it would have the wrong numbers.
#
# ## The dot-product test
#
# A linear map $A$ and its transpose satisfy
# $\langle g, A v \rangle = \langle A^{T} g, v \rangle$. The left side is the plain function, run
# on $v$; the right side is the engine's pullback. Forward mode has to agree with both.

# %%
maps = {
    "broadcast_to": (lambda v: np.broadcast_to(v, (4, 2, 3)), (2, 1)),
    "unbroadcast": (lambda v: unbroadcast(v, (2, 1)), (4, 2, 3)),
    "add, broadcast": (lambda v: v + np.zeros((4, 2, 3)), (2, 1)),
    "sum": (lambda v: np.sum(v, axis=(0, 2)), (4, 2, 3)),
    "mean": (lambda v: np.mean(v, axis=1), (3, 4, 2)),
    "astype": (lambda v: v.astype(np.float32), (2, 3)),
    "reshape": (lambda v: np.reshape(v, (3, 4), order="F"), (2, 6)),
    "ravel": (lambda v: np.ravel(v), (2, 3)),
    "transpose": (lambda v: np.transpose(v, (1, 2, 0)), (3, 3, 3)),
    "swapaxes": (lambda v: np.swapaxes(v, 0, 2), (3, 3, 3)),
    "moveaxis": (lambda v: np.moveaxis(v, 0, -1), (3, 3, 3)),
    "atleast_3d": (lambda v: np.atleast_3d(v), (2, 3)),
    "a slice": (lambda v: v[1:, ::2], (3, 4)),
    "an index array": (lambda v: v[[0, 2, 2]], (3, 4)),
    "a mask": (lambda v: v[np.arange(12).reshape(3, 4) % 3 == 0], (3, 4)),
    "where": (lambda v: np.where(np.arange(4) > 1, v, 0.0), (3, 1)),
    "stack": (lambda v: np.stack([v, np.zeros((2, 3)), -v], axis=-1), (2, 3)),
    "array": (lambda v: np.array([[v[0], v[1]], [v[1], 2.0 * v[2]]]), (3,)),
    "concatenate": (lambda v: np.concatenate([v, v[:, :1], v], axis=1), (2, 3)),
}
for shape_a, shape_b in [((2,), (2,)), ((2,), (2, 3)), ((4, 2), (2,)), ((5, 1, 4, 2), (6, 2, 3))]:
    a, b = whole_numbers(shape_a), whole_numbers(shape_b)
    maps[f"{shape_a} @ v"] = (lambda v, a=a: a @ v, shape_b)
    maps[f"v @ {shape_b}"] = (lambda v, b=b: v @ b, shape_a)
a, b = whole_numbers((5, 4, 2)), whole_numbers((3, 2, 6))
maps["dot(a, v)"] = (lambda v: np.dot(a, v), b.shape)
maps["dot(v, b)"] = (lambda v: np.dot(v, b), a.shape)

print()
print(f"{'linear map':20}{'from':14}{'to':14}{'<g, A v>':>10}{'<At g, v>':>10}")
for name, (linear_map, shape) in maps.items():
    v = whole_numbers(shape)
    pullback, value = make_vjp(linear_map)(v)
    g = whole_numbers(np.shape(value))
    plain = numpy.vdot(g, linear_map(v))
    back = numpy.vdot(pullback(g), v)
    assert plain == back
    assert plain == numpy.vdot(g, make_jvp(linear_map)(whole_numbers(shape))(v)[1])
    print(f"{name:20}{shape!s:14}{np.shape(value)!s:14}{plain:10.0f}{back:10.0f}")

# %% [markdown]
# ## Containers
#
# The same identity in a space whose members are dicts: the inner product is the sum of those of
# the parts.

# %%
parts = {"a": whole_numbers((2, 1)), "b": (whole_numbers((3,)), whole_numbers(())[()])}


def of_parts(parts):
    row, number = parts["b"]
    return np.concatenate([np.ravel(parts["a"] + row), 2.0 * row]) - number


pullback, value = make_vjp(of_parts)(parts)
g = whole_numbers(value.shape)
assert vspace(parts).inner_prod(pullback(g), parts) == numpy.vdot(g, of_parts(parts))
assert numpy.array_equal(make_jvp(of_parts)(parts)(parts)[1], of_parts(parts))

# %% [markdown]
# ## Types, and one derivative more
#
# The cotangent of a float32 that meets a float64 is a float32. The sum over the copies is traced,
# so it can be differentiated: the second derivative of $\sum_{ij} (c_i r_j)^2$ with
# respect to $r_j$ is $2 \sum_i c_i^2$.

# %%
narrow = whole_numbers((3,)).astype(numpy.float32)
wide = whole_numbers((2, 3))
pullback, value = make_vjp(lambda x: x * wide)(narrow)
assert value.dtype == numpy.float64
assert pullback.end_node.vjp(wide)[0].dtype == numpy.float32
assert make_jvp(lambda x: x + wide)(narrow)(narrow)[1].dtype == numpy.float64

c, r = whole_numbers((2, 1)), whole_numbers((3,))
second = grad(lambda r: np.sum(grad(lambda r: np.sum((c * r) ** 2))(r)))(r)
assert numpy.array_equal(second, numpy.full(3, 2.0 * numpy.sum(c**2)))

print("all checks passed")
