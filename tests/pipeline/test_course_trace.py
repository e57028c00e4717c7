"""Numbers of the transcript, described pictures and questions: all of them are values of the trace."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

import numpy as np
import pytest

from engine import Trace, preset, run_trained
from pipeline.course.described import descriptions, number_text, pattern_words
from pipeline.course.material import Lesson
from pipeline.course.provenance import Place, fragments, steps_of_beats
from pipeline.course.quiz import Question, question_for
from pipeline.course.values import values_page
from pipeline.course.words import Words
from pipeline.jobs import ClipCue, NumberOrigin, Sidecar, cues_of
from pipeline.storyboard import REPO_ROOT, Entry, load_storyboard

PATTERN = "encoder.0.attn.pattern"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run_trained(preset("tutorial"))


@pytest.fixture(scope="module")
def scenes() -> dict[str, Entry]:
    board = load_storyboard(REPO_ROOT / "storyboard.yaml", check_scenes=False)
    return {entry.id: entry for entry in board.scenes}


def scene(words: str, steps: str = "23-29") -> Entry:
    return Entry.model_validate(
        {
            "id": "scores",
            "scene": "scores.Scores",
            "steps": steps,
            "track": "shared",
            "map": "encoder",
            "title": {"en": "Scores"},
            "takeaway": {"en": "Scores."},
            "beats": {"one": {"steps": steps, "en": words}},
        }
    )


def found(template: str, words: str, trace: Trace, reads: list[str], steps: str = "23-29") -> dict[str, Place | None]:
    entry = scene(template, steps)
    cue = ClipCue("one", 0, 30, words, entry.beats["one"].steps)
    parts = fragments(cue, entry, "en", trace, reads)
    assert "".join(part.text for part in parts) == words
    return {part.text: part.place for part in parts if part.number}


def test_a_number_leads_to_the_value_that_it_is(trace: Trace) -> None:
    value = float(trace[PATTERN][0, 1, 2])
    text = number_text(value, 4)
    got = found("The share is {p:.4f}.", f"The share is {text}.", trace, [PATTERN])
    place = got[text]
    assert place is not None
    assert place.key == PATTERN
    assert place.index is None or abs(float(trace[PATTERN][place.index]) - value) < 5e-5
    assert place.index == (0, 1, 2) or np.isclose(trace[PATTERN], value, atol=5e-5).sum() > 1


def test_a_negative_number_is_found_with_its_true_minus_sign(trace: Trace) -> None:
    key = "encoder.0.attn.scores"
    index = tuple(int(at) for at in np.unravel_index(trace[key].argmin(), trace[key].shape))
    text = number_text(float(trace[key][index]), 3)
    assert text.startswith("−")
    assert found("It is {s:.3f}", f"It is {text}", trace, [key])[text] == Place(key, index)


def test_a_share_in_per_cent_is_found(trace: Trace) -> None:
    index = tuple(int(at) for at in np.unravel_index(trace[PATTERN].argmax(), trace[PATTERN].shape))
    text = f"{100 * float(trace[PATTERN][index]):.2f}%"
    assert found("{p} of it", f"{text} of it", trace, [PATTERN])[text] == Place(PATTERN, index)


def test_a_number_that_no_value_reads_as_leads_nowhere(trace: Trace) -> None:
    assert found("It is {x:.3f}.", "It is 777.125.", trace, [PATTERN]) == {"777.125": None}
    assert found("It is {x}.", "It is 3.", trace, [PATTERN]) == {"3": None}


def test_numbers_that_stand_in_the_storyboard_itself_are_no_values(trace: Trace) -> None:
    assert found("Two times 0.25 is {x:.1f}.", "Two times 0.25 is 0.5.", trace, []) == {"0.5": None}


def test_a_value_of_the_beats_own_step_comes_first(trace: Trace) -> None:
    # The concatenated heads repeat z: at step 28 the number is concat's, at step 27 z's.
    text = number_text(float(trace["encoder.0.attn.concat"][1, 0]), 4)
    keys = ["encoder.0.attn.z", "encoder.0.attn.concat"]
    for steps, key in (("27", "encoder.0.attn.z"), ("28", "encoder.0.attn.concat")):
        place = found("Now {x:.4f}", f"Now {text}", trace, keys, steps)[text]
        assert place is not None
        assert place.key == key


def test_a_number_that_two_values_of_the_step_hold_leads_to_neither(trace: Trace) -> None:
    keys = ["decoder.1.cross_attn.pattern", "greedy.3.decoder.1.cross_attn.pattern"]
    own, other = (trace.spec(key).step for key in keys)
    text = number_text(float(trace[keys[0]][0, 0, 0]), 2)
    assert found("Now {x:.2f}", f"Now {text}", trace, keys[:1], str(own))[text] is not None
    cue = ClipCue("one", 0, 30, f"Now {text}", (own, other))
    both = fragments(cue, scene("Now {x:.2f}", str(own)), "en", trace, keys)
    assert [part.place for part in both if part.number] == [None]


def test_a_number_of_another_step_is_not_trusted_with_two_decimals(trace: Trace) -> None:
    value = float(trace[PATTERN][0, 0, 1])
    for decimals, trusted in ((2, False), (4, True)):
        text = number_text(value, decimals)
        place = found("It is {x}", f"It is {text}", trace, [PATTERN], "29")[text]
        assert (place is not None) == trusted
    assert found("It is {x}", "It is 1.00", trace, [PATTERN, "encoder.0.attn.out"]) == {"1.00": None}


def test_a_beat_without_steps_stands_on_the_last_one() -> None:
    cues = [ClipCue(name, 0, 1, "", steps) for name, steps in (("a", ()), ("b", (24, 25)), ("c", ()), ("d", (26,)))]
    assert steps_of_beats(cues, scene("x")) == [(23,), (24, 25), (25,), (26,)]


def test_settings_of_the_model_lead_to_the_settings(trace: Trace) -> None:
    entry = scene("{d_model} numbers for “{source}”")
    cue = ClipCue("one", 0, 30, "4 numbers for “我爱水课”", ())
    parts = fragments(cue, entry, "en", trace, [])
    assert [(part.text, part.setting) for part in parts if part.number] == [("4", "d_model")]


def test_what_the_scene_says_of_a_number_comes_before_what_might_be_found(trace: Trace) -> None:
    entry, text = scene("{p:.2f} of {n}, {ids}"), number_text(float(trace[PATTERN][0, 1, 2]), 2)
    origins = (
        NumberOrigin("p", ((PATTERN, (0, 1, 2)),)),
        NumberOrigin("n", (("logits", ()),), how="ln length of axis -1 of logits"),
        NumberOrigin("ids", (("src.tokens", (0,)),)),
        NumberOrigin("ids", (), "heads"),
    )
    cue = ClipCue("one", 0, 30, f"{text} of 2.08, 4 and −1e9", (25,), origins)
    assert cues_of([json.loads(json.dumps(asdict(cue)))]) == (cue,)
    assert cues_of([{"beat": "one", "start_frame": 0, "end_frame": 1, "words": "", "steps": []}])[0].origins == ()
    parts = [part for part in fragments(cue, entry, "en", trace, [PATTERN]) if part.number]
    assert [(part.text, part.place, part.setting, part.how) for part in parts] == [
        (text, Place(PATTERN, (0, 1, 2)), "", ""),
        ("2.08", Place("logits"), "", "ln length of axis -1 of logits"),
        ("4", Place("src.tokens", (0,)), "", ""),
        ("−1e9", None, "heads", ""),
    ]
    assert all(part.exact for part in parts)


def test_every_place_of_the_page_of_values_has_its_spot(trace: Trace) -> None:
    places = [Place(PATTERN, (0, 1, 2)), Place("loss.shifted.mean"), Place("training.word_by_word.probs", (60, 1, 2))]
    page = values_page(places, trace, Words("en"))
    assert [value.key for value in page] == [PATTERN, "loss.shifted.mean", "training.word_by_word.probs"]
    cells = {
        cell.anchor: cell.text for value in page for table in value.tables for _, row in table.rows for cell in row
    }
    assert cells[places[0].anchor] == number_text(float(trace[PATTERN][0, 1, 2]), 4)
    assert places[2].anchor in cells
    assert [value.cut for value in page] == [False, False, True]
    whole = next(value for value in page if value.key == PATTERN)
    assert sum(len(row) for table in whole.tables for _, row in table.rows) == whole.count == trace[PATTERN].size


def test_what_is_seen_is_said_with_the_traces_numbers(trace: Trace) -> None:
    entry = scene("Words.", "25")
    cue = ClipCue("one", 0, 30, "Words.", (25,))
    sidecar = Sidecar("scores", "en", "draft", "f", 15, 30, (cue,), "s", 1, reads={PATTERN: "", "src.input": ""})
    lesson = Lesson(entry, 1, "Scores", REPO_ROOT, sidecar, ())
    for language in ("zh", "en"):
        (seen,) = descriptions(lesson, trace, Words(language))["one"].values
        assert seen.place == Place(PATTERN)
        asking, asked = pattern_words(PATTERN, trace)
        assert len(seen.claims) == trace[PATTERN].shape[0] * len(asking)
        head, row = 0, 1
        best = int(trace[PATTERN][head, row].argmax())
        claim = seen.claims[head * len(asking) + row]
        assert f"“{asking[row]}”" in claim
        assert f"“{asked[best]}”" in claim
        assert number_text(float(trace[PATTERN][head, row, best]), 3) in claim
        shown = {cell for table in seen.tables for line in table.rows for cell in line}
        assert shown == {number_text(float(value), 3) for value in trace[PATTERN].flat}


def test_every_key_has_its_meaning_in_chinese(trace: Trace) -> None:
    words = Words("zh")
    assert [key for key in trace if not words.has_meaning(trace.spec(key))] == []


def test_words_that_a_language_lacks_are_english() -> None:
    words = Words("fr")
    assert words.say("transcript") == "Transcript"
    assert words.own_name() == "Français"
    assert words.spoken == "en"


def test_every_word_is_there_in_every_language() -> None:
    zh, en = Words("zh").page_words(), Words("en").page_words()
    assert zh.keys() == en.keys()
    assert not [name for name in en if re.search(r"[\u3400-\u9fff]", en[name])]


def right_option(question: Question, trace: Trace) -> str:
    """What the trace itself answers."""
    array = trace[question.place.key]
    if question.name in {"attention", "likeliest"}:
        row = array[question.place.index[:-1]] if question.place.index else array
        words = pattern_words(question.place.key, trace)[1] or trace.config.vocabulary
        return words[int(row.argmax())]
    if question.name == "mask":
        return str(int((array[int(str(question.fields["row"])) - 1] == 0).sum()))
    if question.name == "loss":
        return trace.words("labels.shifted")[int(array.argmax())]
    assert question.place.index is not None
    return number_text(float(array[question.place.index]), 2)


def test_most_scenes_have_a_question_and_the_trace_agrees_with_its_answer(
    trace: Trace, scenes: dict[str, Entry]
) -> None:
    asked = {name: question_for(entry, trace) for name, entry in scenes.items()}
    there = {name: question for name, question in asked.items() if question}
    assert len(there) >= 14
    assert {question.name for question in there.values()} == {"attention", "entry", "mask", "loss", "likeliest"}
    for question in there.values():
        assert question.options[question.answer] == right_option(question, trace)
        assert question.options.count(question.options[question.answer]) == 1
    assert asked == {name: question_for(entry, trace) for name, entry in scenes.items()}


def test_a_question_gives_its_reason_with_key_and_index(trace: Trace, scenes: dict[str, Entry]) -> None:
    question = question_for(scenes["attention_scores"], trace)
    assert question is not None
    for language in ("zh", "en"):
        data = question.data(trace, Words(language))
        assert question.place.name in str(data["why"])
        assert len(data["options"]) == len(trace.config.source)
