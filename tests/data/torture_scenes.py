"""Scenes that try to trip a renderer that draws only what has changed. Each is a few dozen frames."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from manim import (
    BLUE,
    DEGREES,
    DOWN,
    GREEN,
    LEFT,
    ORANGE,
    ORIGIN,
    OUT,
    PI,
    PINK,
    PURPLE,
    RED,
    RIGHT,
    TEAL,
    UL,
    UP,
    UR,
    WHITE,
    YELLOW,
    AnimationGroup,
    ApplyMethod,
    Arc,
    Axes,
    CapStyleType,
    Circle,
    Create,
    DashedLine,
    DashedVMobject,
    Dot,
    FadeIn,
    FadeOut,
    FadeTransform,
    Group,
    ImageMobject,
    Indicate,
    LaggedStart,
    Line,
    LineJointType,
    Mobject,
    MovingCamera,
    MovingCameraScene,
    Point,
    PointCloudDot,
    Polygon,
    Rectangle,
    RegularPolygon,
    ReplacementTransform,
    Restore,
    Rotate,
    RoundedRectangle,
    Scene,
    ShowPassingFlash,
    ShrinkToCenter,
    Square,
    Star,
    Succession,
    Text,
    TracedPath,
    Transform,
    TransformFromCopy,
    Triangle,
    Uncreate,
    UpdateFromAlphaFunc,
    UpdateFromFunc,
    ValueTracker,
    VGroup,
    VMobject,
    Wait,
    Write,
    always_redraw,
    linear,
    there_and_back,
)

SHORT = 0.4  # seconds


class Depth(Scene):
    """z-indices below, between and above, changed on the way, and a parent above its own child."""

    def construct(self) -> None:
        panel = Square(2.5, color=BLUE, fill_opacity=0.8)
        under = Circle(1.2, color=RED, fill_opacity=0.7).shift(RIGHT).set_z_index(-2)
        over = Triangle(color=GREEN, fill_opacity=0.6).scale(1.3).shift(LEFT * 0.7).set_z_index(3)
        child = Circle(0.4, color=YELLOW, fill_opacity=1).shift(UP * 0.3)
        parent = VGroup(Square(1, color=PINK, fill_opacity=0.5), child)
        child.set_z_index(-1)
        parent[0].set_z_index(2)
        self.add(panel, under, over, parent)
        self.play(under.animate.shift(LEFT * 2), run_time=SHORT)
        self.play(parent.animate.rotate(30 * DEGREES), run_time=SHORT)
        under.set_z_index(5)
        self.wait(SHORT)
        self.play(panel.animate.set_opacity(0.3), run_time=SHORT)
        child.set_z_index(6)
        self.play(child.animate.shift(DOWN), over.animate.shift(RIGHT), run_time=SHORT)


class Foreground(Scene):
    """Foreground mobjects stay on top of what is added later."""

    def construct(self) -> None:
        banner = Rectangle(width=6, height=1, color=WHITE, fill_color=PURPLE, fill_opacity=0.7)
        self.add_foreground_mobject(banner)
        square = Square(color=BLUE, fill_opacity=0.9)
        self.play(FadeIn(square), run_time=SHORT)
        late = Circle(color=RED, fill_opacity=0.9).shift(RIGHT)
        self.add(late)
        self.play(square.animate.shift(LEFT), run_time=SHORT)
        self.wait(SHORT)
        self.remove_foreground_mobject(banner)
        self.bring_to_back(banner)
        self.play(late.animate.shift(LEFT), run_time=SHORT)
        self.bring_to_front(square)
        self.wait(0.2)


class Updaters(Scene):
    """Updaters with and without time, during plays and waits, removed on the way, and one on the scene."""

    def construct(self) -> None:
        line = Line(LEFT * 2, RIGHT * 2, color=TEAL)
        runner = Dot(color=RED)
        runner.add_updater(lambda dot: dot.move_to(line.get_end()))
        spinner = Square(0.8, color=YELLOW).shift(UP)
        spinner.add_updater(lambda square, dt: square.rotate(dt * 2))
        self.add(line, runner, spinner)
        self.play(Rotate(line, PI / 2), run_time=SHORT)
        self.wait(SHORT)
        spinner.suspend_updating()
        self.wait(0.3)
        spinner.resume_updating()
        self.play(FadeIn(Circle(2, color=GREEN)), run_time=SHORT)
        spinner.clear_updaters()
        hidden = Square(0.5, color=ORANGE, fill_opacity=1).shift(DOWN * 2 + LEFT * 3)
        self.add(hidden)
        self.bring_to_back(hidden)
        step = 0.1

        def push(_dt: float) -> None:
            hidden.shift(RIGHT * step)

        self.add_updater(push)
        self.play(line.animate.shift(DOWN), run_time=SHORT)
        self.wait(0.3)
        self.remove_updater(push)
        self.wait(0.3)


class Gradients(Scene):
    """Gradients of fill and stroke, sheen, and a gradient whose ends depend on a submobject."""

    def construct(self) -> None:
        fill = Square(2, stroke_width=0).set_fill([RED, YELLOW, BLUE], opacity=[0.2, 0.9, 0.5])
        stroke = Circle(1, stroke_width=12).set_stroke([GREEN, PINK]).shift(LEFT * 3)
        shiny = Circle(0.8, color=BLUE, fill_opacity=0.8).shift(RIGHT * 3).set_sheen(0.5, UP)
        mother = Square(1.5).set_fill([RED, BLUE], opacity=0.6).shift(DOWN * 2)
        mother.add(Dot(color=WHITE).move_to(mother))
        self.add(fill, stroke, shiny, mother)
        self.play(Rotate(fill, PI / 3), stroke.animate.set_stroke([YELLOW, RED]), run_time=SHORT)
        self.play(mother[0].animate.shift(RIGHT * 2), run_time=SHORT)
        self.play(shiny.animate.set_sheen(-0.3, LEFT).scale(1.4), run_time=SHORT)
        self.play(FadeOut(fill), run_time=SHORT)


class BackgroundStrokes(Scene):
    """Strokes behind the fill, on text and shapes, changed while they move."""

    def construct(self) -> None:
        text = Text("Kerning", font_size=60).set_background_stroke(color=RED, width=8)
        star = Star(color=YELLOW, fill_opacity=1).shift(UP * 2).set_background_stroke(color=BLUE, width=15, opacity=0.5)
        self.add(Rectangle(width=9, height=5, color=TEAL, fill_opacity=0.4), text, star)
        self.play(text.animate.shift(DOWN), star.animate.set_background_stroke(width=2), run_time=SHORT)
        self.play(text.animate.set_background_stroke(color=GREEN, width=0), run_time=SHORT)


class Images(Scene):
    """Images under and over vectors: moved, faded, turned, partly outside."""

    def construct(self) -> None:
        ramp = np.zeros((24, 40, 4), np.uint8)
        ramp[..., 0] = np.arange(40)[None, :] * 6
        ramp[..., 1] = np.arange(24)[:, None] * 10
        ramp[..., 3] = 200
        image = ImageMobject(ramp).scale(6)
        small = ImageMobject(np.uint8([[0, 255], [128, 40]])).scale(20).shift(RIGHT * 4)
        self.add(Square(4, color=BLUE, fill_opacity=0.5), image, Circle(color=YELLOW), small)
        self.play(image.animate.shift(LEFT), run_time=SHORT)
        self.play(image.animate.set_opacity(0.4), small.animate.rotate(0.5), run_time=SHORT)
        self.wait(0.2)
        self.play(FadeOut(small), image.animate.shift(LEFT * 5), run_time=SHORT)
        self.play(FadeIn(Square(2, color=RED, fill_opacity=0.5)), run_time=SHORT)


class Fades(Scene):
    """Opacities of single shapes and of groups whose members overlap."""

    def construct(self) -> None:
        pile = VGroup(
            *[
                Circle(0.8, color=color, fill_opacity=0.5).shift(RIGHT * i * 0.6)
                for i, color in enumerate((RED, BLUE, GREEN))
            ]
        )
        self.play(FadeIn(pile, shift=UP), run_time=SHORT)
        self.play(pile.animate.set_opacity(0.2), run_time=SHORT)
        self.play(pile[1].animate.set_stroke(opacity=1, width=10), pile[0].animate.set_fill(opacity=0), run_time=SHORT)
        self.play(FadeOut(pile, scale=0.3, target_position=UR), run_time=SHORT)
        self.wait(0.2)


class CameraMoves(MovingCameraScene):
    """The camera pans and zooms, rests, and moves between two plays."""

    wanted_camera: ClassVar[type] = MovingCamera

    def construct(self) -> None:
        grid = VGroup(
            *[
                Square(0.9, color=BLUE, fill_opacity=0.3).shift(RIGHT * x + UP * y)
                for x in range(-3, 4)
                for y in range(-2, 3)
            ]
        )
        label = Text("zoom", font_size=30)
        self.add(grid, label)
        self.play(self.camera.frame.animate.scale(0.5).shift(RIGHT), run_time=SHORT)
        self.play(grid[3].animate.set_fill(RED), run_time=SHORT)
        self.wait(0.2)
        self.camera.frame.shift(LEFT * 0.37)
        self.play(label.animate.shift(UP), run_time=SHORT)
        self.camera.frame.add_updater(lambda frame: frame.move_to(label))
        self.add(self.camera.frame)
        self.play(label.animate.shift(DOWN), run_time=SHORT)


class CameraSlips(MovingCameraScene):
    """The camera's frame is moved by a scene updater, behind the back of what manim thinks is moving."""

    wanted_camera: ClassVar[type] = MovingCamera

    def construct(self) -> None:
        self.add(Square(2, color=BLUE, fill_opacity=0.5), Circle(0.7, color=RED).shift(RIGHT * 2))
        dot = Dot(color=YELLOW)
        self.add(dot)
        self.add_updater(lambda _dt: self.camera.frame.shift(RIGHT * 0.05))
        self.play(dot.animate.shift(UP), run_time=SHORT)
        self.play(dot.animate.shift(LEFT), run_time=SHORT)


class ComingAndGoing(Scene):
    """Mobjects are added, removed and reordered by updaters while a play runs."""

    def construct(self) -> None:
        square = Square(2, color=BLUE, fill_opacity=0.8)
        circle = Circle(0.8, color=RED, fill_opacity=0.8).shift(RIGHT)
        guest = Triangle(color=GREEN, fill_opacity=0.8)
        pilot = Dot(color=WHITE)
        self.add(square, circle, pilot)
        count = [0]

        def stir(_dot: Mobject) -> None:
            count[0] += 1
            if count[0] == 3:
                self.add(guest)
            elif count[0] == 5:
                self.bring_to_front(square)
            elif count[0] == 7:
                self.remove(circle)
            elif count[0] == 9:
                self.add(circle)
                self.remove(guest)
            elif count[0] == 10:
                self.bring_to_back(square)

        pilot.add_updater(stir)
        self.play(pilot.animate(rate_func=linear).shift(LEFT * 2), run_time=0.3)
        pilot.resume_updating()
        self.play(Indicate(circle), run_time=1)
        self.wait(0.3)


class Families(Scene):
    """Members change parents; a mobject is in the scene twice, through two groups; a part is animated alone."""

    def construct(self) -> None:
        a, b, c = (
            Square(1, color=color, fill_opacity=0.9).shift(RIGHT * x)
            for color, x in ((RED, -1), (BLUE, 0.3), (GREEN, 1.2))
        )
        first, second = VGroup(a, b), VGroup(c)
        self.add(first, second)
        self.play(first.animate.shift(UP * 0.5), run_time=SHORT)
        first.remove(b)
        second.add(b)
        self.play(second.animate.shift(DOWN * 0.5), run_time=SHORT)
        second.add_to_back(a)
        self.wait(0.2)
        self.play(b.animate.scale(1.5), run_time=SHORT)
        self.add(VGroup(a, c))
        self.play(FadeOut(a), run_time=SHORT)
        group = VGroup(b.copy().shift(LEFT), b.copy().shift(RIGHT))
        self.add(group, group[0], b)
        self.play(group[1].animate.set_fill(YELLOW), run_time=SHORT)
        group.submobjects.reverse()
        self.wait(0.2)
        group.add_updater(lambda g: g.submobjects.reverse())
        self.play(Wait(SHORT), FadeIn(Dot()))


class NothingThere(Scene):
    """Points only, lines of no length, shapes of no size, shapes outside, and far outside, and broken numbers."""

    def construct(self) -> None:
        point = Square(0.000001, color=RED)
        collapsed = Circle(color=BLUE).scale(0)
        dash = Line(ORIGIN, ORIGIN + 1e-9, color=YELLOW, stroke_width=20)
        dash.set_cap_style(CapStyleType.ROUND)
        outside = Square(1, color=GREEN, fill_opacity=1).shift(RIGHT * 9)
        half = Circle(1, color=TEAL, fill_opacity=0.7, stroke_width=20).shift(LEFT * 7.3 + UP * 3.8)
        broken = Square(1, color=ORANGE, fill_opacity=1)
        empty = VMobject()
        empty.start_new_path(UP)
        far = Line(LEFT * 3000, RIGHT * 3000 + UP * 900, color=PURPLE)
        wrapped = Line(LEFT * 300_000, RIGHT * 300_000 + UP * 500_000, color=RED)
        self.add(
            wrapped,
            point,
            collapsed,
            dash,
            outside,
            half,
            broken,
            empty,
            far,
            VGroup(),
            Mobject(),
            Point(),
            ValueTracker(3),
        )
        self.play(outside.animate.shift(LEFT * 4), half.animate.shift(RIGHT), run_time=SHORT)
        broken.points[2] = np.nan
        self.play(dash.animate.put_start_and_end_on(LEFT, RIGHT + UP), run_time=SHORT)
        self.play(ShrinkToCenter(outside), far.animate.shift(DOWN), run_time=SHORT)
        self.wait(0.2)


class Shapes(Scene):
    """Transforms between different point counts, from copies, along arcs, and into other families."""

    def construct(self) -> None:
        square = Square(1.4, color=BLUE, fill_opacity=0.5).shift(LEFT * 2)
        hexagon = RegularPolygon(7, color=RED, fill_opacity=0.8).shift(RIGHT * 2)
        word, other = Text("abc", font_size=50).shift(UP * 2), Text("Z", font_size=90).shift(DOWN * 2)
        self.add(square, word)
        self.play(Transform(square, hexagon, path_arc=PI / 2), run_time=SHORT)
        self.play(ReplacementTransform(word, other), run_time=SHORT)
        self.play(TransformFromCopy(square, Circle(0.6, color=GREEN)), run_time=SHORT)
        self.play(FadeTransform(other, Star(color=YELLOW)), run_time=SHORT)
        square.save_state()
        self.play(square.animate.become(Triangle(color=PINK)), run_time=SHORT)
        square.set_opacity(0.5)
        self.play(Restore(square), run_time=SHORT)


class Lines(Scene):
    """Strokes only: dashes, sharp corners of every joint and cap, thick and hair-thin, drawn bit by bit."""

    def construct(self) -> None:
        zigzag = [LEFT * 3, LEFT * 2 + UP * 2.5, LEFT * 1.7 + DOWN, ORIGIN + UP * 2, RIGHT * 0.1 + DOWN * 2]
        strokes = VGroup()
        for index, joint in enumerate(LineJointType):
            one = VMobject(
                stroke_width=18, color=[RED, GREEN, BLUE, YELLOW][index], joint_type=joint, stroke_opacity=0.7
            )
            one.set_points_as_corners([point + RIGHT * index for point in zigzag])
            strokes.add(one)
        caps = VGroup(
            *[
                Line(LEFT * 4, RIGHT * 4, stroke_width=25).shift(DOWN * (2 + i * 0.5)).set_cap_style(cap)
                for i, cap in enumerate(CapStyleType)
            ]
        )
        dashed = DashedLine(LEFT * 6 + UP * 3, RIGHT * 6 + UP * 3.3, dash_length=0.2, color=PINK)
        ring = DashedVMobject(Circle(1.5, color=ORANGE), num_dashes=20)
        hair = Line(LEFT * 6, RIGHT * 6 + UP, stroke_width=0.3)
        self.add(strokes, dashed)
        self.play(Create(caps), FadeIn(ring), run_time=SHORT)
        self.play(Rotate(ring, 1), strokes[0].animate.shift(UP * 0.3), dashed.animate.shift(DOWN), run_time=SHORT)
        self.play(Create(hair), ShowPassingFlash(strokes[1].copy().set_color(WHITE)), run_time=SHORT)
        self.play(Uncreate(caps), strokes.animate.set_stroke(width=1), run_time=SHORT)
        spike = Polygon(LEFT * 2, RIGHT * 3 + UP * 0.3, RIGHT * 3 + DOWN * 0.3, color=WHITE, stroke_width=30)
        self.play(FadeIn(spike), run_time=SHORT)
        self.play(spike.animate.stretch(0.1, 1), run_time=SHORT)


class Words(Scene):
    """Text written, coloured by letter, moved over a panel, unmade."""

    def construct(self) -> None:
        panel = RoundedRectangle(width=8, height=2, color=TEAL, fill_opacity=0.3)
        line = Text("frames of text", font_size=44).move_to(panel)
        self.add(panel)
        self.play(Write(line), run_time=2 * SHORT)
        self.play(line[3:6].animate.set_color(RED), run_time=SHORT)
        self.play(line.animate.scale(0.7).shift(RIGHT * 0.123), run_time=SHORT)
        self.play(LaggedStart(*[FadeOut(letter, shift=DOWN) for letter in line], lag_ratio=0.2), run_time=SHORT)


class Trackers(Scene):
    """Value trackers, redrawn mobjects, traced paths, plots."""

    def construct(self) -> None:
        time = ValueTracker(0.0)
        axes = Axes(x_range=(0, 5), y_range=(-1, 1), x_length=8, y_length=3)
        curve = always_redraw(
            lambda: axes.plot(lambda x: float(np.sin(x + time.get_value())), x_range=(0, 5, 0.1), color=YELLOW)
        )
        dot = always_redraw(lambda: Dot(axes.c2p(time.get_value(), 0), color=RED))
        trace = TracedPath(dot.get_center, stroke_color=GREEN, stroke_width=6)
        self.add(axes, curve, dot, trace)
        self.play(time.animate.set_value(2), run_time=SHORT)
        self.wait(0.2)
        self.play(time.animate.set_value(4), axes.animate.shift(UP * 0.2), run_time=SHORT)


class Clouds(Scene):
    """Point clouds among vectors."""

    def construct(self) -> None:
        cloud = PointCloudDot(radius=1, density=12, color=YELLOW)
        self.add(Square(2, color=BLUE, fill_opacity=0.5), cloud, Circle(0.6, color=RED, fill_opacity=0.6))
        self.play(cloud.animate.shift(RIGHT * 1.5), run_time=SHORT)
        self.play(cloud.animate.set_color(GREEN), FadeIn(Square(1)), run_time=SHORT)
        self.play(cloud.animate.shift(RIGHT * 5), run_time=SHORT)


class Orders(Scene):
    """Successions, lagged starts, nested groups of animations, introducers and removers among them."""

    def construct(self) -> None:
        dots = VGroup(*[Dot(RIGHT * i - RIGHT * 3, radius=0.3, color=BLUE) for i in range(6)])
        self.play(LaggedStart(*[FadeIn(dot, scale=0.5) for dot in dots], lag_ratio=0.3), run_time=SHORT)
        self.play(
            Succession(
                dots[0].animate.shift(UP),
                FadeOut(dots[1]),
                Create(Square(2, color=RED)),
                dots[2].animate.set_color(YELLOW),
            ),
            dots[5].animate.shift(DOWN),
            run_time=2 * SHORT,
        )
        self.play(
            AnimationGroup(
                Succession(FadeIn(Circle(3)), FadeIn(Circle(2))),
                LaggedStart(*[Indicate(dot) for dot in dots[3:]], lag_ratio=0.5),
                lag_ratio=0.4,
            ),
            run_time=2 * SHORT,
        )
        self.play(FadeOut(dots[0]), ApplyMethod(dots[2].shift, UP), run_time=SHORT, rate_func=there_and_back)
        self.wait(0.2)


class Functions(Scene):
    """Animations that are functions, which may change anything."""

    def construct(self) -> None:
        square, circle = Square(color=BLUE, fill_opacity=0.5), Circle(0.5, color=RED, fill_opacity=1).shift(LEFT * 3)
        bystander = Star(color=GREEN, fill_opacity=1).shift(RIGHT * 3)
        self.add(bystander, square, circle)

        def both(mobject: Any, alpha: float) -> None:
            mobject.set_fill(opacity=1 - alpha)
            bystander.shift(UP * 0.05)
            circle.move_to(LEFT * 3 + UP * alpha)

        self.play(UpdateFromAlphaFunc(square, both), run_time=SHORT)
        self.play(UpdateFromFunc(circle, lambda mobject: mobject.shift(RIGHT * 0.1)), run_time=SHORT)
        self.play(Rotate(square, PI / 4), circle.animate.shift(UP), run_time=SHORT)

        def sneaky(t: float) -> float:
            bystander.rotate(0.1)
            return t

        self.bring_to_front(bystander)
        self.play(square.animate(rate_func=sneaky).shift(LEFT), run_time=SHORT)


class InPlace(Scene):
    """Arrays changed in place, backgrounds changed on the way, shared arrays."""

    def construct(self) -> None:
        square = Square(color=BLUE, fill_opacity=0.6)
        twin = Square(color=RED, fill_opacity=0.6)
        twin.points = square.points
        self.add(square, twin)
        self.play(FadeIn(Dot()), run_time=0.2)
        square.points += 0.7
        self.play(FadeIn(Dot(UP)), run_time=0.2)
        square.fill_rgbas[0, 1] = 0.9
        self.wait(0.2)
        self.camera.background_color = "#204060"
        self.play(twin.animate.shift(RIGHT), run_time=SHORT)
        self.camera.background[40:60, 40:90] = (200, 10, 30, 255)
        self.wait(0.2)
        square.add_updater(lambda mobject: mobject.points.__iadd__(0.05))
        self.play(twin.animate.shift(LEFT), run_time=SHORT)


class Conditions(Scene):
    """Waits with a condition, waits that are not frozen, sections, a skipped section, plays of nothing."""

    def construct(self) -> None:
        square = Square(color=BLUE, fill_opacity=0.4)
        self.add(square)
        self.play(square.animate.shift(RIGHT), run_time=0.2)
        count = [0]

        def enough() -> bool:
            count[0] += 1
            square.shift(LEFT * 0.2)
            return count[0] > 4

        self.wait_until(enough, max_time=1)
        self.next_section("skipped", skip_animations=True)
        self.play(square.animate.rotate(1), run_time=SHORT)
        self.wait(0.3)
        self.next_section("again")
        self.play(Wait(0.2, frozen_frame=False))
        self.play(square.animate.shift(UP), run_time=0.2)
        self.wait(0.3, frozen_frame=False)
        self.remove(square)
        self.wait(0.2)


class Turned(Scene):
    """Turned in space, flat on: points with depth, a gradient that follows."""

    def construct(self) -> None:
        square = Square(2, color=BLUE, fill_opacity=0.6)
        arc = Arc(1.5, 0, 4, color=YELLOW, stroke_width=14).shift(LEFT * 2)
        self.add(square, arc)
        self.play(Rotate(square, PI / 2, axis=UP), Rotate(arc, 1, axis=OUT), run_time=SHORT)
        self.play(Rotate(square, PI / 3, axis=UL), arc.animate.stretch(0.2, 0), run_time=SHORT)


class Unsupported(Scene):
    """What only manim draws: a picture as the colour of a shape, shading, a class with a mind of its own."""

    def construct(self) -> None:
        class Striped(Square):
            def get_fill_rgbas(self) -> np.ndarray:
                return np.array([[1, 0.5, 0, 0.5]]) * (0.5 + 0.5 * abs(self.get_center()[0]) / 3)

        class Split(Circle):
            def get_subpath_split_indices_from_points(self, points: np.ndarray, n_dims: int = 3) -> np.ndarray:
                return super().get_subpath_split_indices_from_points(points, n_dims)[:, :]

        striped, split = Striped(1.5).shift(LEFT), Split(1, color=GREEN)
        self.add(Square(3, color=BLUE, fill_opacity=0.3), striped)
        self.play(striped.animate.shift(RIGHT * 2), run_time=SHORT)
        self.play(FadeIn(split), run_time=SHORT)
        self.play(striped.animate.shift(LEFT), run_time=SHORT)
        self.play(FadeOut(split), run_time=SHORT)
        shaded = Square(1, color=YELLOW, fill_opacity=0.7).set_shade_in_3d(True)
        self.play(FadeIn(Group(shaded)), run_time=SHORT)
        self.play(striped.animate.shift(UP), run_time=SHORT)
