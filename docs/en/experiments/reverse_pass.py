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
# # Your own reverse pass, and a wrong one
#
# The experiment of [The reverse pass, step by step](../articles/05-reverse-pass.md). The engine
# records the graph; the pass over it is ours. It needs three things of a node: its `parents`, its
# pullback `vjp`, and its `index`. We write it twice, once in order and once by recursion, and
# compare both with derivatives worked out on paper.

# %%
import math

import numpy as np

from literate_ad import grad, make_vjp
from literate_ad.numpy import cos, exp, sin
from literate_ad.util import toposort
from literate_book.record.recorder import reverse_history

# %% [markdown]
# ## In order
#
# The dictionary `pending` holds, for each node, the sum of the contributions so far. The newest
# node in it is visited next, because everything computed from a node is newer than the node.


# %%
def reverse(g, end_node):
    pending = {end_node: g}
    while True:
        node = max(pending, key=lambda node: node.index)
        g = pending.pop(node)
        if not node.parents:
            return g
        for parent, contribution in zip(node.parents, node.vjp(g), strict=True):
            pending[parent] = pending.get(parent, 0) + contribution


# %% [markdown]
# ## By recursion
#
# Every contribution is followed at once, to the root. A second contribution to a node passes the
# first one on again.


# %%
def reverse_by_recursion(g, end_node):
    cotangents = {}

    def visit(node, g):
        cotangents[node] = cotangents.get(node, 0) + g
        for parent, contribution in zip(node.parents, node.vjp(cotangents[node]), strict=True):
            visit(parent, contribution)

    visit(end_node, g)
    return cotangents[min(cotangents, key=lambda node: node.index)]


# %% [markdown]
# ## Programs and their derivatives
#
# The derivatives are written down from the formula, by hand. In the first three programs only the
# input is used more than once. In the others a computed value is.


# %%
def twice_doubled(a):
    b = a + a
    return b + b


def part_and_triple(x):
    a = 2 * x
    return a + 3 * a


def wave(x):
    s = sin(x)
    return s * exp(s) + s


def ladder(x):
    y = x
    for _ in range(3):
        y = y * y + y
    return y


def ladder_slope(x):
    slope, y = 1.0, x
    for _ in range(3):
        slope, y = slope * (2 * y + 1), y * y + y
    return slope


cases = [
    ("x * x", lambda x: x * x, lambda x: 2 * x),
    ("x * x + x", lambda x: x * x + x, lambda x: 2 * x + 1),
    ("sin(x) * cos(x)", lambda x: sin(x) * cos(x), lambda x: math.cos(2 * x)),
    ("twice_doubled", twice_doubled, lambda x: 4.0),
    ("part_and_triple", part_and_triple, lambda x: 8.0),
    ("wave", wave, lambda x: math.cos(x) * (math.exp(math.sin(x)) * (1 + math.sin(x)) + 1)),
    ("ladder", ladder, ladder_slope),
]

# %%
x, seed = 3.0, np.float64(1.0)
print(f"{'program':<16}{'on paper':>10}{'in order':>10}{'recursion':>11}")
wrong = []
for name, program, derivative in cases:
    pullback, _ = make_vjp(program)(x)
    ours = reverse(seed, pullback.end_node)
    theirs = reverse_by_recursion(seed, pullback.end_node)
    print(f"{name:<16}{derivative(x):>10.4g}{ours:>10.4g}{theirs:>11.4g}")
    assert math.isclose(ours, derivative(x), rel_tol=1e-12)
    assert math.isclose(grad(program)(x), derivative(x), rel_tol=1e-12)
    if not math.isclose(theirs, derivative(x), rel_tol=1e-12):
        wrong.append(name)

print(f"recursion is wrong on: {', '.join(wrong)}")
assert wrong == [name for name, _, _ in cases[3:]]

# %% [markdown]
# Arrays change nothing: `+` adds arrays, and the pullbacks of the nodes take and return arrays.

# %%
points = np.array([0.5, 1.5, 2.0])
pullback, _ = make_vjp(wave)(points)
by_hand = np.cos(points) * (np.exp(np.sin(points)) * (1 + np.sin(points)) + 1)
assert np.allclose(reverse(np.ones(3), pullback.end_node), by_hand, rtol=1e-12, atol=0)

# %% [markdown]
# ## The cost of following every path
#
# Recursion can be made right: pass on each contribution alone instead of the sum. Count the
# visits. A graph of $n$ doublings has $n + 1$ nodes, each visited once in order, and $2^n$ paths
# from end to root.


# %%
def visits_by_path(node):
    return 1 + sum(visits_by_path(parent) for parent in node.parents)


def doublings(n):
    def program(x):
        for _ in range(n):
            x = x + x
        return x

    return make_vjp(program)(1.0)[0].end_node


for n in (3, 6, 12):
    nodes, visits = len(list(toposort(doublings(n)))), visits_by_path(doublings(n))
    print(f"{n:>2} doublings: {nodes:>2} nodes to visit, {visits:>4} visits along paths")
    assert nodes == n + 1
    assert visits == 2 ** (n + 1) - 1

# %% [markdown]
# ## The histories
#
# What the engine's own pass does, node by node: its cotangent, the contributions to its parents,
# and the pending cotangents afterwards.

# %%
for name, program, _ in (cases[0], cases[3], cases[1]):
    print(f"{name} at {x}")
    for row in reverse_history(program, x):
        print(
            f"  {row['node']:<9} {row['cotangent']:>4} -> {row['contributions']:<11}"
            f" pending {row['pending cotangents after']}"
        )

last = reverse_history(twice_doubled, x)[-1]
assert last["cotangent"] == "4.0"

# %%
print("all checks passed")
