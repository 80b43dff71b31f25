from literate_ad import grad


def f(x):
    return x * x


value = float(grad(f)(3.0))
print(f"gradient: {value}")
print(f"inputs: {3.0}")
assert value == 6.0
print("all checks passed")
