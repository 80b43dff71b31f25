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
# # One function, several graphs
#
# The experiment of [The tracer and the dynamic graph](../articles/04-tracer.md). A node class of
# our own writes down every operation. We use it to see which operations a branch, a loop and a
# derivative inside a derivative leave behind, and then let many threads differentiate at once.

# %%
import math
import threading
from concurrent.futures import ThreadPoolExecutor

import literate_ad.numpy as np
from literate_ad import grad
from literate_ad.tracer import Node, getval, isbox, trace
from literate_book.record.recorder import short

# %% [markdown]
# ## A node that writes a log
#
# All nodes of a trace share one list. The root brings it, and every other node finds it at one of
# its parents.


# %%
class LogNode(Node):
    of_this_run = True  # what chooses a branch is a constant, as to a derivative

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        self.log = parents[0].log
        self.name = fun.__name__
        self.parents = parents
        self.log.append(fun.__name__)

    def initialize_root(self, log):
        self.log = log
        self.name = "input"
        self.parents = ()


def log_of(fun, x):
    """The names of the operations that one run of ``fun(x)`` records."""
    log = []
    trace(LogNode.new_root(log), fun, x)
    return log


# %% [markdown]
# ## A branch
#
# The graph holds the branch that was taken. The comparison that chose it is in neither graph.


# %%
def branch(x):
    if x > 0:
        return x * np.sin(x)
    return -x


taken, other = log_of(branch, 2.0), log_of(branch, -2.0)
print(f"branch at 2.0: {taken}")
print(f"branch at -2.0: {other}")

assert taken == ["sin", "multiply"]
assert other == ["negative"]
assert math.isclose(grad(branch)(2.0), math.sin(2.0) + 2.0 * math.cos(2.0))
assert grad(branch)(-2.0) == -1.0

# %% [markdown]
# ## A loop
#
# The loop squares until the value is large. It leaves one node for each turn, and how many turns
# there are depends on the input. After $n$ turns the function is $x^{2^n}$ around this input, so
# its derivative is $2^n x^{2^n - 1}$.


# %%
def until_large(x):
    while x < 100:
        x = x * x
    return x


for x in (3.0, 11.0):
    turns = len(log_of(until_large, x))
    power = 2**turns
    gradient = grad(until_large)(x)
    print(f"loop at {x}: {turns} multiplications, gradient {gradient}")
    assert math.isclose(gradient, power * x ** (power - 1))

# %% [markdown]
# ## A derivative inside a derivative
#
# The outer trace began first and has the smaller number. An operation that meets boxes of both is
# written down by the outer trace first, and the inner one keeps a box of the outer trace as its
# value: a box in a box.

# %%
lines = []
boxes = []


class LevelNode(Node):
    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        self.level = parents[0].level
        lines.append(f"{self.level} records {fun.__name__}{short(args)} = {short(value)}")

    def initialize_root(self, level):
        self.level = level


def outer(x):
    def inner(y):
        boxes.extend([x, y, x * y])
        return boxes[-1]

    value, _ = trace(LevelNode.new_root("inner"), inner, 2.0)
    return value


trace(LevelNode.new_root("outer"), outer, 3.0)
x, y, product = boxes
for line in lines:
    print(line)

assert [line.split()[0] for line in lines] == ["outer", "inner"]
assert x._trace < y._trace == product._trace
assert isbox(product._value)
assert product._value._trace == x._trace
assert getval(product) == 6.0

# %% [markdown]
# With derivatives: $f(x) = x \cdot \frac{\partial}{\partial y}(x y) = x^2$, so $f'(3) = 6$ and
# $f''(3) = 2$.


# %%
def nested(x):
    return x * grad(lambda y: x * y)(2.0)


first, second = grad(nested)(3.0), grad(grad(nested))(3.0)
print(f"nested: first derivative {first}, second derivative {second}")

assert first == 2 * 3.0
assert second == 2.0

# %% [markdown]
# ## Numbers, not depths
#
# Two traces overlap in time, in two threads. A count of how many traces are open would give the
# inner derivative the number of its own outer one as soon as the other thread has finished.
# Numbers that are never given twice cannot collide.


# %%
def overlap():
    """``grad(nested)(3.0)``, begun while another thread differentiates, gone on with afterwards."""
    other_began, we_began = threading.Event(), threading.Event()

    def other_function(x):
        other_began.set()
        we_began.wait(10)
        return x * x

    other = threading.Thread(target=lambda: grad(other_function)(1.0))

    def f(x):
        we_began.set()
        other.join()
        return x * grad(lambda y: x * y)(2.0)

    other.start()
    other_began.wait(10)
    return grad(f)(3.0)


overlapping = overlap()
print(f"nested, overlapping with another thread: {overlapping}")
assert overlapping == 6.0

# %% [markdown]
# Sixteen threads, each with many nested derivatives at points of its own; all start together.

# %%
gate = threading.Barrier(16)


def many(seed):
    gate.wait()
    points = [seed + i / 100 for i in range(200)]
    return [(point, float(grad(nested)(point))) for point in points]


with ThreadPoolExecutor(16) as pool:
    answers = [pair for pairs in pool.map(many, range(16)) for pair in pairs]

right = sum(math.isclose(gradient, 2 * point) for point, gradient in answers)
print(f"16 threads: {right} of {len(answers)} gradients right")
assert right == len(answers) == 3200

# %% [markdown]
# A traced function may itself use threads: the boxes carry their trace with them.


# %%
def with_workers(x):
    with ThreadPoolExecutor(4) as pool:
        return sum(pool.map(lambda k: np.sin(k * x), [1.0, 2.0, 3.0, 4.0]))


gradient = grad(with_workers)(0.5)
formula = sum(k * math.cos(k * 0.5) for k in [1.0, 2.0, 3.0, 4.0])
print(f"threads inside a traced function: {gradient:.10f}")
assert math.isclose(gradient, formula)

# %% [markdown]
# An exception in the middle of a traced function leaves nothing behind that a later trace could
# meet.


# %%
def fails(x):
    raise ValueError(f"stopped at {x}")


stopped = 0
for _ in range(3):
    try:
        grad(lambda x: x * grad(fails)(x))(1.0)
    except ValueError as error:
        stopped += str(error) == "stopped at ArrayBox(1.0)"
print(f"stopped inside two traces: {stopped} times, then {grad(nested)(3.0)}")
assert stopped == 3
assert grad(nested)(3.0) == 6.0

print("all checks passed")
