"""The embedding table: all of its rows where they have room, else a page of them."""

from __future__ import annotations

from manim import DOWN, UP, VGroup

from scenes.stage.fit import MARK, narrowest_pitch, that_fit
from scenes.stage.grid import MatrixGrid, Name, elision, upright_mark
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words

KEY = "embed.weight"
HEIGHT, PAGE_HEIGHT, WIDTH = 4.6, 4.15, 4.1
CELL = (0.96, 0.5)
GAP, NARROW_GAP = 0.07, 0.035
ROOMY = 10  # up to so many rows stand comfortably
MOST_ROWS, PAGE_ROWS = 12, 11
PAGE_LIFT = 0.14


def columns_drawn(scene: ExplainerScene) -> int:
    """How many columns of E have room, in the table and in the vectors taken from it."""
    return that_fit(scene.model.d_model, narrowest_pitch(scene.trace, KEY, decimals=1), WIDTH)


def width_drawn(scene: ExplainerScene) -> float:
    """The room of these columns, apart from their mark."""
    return WIDTH - (MARK if columns_drawn(scene) < scene.model.d_model else 0.0)


class Table(MatrixGrid):
    """Rows of E, each headed by its id; `more` holds the marks for rows and columns that are not drawn.

    `first` is the first row of the page; a table that fits is one page.
    """

    def __init__(self, scene: ExplainerScene, x: float, y: float, first: int = 0) -> None:
        size = len(scene.model.vocabulary)
        rows = size if size <= MOST_ROWS else PAGE_ROWS
        first = min(first, size - rows)
        super().__init__(
            scene.trace,
            KEY,
            decimals=1,
            row_names=[Name(str(i), scene.token_color(i)) for i in range(first, first + rows)],
            cell=CELL,
            gap=GAP if size <= ROOMY else NARROW_GAP,
            max_height=HEIGHT if rows == size else PAGE_HEIGHT,
            max_width=width_drawn(scene),
            first_columns=columns_drawn(scene),
            first_rows=rows,
            skip_rows=first,
        )
        self.marks = elision(self)
        self.more = VGroup(self.marks)
        for left_out, edge, side in ((first, self.row(0), UP), (size - first - rows, self.row(rows - 1), DOWN)):
            if left_out:
                self.more.add(upright_mark().next_to(edge, side, 0.1))
        self.add(self.more)
        # A page has its mark and the table's name below.
        self.shift([x, y + (PAGE_LIFT if rows < size else 0.0), 0] - self.body.get_center())

    def holds(self, token_id: int) -> bool:
        """Whether the page has the row of an id."""
        return 0 <= token_id - self.skip_rows < self.rows

    def cells_of(self, token_id: int) -> VGroup:
        """The cells of an id's row."""
        return self.row(token_id - self.skip_rows)

    def row_of(self, token_id: int) -> VGroup:
        """The same with the mark for the columns that are not drawn."""
        return VGroup(*self.cells_of(token_id), *self.marks[token_id - self.skip_rows :][:1])

    def name_of(self, token_id: int) -> Words:
        """The heading of an id's row."""
        name = self.row_labels[token_id - self.skip_rows]
        assert isinstance(name, Words)
        return name
