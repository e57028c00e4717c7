"""Scene 14: from the last vectors to probabilities, what a wrong one costs, and how descent makes it cheaper."""

from __future__ import annotations

import math

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, Create, FadeIn, FadeOut, LaggedStart, VGroup

from scenes.stage import miniature, theme
from scenes.stage.bars import ProbabilityBars
from scenes.stage.boxes import focus_frame
from scenes.stage.equation import Equation, Term
from scenes.stage.facts import told
from scenes.stage.fit import narrowest_pitch
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.handover import named_matrix, sentence
from scenes.stage.layer import ARROW_ROOM, LayerScene
from scenes.stage.reckoning import Entry, Length, Logarithm
from scenes.stage.training_pictures import BarGrid, LossCurve
from scenes.stage.words import Words, as_printed, equals

CORPUS = "one_sentence"
SOME_WEIGHTS = ("embed.weight", "weights.encoder.0.attn.W_O", "weights.decoder.0.self_attn.W_O", "weights.W_out")
WEIGHTS_HEIGHT = 1.7  # units
MOMENTS = 7
COMFORTABLE = 8  # words of a vocabulary that stand side by side with two decimals
COMFORTABLE_COLUMNS = 12  # of two matrices with two decimals
CLOSE_FRAME = 0.03  # units around a cell: frames of neighbouring rows stand corner to corner, clear of the headings
CLOSE = 0.34  # units: bars as near to each other are named in the smallest type


class OutputAndLoss(LayerScene):
    """Logits, softmax, −ln p of the next word, the mean; then real gradient descent."""

    def construct(self) -> None:
        self.follow("tgt.tokens")
        self.vocabulary = self.names(range(len(self.model.vocabulary)))
        self.following = [int(i) for i in self.trace["labels.shifted"]]
        self.logits()
        self.probabilities()
        self.which_answer()
        self.one_loss()
        self.mean_loss()
        self.blind_guess()
        self.gradients()
        self.descent()
        self.bars_move()
        self.only_the_source()

    # -- beats ----------------------------------------------------------------------------------------------------
    def logits(self) -> None:
        with self.beat("logits") as beat:
            opening = named_matrix(self, "decoder.out", self.ids)
            self.add(opening)
            many = len(self.vocabulary) + self.model.d_model > COMFORTABLE_COLUMNS
            decimals = 1 if many else 2
            picture = Equation(
                self,
                [
                    Term("decoder.out", self.label("rows"), decimals=decimals, named=True),
                    Term("logits", self.label("scores"), decimals=decimals, column_names=tuple(self.vocabulary)),
                ],
                self.row_names,
                buff=0.9 if many else 1.5,
                cell=(0.9, 0.72),
                size=22,
                least_air=0.8 if many else ARROW_ROOM,
            )
            rows, scores = picture.grids
            self.wait(beat.share(0.06))
            if many:  # other decimals: the picture gives way instead of moving
                self.clear_for(FadeIn(rows), FadeIn(picture.tags[0]), seconds=beat.share(0.2))
            else:
                self.play(*self.become(opening, rows), FadeIn(picture.tags[0]), run_time=beat.share(0.2))
            arrow = self.network_arrow(picture, 'dot W_"out"^top')[: 1 if many else 2]
            self.play(
                *[FadeIn(part) for part in arrow],
                FadeIn(scores.column_labels),
                FadeIn(picture.tags[1]),
                run_time=beat.share(0.15),
            )
            self.rows_through(picture, beat.share(0.45))

    def probabilities(self) -> None:
        row = self.trace["probs"][0]
        best = int(row.argmax())
        with self.beat(
            "probabilities",
            word=self.row_names[0].text,
            best=self.model.vocabulary[best],
            p_best=self.value("probs", (0, best)),
        ) as beat:
            room = 2 * theme.SAFE_X - 3.0
            self.table = BarGrid(
                self.trace,
                "probs",
                # Many words leave room for one decimal; the bars tell the rest.
                decimals=2 if narrowest_pitch(self.trace, "probs") * len(self.vocabulary) <= room else 1,
                bar_names=self.vocabulary,
                row_names=self.row_names,
                column_names=self.vocabulary,
                cell=(1.3, 0.66),
                max_width=room,
                max_height=3.1,
            )
            self.table.shift([-theme.SAFE_X + 0.1 - self.table.get_left()[0], 0.28 - self.table.body.get_y(), 0])
            self.clear_for(FadeIn(self.table.column_labels), seconds=beat.share(0.18))
            rows = [FadeIn(self.table.row_with_bars(i)) for i in range(self.table.rows)]
            self.play(LaggedStart(*rows, lag_ratio=0.5), run_time=beat.share(0.4))
            self.add(self.table)
            frame = focus_frame(self.table.cell(0, best), buff=CLOSE_FRAME)
            self.play(FadeIn(frame), run_time=beat.share(0.12))
            self.frame = frame

    def which_answer(self) -> None:
        with self.beat("which_answer") as beat:
            self.answers = [
                focus_frame(self.table.cell(i, word), buff=CLOSE_FRAME) for i, word in enumerate(self.following)
            ]
            self.play(FadeOut(self.frame), run_time=beat.share(0.15))
            for frame in self.answers:
                self.play(FadeIn(frame), run_time=beat.share(0.6 / len(self.answers)))

    def one_loss(self) -> None:
        word = self.following[0]
        with self.beat(
            "one_loss",
            word=self.row_names[0].text,
            next_word=self.model.vocabulary[word],
            p_right=self.value("probs", (0, word)),
            loss=self.value("loss.shifted", (0,)),
        ) as beat:
            line = self._price(0)
            line.move_to([0, self.table.body.get_bottom()[1] - 0.75, 0])
            self.play(FadeIn(line[:2]), run_time=beat.share(0.25))
            self.play(FadeIn(line[2:]), run_time=beat.share(0.25))
            self.line = line

    def mean_loss(self) -> None:
        with self.beat("mean_loss", mean_loss=self.value("loss.shifted.mean")) as beat:
            losses = VGroup()
            for i in range(len(self.following)):
                number = self.number("loss.shifted", (i,), size=theme.BODY_SIZE)
                number.move_to([theme.SAFE_X - 0.5, self.table.row(i).get_y(), 0])
                losses.add(number)
            head = Words(self.label("loss"), theme.LABEL_SIZE, theme.TRAINING)
            head.next_to(losses, UP, 0).set_y(self.table.column_labels.get_y())
            self.play(FadeIn(head), *[FadeIn(number) for number in losses], run_time=beat.share(0.25))
            mean = VGroup(
                Words(self.label("mean"), theme.BODY_SIZE, theme.TRAINING),
                self.number("loss.shifted.mean", size=theme.TOKEN_SIZE),
            ).arrange(RIGHT, buff=0.3)
            mean.move_to(self.line)
            self.play(FadeOut(self.line), run_time=beat.share(0.1))
            self.play(
                FadeIn(mean), *[FadeOut(n.copy(), target_position=mean) for n in losses], run_time=beat.share(0.3)
            )
            self.mean = mean

    def blind_guess(self) -> None:
        cost = Logarithm(Length("logits"))
        with self.beat("blind_guess", blind_loss=self.reckoned(cost)) as beat:
            number = self.result(cost, size=theme.BODY_SIZE, color=theme.DIM)
            words, sign = (Words(text, theme.BODY_SIZE, theme.DIM) for text in (self.label("blind"), number.sign))
            even = VGroup(words, sign, number).arrange(RIGHT, buff=0.2)
            even.next_to(self.mean, DOWN, 0.3).set_x(0)
            self.play(FadeIn(even), run_time=beat.share(0.3))

    def gradients(self) -> None:
        with self.beat("gradients") as beat:
            titles = (
                self.label("part_embedding"),
                self.label("part_encoder"),
                self.label("part_decoder"),
                self.label("part_output"),
                self.label("loss"),
            )
            boxes = VGroup(*[FlowBox([title], 1.75, 1.1, theme.SHARED) for title in titles]).arrange(RIGHT, buff=0.85)
            if boxes.width > 2 * theme.SAFE_X - 0.2:
                boxes.arrange(RIGHT, buff=0.85 - (boxes.width - 2 * theme.SAFE_X + 0.2) / 4)
            boxes.move_to([0, 0.85, 0])
            weights = [self._some_weights(key, box) for key, box in zip(SOME_WEIGHTS, boxes, strict=False)]
            price = self.number("loss.shifted.mean", size=theme.TOKEN_SIZE, color=theme.TRAINING)
            price.next_to(boxes[-1], DOWN, 0.5)
            self.clear_for(FadeIn(boxes), FadeIn(price), *[FadeIn(one) for one in weights], seconds=beat.share(0.22))
            order = list(range(len(boxes) - 1, 0, -1))
            lit = boxes[-1].animate.paint(theme.tint(theme.TRAINING, 0.4), theme.TRAINING, theme.INK)
            self.play(lit, run_time=beat.share(0.1))
            for i in order:
                back = FlowArrow([boxes[i].get_left(), boxes[i - 1].get_right()], color=theme.TRAINING)
                lit = boxes[i - 1].animate.paint(theme.tint(theme.TRAINING, 0.4), theme.TRAINING, theme.INK)
                changed = [
                    tile.animate.set_fill(theme.mix(theme.TRAINING, tile.get_fill_color().to_hex(), 0.75))
                    for tile in weights[i - 1]
                ]
                self.play(FadeIn(back, shift=LEFT * 0.3), lit, *changed, run_time=beat.share(0.5 / len(order)))

    def descent(self) -> None:
        loss, steps = f"training.{CORPUS}.loss", f"training.{CORPUS}.steps"
        last = len(self.trace[steps]) - 1
        with self.beat(
            "descent",
            n_updates=told(int(self.trace[steps][last]), Entry(steps, (last,))),
            loss_before=self.value(loss, (0,)),
            loss_after=self.value(loss, (last,)),
        ) as beat:
            self.moments = self._moments(last + 1)
            self.curve = LossCurve(
                self.trace,
                CORPUS,
                self.moments,
                left=-theme.SAFE_X + 0.1,
                right=-0.4,
                bottom=-2.0,
                top=1.75,
                across=self.label("updates"),
                up=self.label("loss"),
            )
            self.bars = self._bars(0)
            self.clear_for(FadeIn(self.curve.frame), FadeIn(self.bars), seconds=beat.share(0.2))
            for i, piece in enumerate(self.curve.pieces):
                self._one_moment(i + 1, piece, beat.share(0.6 / len(self.curve.pieces)))
            self.play(FadeIn(self.curve.last), run_time=beat.share(0.08))

    def bars_move(self) -> None:
        word = self.following[0]
        key = f"training.{CORPUS}.probs"
        last = self.moments[-1]
        with self.beat(
            "bars_move",
            word=self.row_names[0].text,
            next_word=self.model.vocabulary[word],
            p_before=self.value(key, (0, 0, word)),
            p_after=self.value(key, (last, 0, word)),
        ) as beat:
            entry = self.bars.entries[word]
            crowded = len(self.vocabulary) > COMFORTABLE
            frame = focus_frame(entry.groove, buff=0.03) if crowded else focus_frame(entry, buff=0.13)
            self.play(FadeIn(frame), run_time=beat.share(0.2))
            self.wait(beat.share(0.4))
            self.play(FadeOut(frame), run_time=beat.share(0.15))

    def only_the_source(self) -> None:
        with self.beat("only_the_source") as beat:
            closing = sentence(self, [int(i) for i in self.trace["src.tokens"]])
            self.clear_for(FadeIn(closing), seconds=beat.share(0.45))

    # -- pictures -------------------------------------------------------------------------------------------------
    def _price(self, i: int) -> VGroup:
        """−ln of the probability of the next word in row i, and what it comes to."""
        word = self.following[i]
        right = as_printed(float(self.trace["probs"][i, word]), 3)
        cost = as_printed(float(self.trace["loss.shifted"][i]), 2)
        return VGroup(
            Words("−ln", theme.TOKEN_SIZE, theme.DIM),
            self.number("probs", (i, word), decimals=3, size=theme.TOKEN_SIZE),
            Words(equals(-math.log(right) if right else math.inf, cost), theme.TOKEN_SIZE, theme.DIM),
            self.number("loss.shifted", (i,), size=theme.TOKEN_SIZE, color=theme.TRAINING),
        ).arrange(RIGHT, buff=0.3)

    def _some_weights(self, key: str, box: FlowBox) -> VGroup:
        """Some of the numbers that a part of the model has learned or will learn, as tiles under its box."""
        tiles = miniature.matrix(self.trace[key], theme.DIM, height=WEIGHTS_HEIGHT)
        if tiles.width > box.width:
            tiles.stretch_to_fit_width(box.width)
        return tiles.next_to(box, DOWN, 0.4)

    def _moments(self, count: int) -> list[int]:
        """Moments at which the bars are shown: at even drops of the loss rather than at even times."""
        loss = self.trace[f"training.{CORPUS}.loss"]
        levels = np.linspace(float(loss[0]), float(loss[-1]), MOMENTS)
        found = [int(np.argmax(loss <= level + 1e-12)) for level in levels]
        return sorted({0, *found, count - 1})

    def _bars(self, moment: int) -> ProbabilityBars:
        """What follows the first word, at one moment of the training."""
        pitch = min(0.5, 4.2 / len(self.vocabulary))
        bars = ProbabilityBars(
            self.trace,
            f"training.{CORPUS}.probs",
            (self.moments[moment], 0),
            self.vocabulary,
            length=2.6,
            pitch=pitch,
            decimals=3,
            size=theme.LABEL_SIZE if pitch > CLOSE else theme.SMALL_SIZE,
        )
        return bars.move_to([3.35, -0.12, 0])

    def _one_moment(self, moment: int, piece: VGroup, seconds: float) -> None:
        """The curve goes on to the next moment, and the bars follow."""
        new = self._bars(moment)
        changes = []
        for old, then in zip(self.bars.entries, new.entries, strict=True):
            changes.append(old.bar.animate.become(then.bar))
            changes.append(FadeOut(old.number))
            changes.append(FadeIn(then.number))
        self.play(
            Create(piece),
            self.curve.dot.animate.move_to(self.curve.points[moment]),
            *changes,
            run_time=seconds,
        )
        for old, then in zip(self.bars.entries, new.entries, strict=True):
            old.number = then.number
