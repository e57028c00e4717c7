"""Scene 15: one word a pass, and every word goes back in, right or wrong."""

from __future__ import annotations

from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    Animation,
    Create,
    FadeIn,
    FadeOut,
    LaggedStart,
    MoveAlongPath,
    RoundedRectangle,
    smooth,
    squish_rate_func,
)

from scenes.autoregressive_boards import BarsBoard, InputRow, Verdict, draw, grey, relight, turn_into, verdicts_on
from scenes.autoregressive_encoder import EncoderBoard, memory_style
from scenes.autoregressive_parts import CacheBoard, MaskBoard, Pill, decoder_panel, make_plan
from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.facts import told
from scenes.stage.flow import FlowArrow
from scenes.stage.handover import sentence
from scenes.stage.marks import CrossMark, Tick
from scenes.stage.motion import fly, pulse, raise_above, settle
from scenes.stage.reckoning import Entry
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words, bold


class AutoregressiveLoop(ExplainerScene):
    """The encoder runs once; the decoder says one word a pass and reads it in the next."""

    DECODER_TOP, DECODER_LOW = 2.42, -1.4
    HEADER_Y, NAMES_Y = 2.1, 1.56
    MASK_TOP, MASK_PITCH = 1.04, 0.64
    CACHE_TOP = 1.18
    ROW_Y, TAG_Y = -2.02, -2.58
    BARS_TOP, BARS_LOW = 1.6, -1.5
    DETAILED = 3  # passes shown in detail; the rest run fast

    row_frame: RoundedRectangle
    column_frame: RoundedRectangle
    mask_caption: Words
    loop_arrow: FlowArrow

    def construct(self) -> None:
        self.memory_once()
        self.first_pass()
        self.take_the_best()
        self.feed_back()
        self.again()
        self.cache()
        self.compare()
        self.wrong_is_fed_back()

    # -- beats ----------------------------------------------------------------------------------------------------
    def memory_once(self) -> None:
        self.passes = sum(1 for key in self.trace if key.startswith("greedy.") and key.endswith(".next"))
        first = int(self.trace["greedy.1.tokens"][0])
        self.said = [first, *[int(self.trace[f"greedy.{k}.next"]) for k in range(1, self.passes + 1)]]
        with self.beat("memory_once") as beat:
            grid = self.heatmap("encoder.out", **memory_style(self.trace["encoder.out"]))
            words = (self.label("encoder"), self.label("once"), self.label("memory"))
            self.encoder = EncoderBoard(grid, self.names(self.trace["src.tokens"]), words)
            chips, box = self.encoder.chips, self.encoder.box
            opening = sentence(self, self.model.source_ids)
            self.add(opening)
            moves = [move for one, home in zip(opening, chips, strict=True) for move in turn_into(one, home)]
            self.play(*moves, run_time=beat.share(0.16))
            self.add(chips)
            self.play(FadeIn(box), draw(self.encoder.arrow_in), run_time=beat.share(0.12))
            copies = [raise_above(chip.copy()) for chip in chips]
            self.play(
                LaggedStart(
                    *[FadeOut(copy, target_position=[box.get_left()[0] + 0.4, copy.get_y(), 0]) for copy in copies],
                    lag_ratio=0.2,
                ),
                run_time=beat.share(0.22),
            )
            self.play(
                draw(self.encoder.arrow_out),
                LaggedStart(*[FadeIn(row, shift=RIGHT * 0.4) for row in self.encoder.rows], lag_ratio=0.25),
                run_time=beat.share(0.24),
            )
            self.play(Create(self.encoder.frame), FadeIn(self.encoder.label), run_time=beat.share(0.12))

    def first_pass(self) -> None:
        with self.beat("first_pass", first=self.model.vocabulary[self.said[0]]) as beat:
            self._step_aside(beat.share(0.16))
            self._open_decoder(beat.share(0.1))
            self._enter_first_word(beat.share(0.12))
            self._grow_mask(1, beat.share(0.14))
            self._compute(1, beat.share(0.38))

    def take_the_best(self) -> None:
        best = self.said[1]
        p = self.value("greedy.1.probs", (0, best))
        with self.beat("take_the_best", best=self.model.vocabulary[best], p=p) as beat:
            self._pick(1, beat.share(0.2))
            self._feed(1, beat.share(0.6))

    def feed_back(self) -> None:
        with self.beat("feed_back") as beat:
            self._detailed_pass(2, beat.share(0.9))

    def again(self) -> None:
        with self.beat("again") as beat:
            self._detailed_pass(3, beat.share(0.9))

    def cache(self) -> None:
        with self.beat("cache") as beat:
            detailed = min(self.passes, self.DETAILED)
            self._mask_gives_way_to_cache(beat.share(0.14))
            for k in range(1, detailed + 1):
                self._cache_column(k, beat.share(0.84 / detailed))
            for k in range(detailed + 1, self.passes + 1):
                self._fast_pass(k, 1.6)

    def compare(self) -> None:
        verdicts = verdicts_on(self.said, self.model.target_ids, self.model.start_symbol is None)
        words = " ".join(self.model.vocabulary[i] for i in self.said)
        sources = (Entry("greedy.tokens"), Entry("tgt.tokens"))
        wrong = told(verdicts.count(False), *sources, how="#(greedy.tokens ≠ tgt.tokens)")
        judged = told(len(verdicts), *sources, how="#(greedy.tokens, tgt.tokens)")
        with self.beat("compare", said=words, wrong=wrong, judged=judged) as beat:
            self._lay_out_verdict(beat.share(0.34))
            self._judge(verdicts, beat.share(0.5))

    def wrong_is_fed_back(self) -> None:
        with self.beat("wrong_is_fed_back") as beat:
            self._chain(beat.share(0.72))
            self._back_to_the_start(beat.share(0.2))

    # -- the encoder ----------------------------------------------------------------------------------------------
    def _step_aside(self, seconds: float) -> None:
        """Encoder and memory move to the left edge: the one has done its work, the other is kept."""
        self.plan = make_plan([self.model.vocabulary[i] for i in self.said], self.model.vocabulary)
        plays = self.encoder.step_aside(self.plan.left_zone, self.DECODER_TOP, self.label("reused"))
        self.play(*plays, run_time=seconds)

    # -- the decoder ----------------------------------------------------------------------------------------------
    def _open_decoder(self, seconds: float) -> None:
        decoder = decoder_panel(self.plan, self.DECODER_TOP, self.DECODER_LOW)
        self.decoder_title = bold(self.label("decoder"), theme.BODY_SIZE)
        self.decoder_title.move_to([self.plan.panel_left + 0.25, self.HEADER_Y, 0], LEFT)
        self.pill = self._pill(self.label("pass", n=1))
        start = self.encoder.frame.get_right()
        self.memory_arrow = FlowArrow([start, [self.plan.panel_left, start[1], 0]], theme.SHARED, buff=0.06)
        self.play(
            FadeIn(decoder),
            FadeIn(self.decoder_title),
            FadeIn(self.pill),
            draw(self.memory_arrow),
            FadeIn(self.encoder.reused),
            run_time=seconds,
        )

    def _pill(self, text: str) -> Pill:
        return Pill(text, theme.INFERENCE).move_to([self.plan.panel_right - 0.22, self.HEADER_Y, 0], RIGHT)

    def _count_to(self, text: str) -> list[Animation]:
        """The counter, of passes or of cached words, rolls on."""
        old, self.pill = self.pill, self._pill(text)
        return [FadeOut(old, shift=UP * 0.3), FadeIn(self.pill, shift=UP * 0.3)]

    def _enter_first_word(self, seconds: float) -> None:
        said = self.names(self.said)
        self.input = InputRow(self.plan, said, self.ROW_Y, self.TAG_Y)
        self.mask = MaskBoard(self.plan, said, self.NAMES_Y, self.MASK_TOP, self.MASK_PITCH)
        self.play(
            *self.input.enter(0),
            *self.input.label(self.label("input")),
            self.input.tag(self.label("given"), 0),
            self.input.open_slot(1),
            self.input.tag(self.label("pass", n=1), 1),
            run_time=seconds,
        )

    # -- one pass -------------------------------------------------------------------------------------------------
    def _detailed_pass(self, k: int, seconds: float) -> None:
        if k > self.passes:
            self._look_at_last_row(seconds * 0.3)
            return
        self._begin_pass(k, seconds * 0.14)
        self._grow_mask(k, seconds * 0.18)
        self._compute(k, seconds * 0.28)
        self._pick(k, seconds * 0.1)
        self._feed(k, seconds * 0.3)

    def _look_at_last_row(self, seconds: float) -> None:
        """For a sentence that ends before this pass."""
        if self.row_frame not in self.mobjects:
            self.row_frame = focus_frame(self.mask.last_row(), buff=0.06)
            self.play(FadeIn(self.row_frame), run_time=seconds)

    def _begin_pass(self, k: int, seconds: float) -> None:
        """The bars of the pass before are emptied; a new slot opens."""
        self.play(
            *self._count_to(self.label("pass", n=k)),
            *self.bars.empty(),
            self.loop_arrow.animate.become(self.input.idle_loop(k)),
            self.input.open_slot(k),
            self.input.tag(self.label("pass", n=k), k),
            run_time=seconds,
        )

    def _grow_mask(self, k: int, seconds: float) -> None:
        new = self.mask.grow(self.trace[f"greedy.{k}.mask"])
        word = self.input.chips[k - 1].words
        caption = self._caption(self.label("mask", n=k))
        plays = [fly(word, heading) for heading in self.mask.headings(k)]
        plays += self.input.connect(k - 1, self.mask.foot)
        if k > 1:
            plays += [FadeOut(self.mask_caption), *[cell.animate.quiet() for cell in self.mask.older()]]
            plays.append(self.out_arrow.animate.become(self._out_arrow(k)))
        self.mask_caption = caption
        self.play(*plays, *[FadeIn(cell, scale=0.7) for cell in new], FadeIn(caption), run_time=seconds)

    def _caption(self, text: str) -> Words:
        """What the decoder shows, beside its name."""
        return Words(text, theme.SMALL_SIZE, theme.DIM).next_to(self.decoder_title, RIGHT, 0.3)

    def _compute(self, k: int, seconds: float) -> None:
        """Input and memory flow in, the last row's probabilities flow out."""
        self.row_frame = focus_frame(self.mask.last_row(), buff=0.06)
        self.play(
            *[pulse(arrow, theme.INFERENCE) for arrow in self.input.arrows],
            pulse(self.memory_arrow, theme.SHARED),
            self.encoder.light(),
            FadeIn(self.row_frame),
            run_time=seconds * 0.35,
        )
        if k == 1:
            self._open_bars(seconds * 0.25)
            seconds *= 0.75
        self.play(*self.bars.fill(k), pulse(self.out_arrow, theme.INFERENCE), run_time=seconds * 0.6)

    def _open_bars(self, seconds: float) -> None:
        plan = self.plan
        self.bars = BarsBoard(
            self.trace, plan, self.names(range(len(self.model.vocabulary))), self.passes, self.BARS_TOP, self.BARS_LOW
        )
        self.out_arrow = self._out_arrow(1)
        self.play(draw(self.out_arrow), *self.bars.appear(self.label("probabilities")), run_time=seconds)

    def _out_arrow(self, k: int | None) -> FlowArrow:
        """From the mask's last row in pass k, or from the decoder as a whole, to the bars."""
        y = self.mask.y(k - 1) if k else 0.0
        start = self.mask.last_row().get_right()[0] if k else self.plan.panel_right
        return FlowArrow([[start, y, 0], [self.plan.bars_left, y, 0]], theme.INFERENCE, buff=0.09)

    # -- the loop -------------------------------------------------------------------------------------------------
    def _pick(self, k: int, seconds: float) -> None:
        self.play(FadeOut(self.row_frame), *self.bars.pick(self.said[k]), run_time=seconds)

    def _feed(self, k: int, seconds: float) -> None:
        """The picked word travels along the loop arrow into the input row."""
        best = self.said[k]
        y = self.bars.y(best)
        arrow = self.input.loop(y, k)
        chip = self.input.chip(k)
        home = chip.get_center()
        raise_above(chip.move_to([self.plan.lane, y, 0]))
        way = draw(arrow) if k == 1 else self.loop_arrow.animate.become(arrow)
        self.loop_arrow = arrow if k == 1 else self.loop_arrow
        word = raise_above(self.bars.names[best].copy())
        self.play(way, word.animate.become(chip.words), FadeIn(chip.box), run_time=seconds * 0.4)
        self.remove(word)
        self.add(chip)
        self.play(
            MoveAlongPath(chip, self.input.way(y, k)),
            FadeOut(self.bars.frame),
            FadeOut(self.input.slot, rate_func=squish_rate_func(smooth, 0.75, 1.0)),
            run_time=seconds * 0.6,
        )
        settle(chip.move_to(home))
        self.input.chips.append(chip)

    # -- the cache ------------------------------------------------------------------------------------------------
    def _mask_gives_way_to_cache(self, seconds: float) -> None:
        """Keys and values of every word will stand where the mask stood."""
        self.kv = CacheBoard(self.plan, self.model.d_head, self.CACHE_TOP)
        caption = self._caption(self.label("cache"))
        where = Words(self.label("head"), theme.SMALL_SIZE, theme.DIM)
        where.next_to(caption.shift(UP * 0.1), DOWN, 0.12, aligned_edge=LEFT)
        old = [*self.mask.cells.values(), self.mask.names, self.mask_caption, *self.input.disconnect()]
        old += [self.row_frame] if self.row_frame in self.mobjects else []
        self.play(
            *[FadeOut(thing) for thing in old],
            *self.bars.empty(),
            self.loop_arrow.animate.become(self.input.idle_loop(len(self.input.chips) - 1)),
            self.out_arrow.animate.become(self._out_arrow(None)),
            *[grey(chip) for chip in self.input.chips],
            FadeIn(self.kv.letters),
            FadeIn(caption),
            FadeIn(where),
            run_time=seconds,
        )

    def _cache_column(self, k: int, seconds: float) -> None:
        """Word k's key and value are computed in pass k, and stay."""
        stem, rows = f"greedy_cached.{k}.decoder.0.self_attn", range(self.model.d_head)
        old: list[Animation] = self._count_to(self.label("cached", n=k))
        if k > 1:
            kept = Words(self.label("kept"), theme.SMALL_SIZE, theme.DIM).move_to(self.kv.tags[-1])
            old += [FadeOut(self.kv.tags[-1]), FadeIn(kept)]
            old += [FadeOut(self.column_frame)] if self.column_frame in self.mobjects else []
            old += [part.animate.quiet() for part in self.kv.columns[-1]]
            old.append(grey(self.input.chips[k - 2]))
            self.kv.tags[-1] = kept
        key, value = self.kv.column(
            [self.number(f"{stem}.k", (0, k - 1, i), decimals=1, size=theme.SMALL_SIZE) for i in rows],
            [self.number(f"{stem}.v", (0, k - 1, i), decimals=1, size=theme.SMALL_SIZE) for i in rows],
        )
        self.column_frame = focus_frame(key, value, buff=0.07)
        fresh = bold(self.label("fresh"), theme.SMALL_SIZE).next_to(self.column_frame, UP, 0.1)
        self.kv.tags.append(fresh)
        old += self.input.connect(k - 1, self.kv.foot)
        self.play(*old, relight(self.input.chips[k - 1]), run_time=seconds * 0.4)
        self.play(
            pulse(self.input.arrows[k - 1], self.token_color(self.said[k - 1])),
            FadeIn(key, shift=UP * 0.4),
            FadeIn(value, shift=UP * 0.4),
            FadeIn(self.column_frame),
            FadeIn(fresh),
            run_time=seconds * 0.5,
        )

    def _fast_pass(self, k: int, seconds: float) -> None:
        """A later pass, with the cache and at speed."""
        self.play(
            self.loop_arrow.animate.become(self.input.idle_loop(k)),
            self.input.open_slot(k),
            self.input.tag(self.label("pass", n=k), k),
            *(self.bars.empty() if self.bars.numbers else []),
            run_time=seconds * 0.12,
        )
        self._cache_column(k, seconds * 0.36)
        self.play(*self.bars.fill(k), pulse(self.out_arrow, theme.INFERENCE), run_time=seconds * 0.2)
        self.row_frame = self.column_frame
        self._pick(k, seconds * 0.08)
        self._feed(k, seconds * 0.28)

    # -- the verdict ----------------------------------------------------------------------------------------------
    def _lay_out_verdict(self, seconds: float) -> None:
        """Clear the stage; what was said moves up under what should have been said."""
        wanted = [self.model.vocabulary.index(word) for word in self.model.target]
        shift = 0 if self.model.start_symbol is None else 1
        labels = (self.label("wanted"), self.label("said"))
        self.verdict = Verdict(self.names(wanted), self.names(self.said), shift, labels)
        chips = self.input.chips
        stay = {self.chrome, *chips}
        self.play(
            *[FadeOut(thing) for thing in self.mobjects if thing not in stay],
            *[chip.animate.become(home) for chip, home in zip(chips, self.verdict.said, strict=True)],
            FadeIn(self.verdict.labels[1]),
            run_time=seconds * 0.5,
        )
        self.play(
            LaggedStart(*[FadeIn(chip, shift=DOWN * 0.2) for chip in self.verdict.wanted], lag_ratio=0.2),
            FadeIn(self.verdict.labels[0]),
            *([FadeIn(self.verdict.given(self.label("given")))] if not shift else []),
            run_time=seconds * 0.5,
        )

    def _judge(self, verdicts: list[bool], seconds: float) -> None:
        """Every predicted word gets a tick or a cross, one after the other; the given one is not judged."""
        for i, right in enumerate(verdicts, start=1):
            mark = (Tick(0.36) if right else CrossMark(0.36)).move_to([self.verdict.x[i], self.verdict.mark_y, 0])
            color = theme.RIGHT_ANSWER if right else theme.WRONG_ANSWER
            self.play(
                FadeIn(mark, scale=1.4),
                self.input.chips[i].box.animate.set_stroke(color, width=theme.FOCUS_WIDTH + 1),
                run_time=seconds / len(verdicts),
            )

    def _chain(self, seconds: float) -> None:
        """Each said word goes under the row into the pass that says the next one."""
        each = seconds / self.passes
        arrived: list[Animation] = []
        for k in range(1, self.passes + 1):
            link = self.verdict.link(k)
            tag = self.verdict.link_tag(k, self.label("pass", n=k))
            edge = self.input.chips[k - 1].box.get_stroke_color().to_hex()
            traveller, way = self.verdict.traveller(k, edge)
            raise_above(traveller)
            self.play(*arrived, draw(link), FadeIn(tag), FadeIn(traveller, shift=DOWN * 0.3), run_time=each * 0.35)
            self.play(MoveAlongPath(traveller, way), run_time=each * 0.55)
            arrived = [FadeOut(traveller, shift=UP * 0.3)]
        self.play(*arrived, run_time=each * 0.1)

    def _back_to_the_start(self, seconds: float) -> None:
        """All leave but the given word, which goes to where the first pass will read it."""
        home, first = sentence(self, [self.said[0]]).chip(0), self.input.chips[0]
        self.play(*[FadeOut(thing) for thing in self.others(first)], run_time=seconds * 0.45)
        self.play(*turn_into(first, home), run_time=seconds * 0.55)
