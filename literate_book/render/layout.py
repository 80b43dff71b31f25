"""Places the nodes of a graph in rows from top to bottom, and its edges where no node is.

Mermaid's layout leads edges behind nodes, and cannot place the three parts of a stepper's node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

LANE, SIDE = 14.0, 22.0  # the width of an edge that passes a row; the space between nodes
Thing = int | tuple[int, int]  # a node by its number, or where an edge passes a row: (edge, row)


@dataclass(frozen=True)
class Edge:
    """An edge from a node to another one below it, by their numbers, and a word on it."""

    start: int
    end: int
    label: str = ""


class Layout:
    """Where the nodes and edges of a graph are; every edge leads to a node of a larger number."""

    def __init__(
        self,
        sizes: Sequence[tuple[float, float]],
        edges: Sequence[Edge],
        gap: float = 34.0,
        ports: float = 10.0,
        foot: float = 0.0,
    ) -> None:
        """``gap`` is between rows, ``ports`` between the edges that end at a node; edges begin
        ``foot`` above the lower end of a node.
        """
        self.sizes, self.edges, self.ports, self.foot = sizes, edges, ports, foot
        self.find_rows()
        self.chains = [self.chain(number, edge) for number, edge in enumerate(edges)]
        self.rows: list[list[Thing]] = [[] for _ in range(1 + max(self.row))]
        for node, place in enumerate(self.row):
            self.rows[place].append(node)
        for chain in self.chains:
            for thing in chain[1:-1]:
                self.rows[self.row_of(thing)].append(thing)
        self.x: dict[Thing, float] = {}
        self.arrange()
        left = min(self.x[thing] - self.half(thing) for thing in self.x) - 2
        self.x = {thing: x - left for thing, x in self.x.items()}
        self.width = 2 + max(self.x[thing] + self.half(thing) for thing in self.x)
        self.top, y = list[float](), 2.0
        for row in self.rows:
            self.top.append(y)
            y += max(sizes[thing][1] for thing in row if isinstance(thing, int)) + gap
        self.height, self.gap = y - gap + 2, gap

    def find_rows(self) -> None:
        """Each node below its parents; one with a single parent stands near its children."""
        parents = [{e.start for e in self.edges if e.end == n} for n in range(len(self.sizes))]
        children = [{e.end for e in self.edges if e.start == n} for n in range(len(self.sizes))]
        self.row = list[int]()
        for above in parents:
            self.row.append(1 + max((self.row[each] for each in above), default=-1))
        for node in reversed(range(len(self.row))):
            if len(parents[node]) == 1 and children[node]:
                self.row[node] = min(self.row[each] for each in children[node]) - 1

    def chain(self, number: int, edge: Edge) -> list[Thing]:
        """The nodes at the ends of an edge, and between them where it passes a row."""
        between = range(self.row[edge.start] + 1, self.row[edge.end])
        return [edge.start, *((number, row) for row in between), edge.end]

    def row_of(self, thing: Thing) -> int:
        return self.row[thing] if isinstance(thing, int) else thing[1]

    def half(self, thing: Thing) -> float:
        return self.sizes[thing][0] / 2 if isinstance(thing, int) else LANE / 2

    def arrange(self) -> None:
        """Place each thing of a row near what it is connected with, first above, then below."""
        near: dict[tuple[Thing, int], list[Thing]] = {}
        for chain in self.chains:
            for upper, lower in pairwise(chain):
                near.setdefault((lower, -1), []).append(upper)
                near.setdefault((upper, 1), []).append(lower)
        for row in self.rows:
            self.place(row, dict.fromkeys(row, 0.0))
        for direction in (-1, 1, -1, 1, -1):
            for row in self.rows[::-direction]:
                wish = {}
                for thing in row:
                    others = [self.x[each] for each in near.get((thing, direction), [thing])]
                    wish[thing] = fmean(others)
                self.place(row, wish)

    def place(self, row: list[Thing], wish: dict[Thing, float]) -> None:
        """Place the things of a row where they wish to be, side by side."""
        row.sort(key=wish.__getitem__)
        right = -float("inf")
        for thing in row:
            self.x[thing] = max(wish[thing], right + self.half(thing))
            right = self.x[thing] + self.half(thing) + SIDE
        shift = fmean(wish[thing] - self.x[thing] for thing in row)
        for thing in row:
            self.x[thing] += shift

    def port(self, number: int, end: bool) -> float:
        """Where an edge begins, or ends, at its node: edges stand in the order of where they go."""
        at, beside, step = (-1, -2, self.ports) if end else (0, 1, min(self.ports, 14.0))
        node = self.chains[number][at]
        same = [other for other, chain in enumerate(self.chains) if chain[at] == node]
        same.sort(key=lambda other: self.x[self.chains[other][beside]])
        return self.x[node] + step * (same.index(number) - (len(same) - 1) / 2)

    def path(self, number: int) -> str:
        """The line of an edge: down beside the nodes of a row, and aside between two rows."""
        chain, x = self.chains[number], self.port(number, end=False)
        row = self.row_of(chain[0])
        y = self.top[row] + self.sizes[self.edges[number].start][1] - self.foot
        parts = [f"M{x:.0f} {y:.0f}"]
        for at, thing in enumerate(chain[1:], 1):
            last, top = at == len(chain) - 1, self.top[row + at]
            to_x = self.port(number, end=True) if last else self.x[thing]
            begin, end = top - self.gap, top - (2 if last else 0)
            middle = (begin + end) / 2
            parts.append(
                f"V{begin:.0f}C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {end:.0f}"
            )
            x = to_x
        return "".join(parts)
