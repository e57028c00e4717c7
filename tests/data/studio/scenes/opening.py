"""A square that moves: two beats, a label."""

from manim import RIGHT, Square
from small_stage import SmallScene


class Opening(SmallScene):
    def construct(self) -> None:
        side = 2.0
        square = Square(side, fill_opacity=1, color=self.colour(self.label("caption")))
        with self.beat("first"):
            self.add(square)
            self.hold(8)
        with self.beat("second", side=side):
            self.play(square.animate.shift(2 * RIGHT), run_time=self.seconds(10))
