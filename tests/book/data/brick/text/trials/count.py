from brick import bricks

for rows in (1, 2, 3):
    print(rows, bricks(rows, 4))
assert bricks(3, 4) == 12
print("all checks passed")
