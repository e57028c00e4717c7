"""The whole frame in pure red, then in pure blue, then in halves: what the colour tests look at."""

from manim import LEFT, RIGHT, Rectangle, config
from small_stage import SmallScene

RED, BLUE = "#FF0000", "#0000FF"


class Middle(SmallScene):
    def construct(self) -> None:
        red, blue = (Rectangle(width=20, height=12, stroke_width=0, fill_opacity=1, color=c) for c in (RED, BLUE))
        with self.beat("red"):
            self.add(red)
            self.hold(12)
        with self.beat("blue"):
            self.add(blue)
            self.hold(12)
        with self.beat("both"):
            self.remove(red, blue)
            for colour, side in ((RED, LEFT), (BLUE, RIGHT)):
                half = Rectangle(width=config.frame_width / 2, height=12, stroke_width=0, fill_opacity=1, color=colour)
                self.add(half.next_to((0, 0, 0), side, buff=0))
            self.hold(6)
