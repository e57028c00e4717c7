"""A circle that shrinks, frame by frame."""

from manim import Circle
from small_stage import SmallScene


class Ending(SmallScene):
    def construct(self) -> None:
        circle = Circle(2, fill_opacity=1)
        with self.beat("last"):
            self.play(circle.animate.scale(0.1), run_time=self.seconds(20))
