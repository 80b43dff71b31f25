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
# # One multiplication, watched
#
# The experiment of [grad: the whole call chain](../articles/03-grad.md). The same `x` stands in
# both places of a multiplication. We look at the run with nodes of our own, and then
# differentiate it with the engine's.

# %%
import numpy as np

from literate_ad import grad, make_vjp
from literate_ad.tracer import Node, toposort, trace


def f(x):
    return x * x


# %% [markdown]
# ## Nodes that remember everything
#
# The engine's node keeps a rule and what the rule needs. Ours keeps what a reader wants to see:
# the name of the operation, its value, and which argument came from which node. The tracer works
# with any such class, for derivatives or for something else.


# %%
class RecordingNode(Node):
    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        self.name = f"v{1 + max(int(parent.name[1:] or 0) for parent in parents)}"
        self.operation = fun.__name__
        self.value = value
        self.parent_argnums = parent_argnums
        self.parents = parents

    def initialize_root(self, x):
        self.name = "x"
        self.operation = "input"
        self.value = x
        self.parent_argnums = ()
        self.parents = ()


# %%
x = 3.0
root = RecordingNode.new_root(x)
end_value, end_node = trace(root, f, x)
reverse_nodes = list(toposort(end_node))

print(f"operation: {end_node.operation}, value={end_node.value}")
print(f"parent_argnums={end_node.parent_argnums}, parents={[p.name for p in end_node.parents]}")
print(f"reverse order: {[node.name for node in reverse_nodes]}")

# %% [markdown]
# One node, two argument places, one root: the root is *named* twice and *exists* once.

# %%
assert end_value == 9.0
assert end_node.operation == "multiply"
assert end_node.parent_argnums == (0, 1)
assert end_node.parents[0] is end_node.parents[1] is root
assert reverse_nodes == [end_node, root]

# %% [markdown]
# ## The derivative
#
# A run of its own, on the engine's nodes. What we check it against comes from elsewhere: the
# formula $2x$, and a central difference.

# %%
pullback, forward_value = make_vjp(f)(x)
result = pullback(1.0)
grad_result = grad(f)(x)

step = 1e-6
difference = (f(x + step) - f(x - step)) / (2 * step)

print(f"forward value: {forward_value}")
print(f"pullback(1.0): {result}")
print(f"grad(f)(3.0): {grad_result}")

assert forward_value == 9.0
assert result == grad_result == 2 * x
assert np.isclose(grad_result, difference)

# %% [markdown]
# The pullback is linear in its seed, and it can be called again.

# %%
for seed in (0.0, 1.0, -2.5, 1.0):
    assert pullback(seed) == seed * 2 * x

print("all checks passed")
