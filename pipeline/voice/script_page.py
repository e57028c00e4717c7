"""The script to read aloud, as Markdown: every beat with the name that its recording must have."""

from __future__ import annotations

from collections.abc import Mapping

from ..storyboard import Storyboard

# Words of the page by language; another language is given the English ones.
_WORDS = {
    "zh": (
        "录音稿",
        "每一段录成一个文件，用段前的名字，WAV 或 MP3，放进 {folder}。录完运行 explain record-check。",
        "约 {n:.0f} 秒",
    ),
    "en": (
        "Script to record",
        "Record every paragraph as a file of its own, with the name before it, as WAV or MP3, into {folder}. "
        "Then run explain record-check.",
        "about {n:.0f} s",
    ),
}


def script_page(storyboard: Storyboard, script: Mapping[str, Mapping[str, str]], language: str) -> str:
    """The page for `script` (scene id -> beat -> words) in `language`."""
    film = storyboard.film
    heading, how, about = _WORDS["zh" if language.startswith("zh") else "en"]
    folder = f"{film.recordings}/{language}"
    lines = [f"# {film.title[language]}: {heading}", "", how.format(folder=f"`{folder}/`"), ""]
    for number, (scene_id, beats) in enumerate(script.items(), 1):
        lines += [f"## {number}. {storyboard.entry(scene_id).title[language]}", ""]
        for beat, words in beats.items():
            seconds = about.format(n=max(1.0, film.reading_time(words, language)))
            lines += [f"`{scene_id}.{beat}.wav` ({seconds})", "", words, ""]
    return "\n".join(lines).rstrip() + "\n"
