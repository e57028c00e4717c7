"""Scene 1: the whole map, one run through it, and the same map run by training and by inference side by side."""

from __future__ import annotations

from collections.abc import Sequence

from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    Animation,
    FadeIn,
    FadeOut,
    LaggedStart,
    Line,
    MoveAlongPath,
    ReplacementTransform,
    TransformFromCopy,
    VGroup,
    VMobject,
)

from scenes.overview_flow import Flow, across, becoming, encoder_stops, remember
from scenes.overview_map import ELLIPSIS, MapWords, ModelMap, Room, Way, chips_that_fit
from scenes.overview_parts import WordBars, chart_above, track_title, way_back
from scenes.stage import theme
from scenes.stage.boxes import panel
from scenes.stage.handover import sentence
from scenes.stage.motion import appear, fly, raise_above, settle, vanish
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words

WHOLE = Room(-4.8, -2.66, 2.42, 3.2, 2.0, 4.4, 24.0, 23.0, 0.12, 0.14)
TRAINED = "trained.one_sentence."  # where the trace has the model after training
MOST_LAYERS = 3  # boxes for layers in a tower


def half(left: float) -> Room:
    """The room of one of two maps."""
    return Room(left, -2.66, 1.8, 2.0, 0.6, 3.2, theme.SMALL_SIZE, theme.SMALL_SIZE, 0.07, 0.09)


class Overview(ExplainerScene):
    """One map, and its two ways to run: they share the encoder and differ in what the decoder reads and writes."""

    ASIDE = 1.05  # how far the map moves to make room for the bars
    BARS_GAP = 0.55
    LEFT_MAP, RIGHT_MAP = -6.35, 0.25
    TITLES_Y = 2.2
    LOOP_X = 6.28

    def construct(self) -> None:
        model = self.model
        self.source_ids = [int(i) for i in self.trace["src.tokens"]]
        self.target_ids = [model.vocabulary.index(word) for word in model.target]
        self.passes = [k for k in range(1, len(model.target) + 1) if f"generate.{k}.tokens" in self.trace]
        self.read_ids = [int(i) for i in self.trace[f"generate.{self.passes[-1]}.tokens"]]
        # The word that follows position i of the decoder's input; behind a start symbol that is word i itself.
        self.next_ids = [model.vocabulary.index(word) for word in model.target[0 if model.start_symbol else 1 :]]
        self.weights = TRAINED if f"{TRAINED}probs" in self.trace else ""
        # Which of the decoder's boxes read the memory.
        layers = drawn_layers(model.decoder_layers)
        self.reading = [box for box, i in enumerate(layers) if f"decoder.{i}.cross_attn.out" in self.trace]
        self.the_task()
        self.encoder()
        self.bridge()
        self.decoder_and_output()
        self.shared_encoder()
        self.training_track()
        self.inference_track()
        self.start_here()

    # -- beats ----------------------------------------------------------------------------------------------------
    def the_task(self) -> None:
        with self.beat("the_task") as beat:
            whole = self.map = self._map(WHOLE, self.read_ids, (theme.TRAINING, theme.INFERENCE))
            for way in whole.bridge:
                way.paint(theme.LINE)
            self.results = self._chips(whole, self.target_ids, whole.levels.results)
            top = whole.levels.boxes[-1] + whole.levels.box_height / 2
            self.exit = Way([[whole.room.decoder_x, top, 0], self.results.get_bottom()], theme.LINE, 3.0, 0.06, 0.15)
            tags = [
                Words(self.label("read"), theme.BODY_SIZE, theme.DIM).next_to(whole.encoder.chips, LEFT, 0.35),
                Words(self.label("write"), theme.BODY_SIZE, theme.DIM).next_to(self.results, LEFT, 0.35),
            ]
            # The first frame of the film: the plan of the machine, not yet lit.
            for box in whole.boxes:
                box.quiet()
            whole.memory.set_stroke(theme.LINE)
            still = (*whole.encoder.gaps, whole.memory, *whole.decoder.gaps[1:-1], whole.bridge, self.exit)
            self.add(*still, *whole.boxes)
            self.play(FadeIn(whole.encoder.chips, shift=UP * 0.2), FadeIn(tags[0]), run_time=beat.share(0.14))
            lights = [
                [*[box.animate.rest() for box in whole.encoder.boxes], whole.memory.animate.set_stroke(theme.SHARED)],
                [box.animate.rest() for box in whole.decoder.boxes],
            ]
            self.play(*[LaggedStart(*tower, lag_ratio=0.5) for tower in lights], run_time=beat.share(0.4))
            words = [FadeIn(chip, shift=UP * 0.15) for chip in self.results]
            self.play(FadeIn(tags[1]), LaggedStart(*words, lag_ratio=0.4), run_time=beat.share(0.26))
            self.tags = tags

    def encoder(self) -> None:
        with self.beat("encoder") as beat:
            self.play(
                *[box.animate.quiet() for box in self.map.decoder.boxes],
                *[chip.animate.quiet() for chip in self.results],
                *vanish(*self.tags),
                run_time=beat.share(0.1),
            )
            flow = self._encoder_flow(self.map, self.weights)
            for stop in range(len(flow)):
                self.play(*flow.hop(stop), run_time=beat.share(0.66 / len(flow)))
            self.memory_tag = Words(self.label("memory"), theme.BODY_SIZE, theme.SHARED)
            self.memory_tag.next_to(self.map.memory, UP, 0.24)
            self.play(FadeIn(self.memory_tag), *remember(self.map), run_time=beat.share(0.1))
            self.memory = flow.vectors
            self.add(self.memory)  # what is drawn later lies above, for renderers that keep still things apart

    def bridge(self) -> None:
        with self.beat("bridge") as beat:
            whole = self.map
            name = Words(self.label("bridge"), theme.LABEL_SIZE, theme.SHARED)
            if name.width > whole.room.bridge - 0.2:
                name = Words(self.label("bridge"), theme.SMALL_SIZE, theme.SHARED)
            name.move_to([whole.room.left + whole.room.encoder + whole.room.bridge / 2, whole.beside_the_bridge, 0])
            readers = [whole.decoder.boxes[1 + layer] for layer in whole.reading]
            self.play(
                *[box.animate.quiet() for box in whole.encoder.boxes],
                *[box.animate.rest() for box in readers],
                run_time=beat.share(0.1),
            )
            self.play(
                *[way.animate.paint(theme.SHARED) for way in whole.bridge], FadeIn(name), run_time=beat.share(0.14)
            )
            copies, trips = across(self.memory, whole.bridge)
            self.play(*trips, *[box.animate.lit() for box in readers], run_time=beat.share(0.44))
            self.play(FadeOut(copies), *[box.animate.rest() for box in readers], run_time=beat.share(0.1))
            self.bridge_name = name

    def decoder_and_output(self) -> None:
        with self.beat("decoder_and_output") as beat:
            decoder, last = self.map.decoder, self.passes[-1]
            self._step_aside(beat.share(0.1))
            self.play(
                *[box.animate.rest() for box in decoder.boxes],
                *[chip.animate.wake() for chip in self.results],
                run_time=beat.share(0.06),
            )
            self.play(*self._read_back(), FadeIn(decoder.gaps[0]), run_time=beat.share(0.16))
            settle(decoder.chips)
            flow = self._decoder_flow(self.map, f"{self.weights}generate.{last}.", range(last))
            for stop in range(len(flow)):
                self.play(*flow.hop(stop), run_time=beat.share(0.36 / len(flow)))
            names = self.tokens(range(len(self.model.vocabulary)))
            values = self.trace[f"{self.weights}generate.{last}.probs"][-1]
            edge = decoder.boxes[-1].get_right()
            left = edge[0] + self.BARS_GAP
            bars = WordBars(values, names, theme.SAFE_X - left - 0.05, 4.3)
            whose = Words(
                self.label("trained") if self.weights else self.label("untrained"), theme.SMALL_SIZE, theme.DIM
            )
            whose.next_to(bars, DOWN, 0.24, aligned_edge=RIGHT)
            top = theme.CONTENT_TOP - 0.3 - bars.height / 2
            VGroup(bars, whose).shift([left - bars.get_left()[0], min(edge[1], top) - bars.get_y(), 0])
            out = Way([edge, [left, edge[1], 0]], theme.DIM, 3.0, 0.08, 0.15)
            self.bars, self.bars_frame = bars, VGroup(whose, out)
            rows = [FadeIn(row, shift=RIGHT * 0.15) for row in self.bars.rows]
            self.play(
                FadeOut(flow.vectors),
                decoder.boxes[-1].animate.rest(),
                FadeIn(self.bars_frame),
                LaggedStart(*rows, lag_ratio=0.15),
                run_time=beat.share(0.18),
            )
            self._fill_slot(int(values.argmax()), beat.share(0.1))

    def shared_encoder(self) -> None:
        with self.beat("shared_encoder") as beat:
            old = self.map
            left = self._map(half(self.LEFT_MAP), [int(i) for i in self.trace["tgt.tokens"]], (theme.TRAINING,))
            right = self._map(half(self.RIGHT_MAP), self.read_ids, (theme.INFERENCE,))
            self.maps = (left, right)
            gone = [
                *old.decoder.gaps[:-1],
                old.decoder.chips,
                self.results,
                self.slot,
                self.exit,
                self.bars,
                self.bars_frame,
            ]
            self.play(
                *vanish(*gone, self.memory, self.memory_tag, self.bridge_name),
                *[box.animate.rest() for box in old.boxes],
                run_time=beat.share(0.1),
            )
            self.play(*becoming(old, left), run_time=beat.share(0.12))
            self.add(*left.boxes)
            self.play(*becoming(left, raise_above(right), TransformFromCopy), run_time=beat.share(0.14))
            self.add(*settle(right).boxes)
            titles = [
                track_title(
                    left, self.film_word("track_training"), self.label("all_at_once"), theme.TRAINING, self.TITLES_Y
                ),
                track_title(
                    right, self.film_word("track_inference"), self.label("word_by_word"), theme.INFERENCE, self.TITLES_Y
                ),
            ]
            self.notes = [title[1] for title in titles]
            divider = Line([0, theme.CONTENT_TOP, 0], [0, theme.CONTENT_BOTTOM, 0], color=theme.LINE)
            lanes = [gap for one in self.maps for gap in one.decoder.gaps]
            self.play(
                *[FadeIn(title[0]) for title in titles], FadeIn(divider), *appear(*lanes), run_time=beat.share(0.08)
            )
            self.play(
                *[box.animate.quiet() for one in self.maps for box in one.decoder.boxes], run_time=beat.share(0.06)
            )
            flows = [self._encoder_flow(left, ""), self._encoder_flow(right, self.weights)]
            for stop in range(len(flows[0])):
                self.play(
                    *[move for flow in flows for move in flow.hop(stop)], run_time=beat.share(0.4 / len(flows[0]))
                )
            once = [
                Words(self.label("once"), theme.LABEL_SIZE, theme.SHARED).next_to(m.memory, UP, 0.24) for m in self.maps
            ]
            lit = [move for one in self.maps for move in remember(one)]
            self.play(*lit, *appear(*once), run_time=beat.share(0.08))
            self.memories = [flow.vectors for flow in flows]
            self.add(*self.memories)

    def training_track(self) -> None:
        with self.beat("training_track") as beat:
            left = self.maps[0]
            flow = self._decoder_flow(left, "", range(len(left.decoder.chips)))
            self.play(
                *[box.animate.quiet() for one in self.maps for box in one.encoder.boxes],
                *[box.animate.rest() for box in left.decoder.boxes],
                FadeIn(self.notes[0]),
                run_time=beat.share(0.1),
            )
            self.play(FadeIn(left.decoder.chips, shift=UP * 0.25), run_time=beat.share(0.12))
            self._run(left, flow, self.memories[0], beat.share(0.46))
            colors = [self.token_color(i) for i in range(len(self.model.vocabulary))]
            charts = VGroup(*[chart_above(left, row, self.trace["probs"][row], colors) for row in flow.rows])
            self.play(
                *[left.decoder.gaps[-1][row].animate.lit() for row in flow.rows],
                FadeIn(charts, shift=UP * 0.12),
                FadeOut(flow.vectors),
                left.decoder.boxes[-1].animate.rest(),
                run_time=beat.share(0.14),
            )

    def inference_track(self) -> None:
        with self.beat("inference_track") as beat:
            left, right = self.maps
            width = self._chips(right, self.next_ids[-1:] or self.read_ids[-1:], 0.0).width
            self.loop = way_back(right, width, self.LOOP_X)
            self.play(
                *[box.animate.quiet() for box in left.decoder.boxes],
                *[box.animate.rest() for box in right.decoder.boxes],
                FadeIn(right.decoder.chips[0], shift=UP * 0.25),
                FadeIn(self.loop),
                FadeIn(self.notes[1]),
                run_time=beat.share(0.1),
            )
            passes = [k for k in self.passes if k <= sum(chip.token != ELLIPSIS for chip in right.decoder.chips)]
            for k in passes:
                self._one_pass(k, k == passes[-1], beat.share(0.72 / len(passes)))
            self.play(*[box.animate.rest() for one in self.maps for box in one.boxes], run_time=beat.share(0.07))

    def start_here(self) -> None:
        with self.beat("start_here") as beat:
            closing = sentence(self, self.source_ids)
            left, right = (one.encoder.chips for one in self.maps)
            self.add(left, right)
            self.wait(beat.share(0.12))
            rest = [thing for thing in self.mobjects if thing not in (self.chrome, left, right)]
            self.play(*vanish(*rest), run_time=beat.share(0.22))
            twins = closing.copy()
            self.play(
                ReplacementTransform(left, closing), ReplacementTransform(right, twins), run_time=beat.share(0.35)
            )
            self.remove(twins)

    # -- movements ------------------------------------------------------------------------------------------------
    def _step_aside(self, seconds: float) -> None:
        """The whole map moves to the left; the parts that are not on screen yet move with it, unseen."""
        there = [thing for thing in self.mobjects if thing is not self.chrome]
        for hidden in (self.map.decoder.chips, self.map.decoder.gaps[0], self.map.decoder.gaps[-1]):
            hidden.shift(LEFT * self.ASIDE)
        self.play(*[thing.animate.shift(LEFT * self.ASIDE) for thing in there], run_time=seconds)

    def _read_back(self) -> list[Animation]:
        """The words so far go from the result to the decoder's input; the place of the next one is left open."""
        moves: list[Animation] = []
        ahead = 1 if self.model.start_symbol else 0
        for i, chip in enumerate(raise_above(self.map.decoder.chips)):
            said = i - ahead
            known = 0 <= said < len(self.results) and self.results[said].token == chip.token
            moves.append(fly(self.results[said], chip) if known else FadeIn(chip))
        self.slot = VGroup()
        following = self.results[-1]
        if len(self.next_ids) == self.passes[-1] and following.token != ELLIPSIS:
            self.results.remove(following)
            self.slot.add(panel(following.width, following.height, theme.BACKGROUND, corner=0.14).move_to(following))
            moves += [FadeOut(following), FadeIn(self.slot)]
        return moves

    def _fill_slot(self, best: int, seconds: float) -> None:
        """The likeliest word takes the open place, if the weights have learnt the right one."""
        if not (self.slot and self.weights and best == self.next_ids[-1]):
            return
        word = raise_above(self._chips(self.map, [best], self.map.levels.results)[0].move_to(self.slot))
        self.play(
            fly(self.bars.rows[best][0], word.words),
            FadeIn(word.box),
            self.exit.animate.paint(theme.DIM),
            run_time=seconds,
        )
        self.slot.add(settle(word))
        self.remove(word.words, word.box)
        self.add(self.slot)

    def _run(self, one: ModelMap, flow: Flow, memory: VGroup, seconds: float) -> None:
        """Tokens rise through the decoder; where a layer reads the memory, it comes over the bridge."""
        spent: list[Animation] = []
        for stop in range(len(flow)):
            trips: list[Animation] = []
            copies = VGroup()
            if stop - 1 in one.reading:
                copies, trips = across(memory, [one.bridge[one.reading.index(stop - 1)]])
            self.play(*flow.hop(stop), *trips, *spent, run_time=seconds / len(flow))
            spent = vanish(copies)
        if spent:
            self.play(*spent, run_time=seconds / 20)

    def _one_pass(self, k: int, is_last: bool, seconds: float) -> None:
        """The decoder reads k words and writes the next one, which goes round to the input unless it is the last."""
        right = self.maps[1]
        decoder, row = right.decoder, k - 1
        flow = self._decoder_flow(right, f"{self.weights}generate.{k}.", range(k))
        self._run(right, flow, self.memories[1], seconds * 0.52)
        out = [FadeOut(flow.vectors), decoder.boxes[-1].animate.rest()]
        if row >= len(self.next_ids):
            self.play(*out, run_time=seconds * 0.48)
            return
        word = self._chips(right, [self.next_ids[row]], right.levels.results)[0]
        raise_above(word.set_x(decoder.chips[row].get_x()))
        self.play(*out, decoder.gaps[-1][row].animate.lit(), FadeIn(word, shift=UP * 0.15), run_time=seconds * 0.2)
        if is_last or k >= len(decoder.chips):
            settle(word)
            return
        place = decoder.chips[k]
        stations = [word.get_center(), *self.loop.stations[1:-1], place.get_center()]
        self.play(MoveAlongPath(word, VMobject().set_points_as_corners(stations)), run_time=seconds * 0.28)
        self.remove(word)
        self.add(place)

    # -- pictures -------------------------------------------------------------------------------------------------
    def _map(self, room: Room, target_ids: Sequence[int], colors: Sequence[str]) -> ModelMap:
        model = self.model
        words = MapWords(
            self.label("embedding"),
            [ELLIPSIS if i is None else self.label("encoder", i=i + 1) for i in drawn_layers(model.encoder_layers)],
            [ELLIPSIS if i is None else self.label("decoder", i=i + 1) for i in drawn_layers(model.decoder_layers)],
            self.label("output"),
        )
        return ModelMap(self.tokens(self.source_ids), self.tokens(target_ids), words, room, self.reading, colors)

    def _chips(self, one: ModelMap, ids: Sequence[int], y: float) -> VGroup:
        """Words as chips of a map's own size, above the decoder."""
        chips = chips_that_fit(self.tokens(ids), one.room, one.room.decoder, one.levels.chip_height)
        return chips.move_to([one.room.decoder_x, y, 0])

    def _encoder_flow(self, one: ModelMap, weights: str) -> Flow:
        """A run of the encoder; `weights` leads the keys of the model that runs, "" for the untrained one."""
        values = [self.trace[f"{weights}src.input"]]
        values += [self.trace[f"{weights}encoder.{i or 0}.out"] for i in drawn_layers(self.model.encoder_layers)]
        return Flow(one.encoder, encoder_stops(one), [*values, self.trace[f"{weights}encoder.out"]])

    def _decoder_flow(self, one: ModelMap, prefix: str, rows: Sequence[int]) -> Flow:
        """A run of the decoder: of the training pass where `prefix` is empty, else of a pass of inference."""
        values = [self.trace[f"{prefix}input" if prefix else "tgt.input"]]
        values += [self.trace[f"{prefix}decoder.{i or 0}.out"] for i in drawn_layers(self.model.decoder_layers)]
        stops = [box.get_y() for box in one.decoder.boxes]
        return Flow(one.decoder, stops, [*values, values[-1]], rows)


def drawn_layers(count: int) -> list[int | None]:
    """The layers that get a box each, from below; None is a box for those between, where there are many."""
    return list(range(count)) if count <= MOST_LAYERS else [0, None, count - 1]
