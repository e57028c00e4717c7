"""Small scenes, each of which breaks exactly one law of the picture, and a few that break none.

`BREAKS` is the audit that must catch the scene (None: none may); `WHAT` is part of what it must say.
"""

from __future__ import annotations

from dataclasses import replace

from manim import (
    DOWN,
    RIGHT,
    UP,
    Circle,
    Create,
    Cross,
    Dot,
    FadeIn,
    FadeOut,
    LaggedStart,
    Line,
    MoveToTarget,
    Rectangle,
    ReplacementTransform,
    Square,
    Text,
    VGroup,
    config,
)

from scenes.stage import theme
from scenes.stage.bars import ProbabilityBars
from scenes.stage.boxes import Cell, Chip, focus_frame, panel
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.formula import Formula
from scenes.stage.grid import VectorColumn
from scenes.stage.motion import fly, light, raise_above, rows_appear, settle, unlight
from scenes.stage.scene import ExplainerScene
from scenes.stage.tokens import TokenRow
from scenes.stage.words import Number, Provenance, Words, bold

RAW = theme.MASKED  # a stroke or fill of the masked role


class Small(ExplainerScene):
    """One beat, one picture."""

    BREAKS: str | None = None
    WHAT = ""
    TICK = 1.5  # seconds

    def setup(self) -> None:
        super().setup()
        self.clock = Dot([0, -2.6, 0], radius=0.01)  # too small to be missed by the audit of continuity
        self.add(self.clock)

    def wait(self, duration: float = 1.0, **settings: object) -> None:
        """Time passes with a tick now and then, so that only the scenes made for it stand still."""
        rate = config.frame_rate
        frames, tick = round(duration * rate), round(self.TICK * rate)
        while frames > tick:
            super().wait((tick - 1) / rate, **settings)
            self.play(self.clock.animate.set_x(0.05 - self.clock.get_x()), run_time=1 / rate)
            frames -= tick
        super().wait(frames / rate, **settings)

    def construct(self) -> None:
        with self.beat("only"):
            self.draw()

    def draw(self) -> None:
        raise NotImplementedError

    def show(self, *mobjects: object) -> None:
        self.play(*[FadeIn(mobject) for mobject in mobjects], run_time=0.4)


# -- numbers ---------------------------------------------------------------------------------------------------------
class WrongNumber(Small):
    """The trace says 0.5."""

    BREAKS, WHAT = "numbers", "'0.5' = embed.weight[0, 0]"

    def draw(self) -> None:
        self.show(Words("0.6", provenance=Provenance("embed.weight", (0, 0), 1)))


class WrongDecimals(Small):
    BREAKS, WHAT = "numbers", "'0.5' = embed.weight[0, 0]"

    def draw(self) -> None:
        self.show(Words("0.50", provenance=Provenance("embed.weight", (0, 0), 1)))


class HyphenForMinus(Small):
    BREAKS, WHAT = "numbers", "'−0.3' = embed.weight[0, 1]"

    def draw(self) -> None:
        self.show(Words("-0.3", provenance=Provenance("embed.weight", (0, 1), 1)))


class NoSuchKey(Small):
    BREAKS, WHAT = "numbers", "has no value"

    def draw(self) -> None:
        self.show(Words("0.5", provenance=Provenance("embed.weights", (0, 0), 1)))


class NotOneValue(Small):
    BREAKS, WHAT = "numbers", "has no value"

    def draw(self) -> None:
        self.show(Words("0.5", provenance=Provenance("embed.weight", (0,), 1)))


class BecameAnother(Small):
    """The outline is that of 0.8; the object still says 0.5."""

    BREAKS, WHAT = "numbers", "outline is that of another text"

    def draw(self) -> None:
        number = self.number("embed.weight", (0, 0), 1)
        self.show(number)
        self.play(number.animate.become(self.number("embed.weight", (0, 2), 1)), run_time=0.4)


class TypedDecimal(Small):
    BREAKS, WHAT = "provenance", "without provenance"

    def draw(self) -> None:
        self.show(Words("p = 0.5"))


class TypedFullWidthDecimal(Small):
    BREAKS, WHAT = "provenance", "without provenance"

    def draw(self) -> None:
        self.show(Words("概率０．５"))


class TypedLeadingPoint(Small):
    BREAKS, WHAT = "provenance", "without provenance"

    def draw(self) -> None:
        self.show(Words("−.5"))


class DecimalInFormula(Small):
    BREAKS, WHAT = "provenance", "formula 'p = 0.5'"

    def draw(self) -> None:
        self.show(Formula("p = 0.5"))


class DecimalInFlyingGlyph(Small):
    """One glyph of a formula is on screen alone."""

    BREAKS, WHAT = "provenance", "formula 'p = 0.5'"

    def draw(self) -> None:
        self.show(Formula("p = 0.5").math.family_members_with_points()[0])


class ForeignText(Small):
    BREAKS, WHAT = "provenance", "text that the stage did not make"

    def draw(self) -> None:
        self.show(Text("typed"))


# -- place -----------------------------------------------------------------------------------------------------------
class OutsideSafeArea(Small):
    BREAKS, WHAT = "frame", "at the right"

    def draw(self) -> None:
        self.show(Words("text").move_to([theme.SAFE_X, 0, 0]))


class StrokeOutside(Small):
    """The outline ends at the safe area, its line does not."""

    BREAKS, WHAT = "frame", "4 px beyond the safe area at the left"

    def draw(self) -> None:
        self.show(panel(1, 1, stroke_width=6).move_to([-theme.SAFE_X + 0.5, 0, 0]))


class InTheCaptions(Small):
    BREAKS, WHAT = "captions", "into the room for captions"

    def draw(self) -> None:
        self.show(Words("text").move_to([0, theme.CAPTION_TOP + 0.02, 0]))


class BrieflyInTheCaptions(Small):
    """Only the end of one play is wrong."""

    BREAKS, WHAT = "captions", "into the room for captions"

    def draw(self) -> None:
        box = panel(1, 1)
        self.show(box)
        self.play(box.animate.move_to([0, theme.CAPTION_TOP, 0]), run_time=0.4)
        self.play(box.animate.move_to([0, 0, 0]), run_time=0.4)


# -- texts and what is around them -----------------------------------------------------------------------------------
class Overlapping(Small):
    BREAKS, WHAT = "overlap", "text 'second'"

    def draw(self) -> None:
        self.show(Words("first"), Words("second").move_to([0.3, 0.1, 0]))


class OverlappingByDescender(Small):
    """The boxes of the lines are apart; the ink is not."""

    BREAKS, WHAT = "overlap", "text 'HHH'"

    def draw(self) -> None:
        first = Words("ggg")
        self.show(first, Words("HHH").next_to(first, DOWN, 0.01))


class FormulaOverWords(Small):
    BREAKS, WHAT = "overlap", "formula 'x + y'"

    def draw(self) -> None:
        self.show(Words("words"), Formula("x + y"))


class ArrivedAtAnotherSize(Small):
    """A travelling copy ends on its like, but larger: both are seen."""

    BREAKS, WHAT = "overlap", "text '3'"

    def draw(self) -> None:
        self.show(bold("3"), bold("3", size=theme.TITLE_SIZE))


class TightCell(Small):
    BREAKS, WHAT = "clearance", "px from the edge of its Panel"

    def draw(self) -> None:
        number = self.number("embed.weight", (0, 0), 1)
        self.show(Cell(number, number.width + 0.1, 0.6))


class TightForDescender(Small):
    """Room enough for capitals, none for the tail of a y."""

    BREAKS, WHAT = "clearance", "text 'easy'"

    def draw(self) -> None:
        word = Words("easy")
        self.show(Cell(word, 2, word.cap_height * 1.9))


class TightCircle(Small):
    BREAKS, WHAT = "clearance", "its Circle"

    def draw(self) -> None:
        word = bold("word")
        self.show(VGroup(Circle(0.62 * word.width, color=theme.DIM), word.move_to([0, 0, 0])))


class TightFlowBox(Small):
    """The box is large enough; its lines are not in its middle."""

    BREAKS, WHAT = "clearance", "text 'head'"

    def draw(self) -> None:
        box = FlowBox(["head", "note"], 2, 1)
        box.lines.shift(UP * 0.12)
        self.show(box)


class TightTornApart(Small):
    """The cell is no group any more: box and number are on screen by themselves."""

    BREAKS, WHAT = "clearance", "px from the edge"

    def draw(self) -> None:
        number = self.number("embed.weight", (0, 0), 1)
        cell = Cell(number, number.width + 0.1, 0.6)
        self.show(cell.box)
        self.show(cell.words)


class WiderThanItsCell(Small):
    BREAKS, WHAT = "crossed", "runs through it"

    def draw(self) -> None:
        self.show(Cell(Words("words"), 0.5, 0.6))


class AcrossAnEdge(Small):
    BREAKS, WHAT = "crossed", "text 'beside'"

    def draw(self) -> None:
        box = panel(2, 1)
        self.show(box, Words("beside").move_to(box.get_right()))


class LineThrough(Small):
    BREAKS, WHAT = "crossed", "a VMobject"

    def draw(self) -> None:
        self.show(Words("text"), FlowArrow([[-2, 0.1, 0], [2, 0.1, 0]]))


class LineBehind(Small):
    BREAKS, WHAT = "crossed", "a Line"

    def draw(self) -> None:
        self.show(Line([-2, 0, 0], [2, 0, 0], color=theme.FAINT))
        self.show(Words("text"))


class UnderAnother(Small):
    BREAKS, WHAT = "covered", "text 'under'"

    def draw(self) -> None:
        self.show(Words("under"))
        self.show(panel(2, 1).set_z_index(theme.Z_WORDS + 1))


class UnderSomethingSheer(Small):
    """A veil over a text, thin enough that the text can still be read."""

    BREAKS, WHAT = "covered", "lies under a Rectangle"

    def draw(self) -> None:
        veil = Rectangle(width=2, height=1, stroke_width=0, fill_color=theme.LINE, fill_opacity=0.1)
        self.show(Words("under"))
        self.show(veil.set_z_index(theme.Z_WORDS + 1))


# -- size, contrast, glyphs ------------------------------------------------------------------------------------------
class SmallText(Small):
    BREAKS, WHAT = "height", "px high at 1080p"

    def draw(self) -> None:
        self.show(Words("small", size=theme.SMALL_SIZE - 1))


class ShrunkText(Small):
    BREAKS, WHAT = "height", "px high at 1080p"

    def draw(self) -> None:
        text = Words("shrunk")
        self.show(text)
        self.play(text.animate.scale(0.7), run_time=0.4)


class SmallFormula(Small):
    BREAKS, WHAT = "height", "set at size 20.0"

    def draw(self) -> None:
        self.show(Formula("x + y", size=20))


class ShrunkFormula(Small):
    BREAKS, WHAT = "height", "set at size 18.0"

    def draw(self) -> None:
        self.show(Formula("x + y").scale(0.5))


class FaintText(Small):
    BREAKS, WHAT = "contrast", f"{theme.FAINT} on {theme.BACKGROUND}"

    def draw(self) -> None:
        self.show(Words("faint", color=theme.FAINT))


class FadedText(Small):
    BREAKS, WHAT = "contrast", f"on {theme.BACKGROUND}"

    def draw(self) -> None:
        text = Words("faded")
        self.show(text)
        self.play(text.animate.set_opacity(0.4), run_time=0.4)


class LightOnBright(Small):
    BREAKS, WHAT = "contrast", f"{theme.INK} on {theme.RIGHT_ANSWER}"

    def draw(self) -> None:
        self.show(Cell(Words("bright"), 2, 1, fill=theme.RIGHT_ANSWER, ink=theme.INK))


class LightOnSheerBright(Small):
    """The cell is dark; a sheer bright plate lies between it and its text."""

    BREAKS, WHAT = "contrast", f"{theme.INK} on"

    def draw(self) -> None:
        cell = Cell(Words("text"), 2, 1)
        plate = Rectangle(width=3, height=2, stroke_width=0, fill_color=theme.FOCUS, fill_opacity=0.6)
        self.show(cell, plate.set_z_index(theme.Z_WORDS - 1))


class MissingGlyph(Small):
    BREAKS, WHAT = "glyphs", "no glyph for '⟨⟩'"

    def draw(self) -> None:
        self.show(Words("⟨s⟩"))


class ChineseInFormula(Small):
    BREAKS, WHAT = "glyphs", "no glyph for '词'"

    def draw(self) -> None:
        self.show(Formula('p("词")'))


# -- beats -----------------------------------------------------------------------------------------------------------
class BeatLeftOut(Small):
    BREAKS, WHAT = "beats", "never played the beats second"

    def construct(self) -> None:
        with self.beat("only"):
            self.show(panel(1, 1))
        if not self.trace:
            with self.beat("second"):
                self.show(panel(1, 1))


class BeatsTurnedRound(Small):
    BREAKS, WHAT = "beats", "played: second, only; allowed: only, second"
    STEPLESS = ("second",)

    def construct(self) -> None:
        if not self.trace:
            with self.beat("only"):
                self.show(panel(1, 1))
        with self.beat("second"):
            self.show(panel(1, 1))
        if self.trace:
            self.again()

    def again(self) -> None:
        name = self.beat
        with name("only"):
            self.wait(0.2)


class PlayBetweenBeats(Small):
    BREAKS, WHAT = "cues", "where the one before ends"

    def construct(self) -> None:
        with self.beat("only"):
            self.show(panel(1, 1))
        self.wait(0.4)
        with self.beat("second"):
            self.wait(0.4)


class PlayAfterTheLastBeat(Small):
    BREAKS, WHAT = "cues", "the end of the scene"

    def draw(self) -> None:
        self.show(panel(1, 1))

    def tear_down(self) -> None:
        super().tear_down()
        self.wait(0.4)


class WordsTooFast(Small):
    """Two beats; the first is cut short."""

    BREAKS, WHAT = "reading time", "beat only"

    def construct(self) -> None:
        with self.beat("only") as beat:
            beat.frames = 10
            self.show(panel(1, 1))
        with self.beat("second"):
            self.wait(0.4)


class TooLong(Small):
    BREAKS, WHAT = "length", "allowed: 25 to 70 s"

    def draw(self) -> None:
        self.show(panel(1, 1))
        self.wait(80)


class TooShort(Small):
    """The beat is cut short, and its cue tells of fewer words, so that only the length is wrong."""

    BREAKS, WHAT = "length", "allowed: 25 to 70 s"

    def construct(self) -> None:
        with self.beat("only") as beat:
            beat.frames = 20
            self.show(panel(1, 1))
        self.cues = [replace(cue, words="short") for cue in self.cues]


class StandsStill(Small):
    BREAKS, WHAT = "stillness", "nothing moves for 5.0 s; allowed: 4 s at most"
    TICK = 5.0

    def draw(self) -> None:
        self.show(panel(1, 1))


class PlaysNothing(Small):
    """A play that changes nothing is stillness, and so is a copy that takes the place of its like."""

    BREAKS, WHAT = "stillness", "nothing moves for 7.5 s"

    def draw(self) -> None:
        box = panel(1, 1)
        self.show(box)
        self.play(box.animate.set_fill(theme.PANEL), run_time=3)
        self.remove(box)
        self.add(panel(1, 1))
        ExplainerScene.wait(self, 3)


class WrongStep(Small):
    BREAKS, WHAT = "steps", "the step badge"

    def draw(self) -> None:
        self.show(panel(1, 1))
        self.chrome.badge.show(96)


class NoBadge(Small):
    BREAKS, WHAT = "steps", "not on screen"

    def draw(self) -> None:
        self.play(FadeOut(self.chrome.badge), run_time=0.4)


# -- colour and light ------------------------------------------------------------------------------------------------
class RedWithoutAMark(Small):
    BREAKS, WHAT = "colour alone", "with love in it"

    def draw(self) -> None:
        self.show(Cell(Words("love"), 2, 1, fill=theme.tint(theme.MASKED)))


class RedEdgeWithoutAMark(Small):
    BREAKS, WHAT = "colour alone", "with nothing in it"

    def draw(self) -> None:
        self.show(panel(2, 1, stroke=RAW))


class CrossBesideTheCell(Small):
    """A cross is on screen, but it marks something else."""

    BREAKS, WHAT = "colour alone", "with love in it"

    def draw(self) -> None:
        cell = Cell(Words("love"), 2, 1, fill=theme.tint(theme.MASKED))
        self.show(cell, Cross(stroke_color=RAW).scale(0.2).next_to(cell, RIGHT, 0.5))


class Flashing(Small):
    BREAKS, WHAT = "flashing", "swings of luminance within a second"

    def draw(self) -> None:
        square = Square(1, fill_color=theme.PANEL, fill_opacity=1, stroke_width=0)
        self.show(square)
        for _ in range(5):
            self.play(square.animate.set_fill(theme.FOCUS), run_time=0.1)
            self.play(square.animate.set_fill(theme.PANEL), run_time=0.1)


class FlashingInOnePlay(Small):
    """The ends of plays show nothing of it."""

    BREAKS, WHAT = "flashing", "Square"

    def draw(self) -> None:
        square = Square(1, fill_color=theme.PANEL, fill_opacity=1, stroke_width=0)
        self.show(square)
        self.play(square.animate(rate_func=lambda t: t * 8 % 1).set_fill(theme.FOCUS), run_time=1.6)


class FlashingEdge(Small):
    BREAKS, WHAT = "flashing", "Panel"

    def draw(self) -> None:
        box = panel(1, 1)
        self.show(box)
        for _ in range(5):
            self.play(box.animate.set_stroke(theme.FOCUS), run_time=0.1)
            self.play(box.animate.set_stroke(theme.LINE), run_time=0.1)


class Popping(Small):
    BREAKS, WHAT = "continuity", "is there or changed at once"

    def draw(self) -> None:
        self.show(panel(1, 1))
        self.add(panel(1, 1).shift(RIGHT * 2))
        self.wait(0.4)


class Vanishing(Small):
    BREAKS, WHAT = "continuity", "is gone or changed"

    def draw(self) -> None:
        box = panel(1, 1)
        self.show(box)
        self.remove(box)
        self.wait(0.4)


class Jumping(Small):
    BREAKS, WHAT = "continuity", "text 'text'"

    def draw(self) -> None:
        text = Words("text")
        self.show(text)
        self.play(text.shift(RIGHT).animate.shift(UP), run_time=0.4)


class ChangingColourAtOnce(Small):
    BREAKS, WHAT = "continuity", "Panel"

    def draw(self) -> None:
        box = panel(1, 1)
        self.show(box)
        box.set_fill(theme.SHARED)
        self.wait(0.4)


# -- scenes without fault --------------------------------------------------------------------------------------------
class Good(Small):
    """A little of everything that the stage offers."""

    STEPS = 3

    def draw(self) -> None:
        source = [int(i) for i in self.trace["src.tokens"]]
        tokens = TokenRow(self.tokens(source)).move_to([-4, 2, 0])
        grid = self.grid("src.embed", decimals=1, row_names=self.names(source)).move_to([-4, 0.2, 0])
        self.play(LaggedStart(*[FadeIn(chip, shift=UP * 0.2) for chip in tokens], lag_ratio=0.2), run_time=1)
        self.play(rows_appear(grid), run_time=1)
        slot = self.grid("src.embed", (0,), decimals=1).move_to([0.5, 2, 0]).body
        self.play(light(grid.row(0), theme.SHARED), run_time=0.5)
        self.play(fly(grid.row(0), raise_above(slot)), run_time=1)
        settle(slot)
        self.play(unlight(grid.row(0)), FadeIn(focus_frame(slot)), run_time=0.5)
        bars = ProbabilityBars(self.trace, "probs", (0,), self.names(range(8))).move_to([4, 0, 0])
        self.play(FadeIn(bars), run_time=0.5)
        box = FlowBox([self.film_word("track_shared")], 3.4, 0.9).move_to([0, -1.9, 0])
        arrow = FlowArrow([slot.get_bottom() + DOWN * 0.2, box.get_top()])
        self.play(FadeIn(box), Create(arrow.shaft), FadeIn(arrow.head), run_time=0.5)
        formula = Formula("q dot k / sqrt(d_k)").move_to([-4, -2.2, 0])
        self.play(FadeIn(formula), FadeOut(arrow), run_time=0.5)


class GoodHeat(Small):
    """Numbers on every shade of a heat map, a grid of one column, masked cells that say so."""

    def draw(self) -> None:
        heat = self.heatmap("decoder.0.self_attn.pattern", (0,)).move_to([-3, 0, 0])
        column = VectorColumn(self.trace, "src.embed", (0,)).move_to([0.5, 0, 0])
        masked = Cell(bold("−∞"), 1, 0.6, fill=theme.tint(theme.MASKED), stroke=RAW).move_to([2, 0, 0])
        crossed = Chip("love", theme.QUERY).move_to([4, 0, 0]).paint(stroke=RAW)
        cross = VGroup(Line(UP, RIGHT, color=RAW), Line([0, 0, 0], [1, 1, 0], color=RAW)).scale(0.15)
        self.show(heat, column, masked, crossed, cross.move_to(crossed.get_corner(UP + RIGHT)))


class GoodMeetings(Small):
    """What looks like a fault and is none."""

    def draw(self) -> None:
        word = bold("word").move_to([-3, 0, 0])
        self.show(word)
        # A copy that arrives on its like, box and all, and is taken away there.
        cell, slot = Cell(bold("cell"), 1.4, 0.8), Cell(bold("cell"), 1.4, 0.8).move_to([3, 0, 0])
        self.show(cell, slot)
        flying = raise_above(cell.copy())
        self.play(flying.animate.move_to(slot), run_time=0.5)
        self.remove(flying)
        # A line that runs behind an opaque box does not touch the text on it.
        self.play(Create(Line([-1, 0, 0], [1, 0, 0], color=theme.DIM).set_z_index(-1)), run_time=0.5)
        # One text gives way to another.
        self.play(ReplacementTransform(word, bold("other").move_to(word)), run_time=0.5)


class GoodLight(Small):
    """Lit and unlit calmly: two flashes a second."""

    def draw(self) -> None:
        square = Square(1, fill_color=theme.PANEL, fill_opacity=1, stroke_width=0)
        self.show(square)
        for _ in range(3):
            self.play(square.animate.set_fill(theme.FOCUS), run_time=0.25)
            self.play(square.animate.set_fill(theme.PANEL), run_time=0.25)


class GoodFormula(Small):
    """A formula of which one part leaves and the rest stays, no longer in its group."""

    def draw(self) -> None:
        formula = Formula("q dot k / sqrt(d_k)")
        self.show(formula)
        self.play(FadeOut(formula.math.family_members_with_points()[0]), run_time=0.4)
        self.play(formula.math.family_members_with_points()[2].animate.shift(UP), run_time=0.4)


class GoodMoves(Small):
    """A number that moves, grows and shrinks is the same number; its outline is cut anew on the way."""

    def draw(self) -> None:
        number = Number(self.trace, "embed.weight", (0, 0), 1)
        self.show(number)
        self.play(number.animate.become(self.number("src.embed", (0, 0), 1, size=40).shift(RIGHT)), run_time=0.4)
        number.generate_target().scale(0.8).shift(UP)
        self.play(MoveToTarget(number), run_time=0.4)
