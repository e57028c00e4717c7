"""Captions, chapters and transcripts: the words that are spoken, as text with times."""

from .cues import Caption, captions_of
from .formats import chapters_vtt, film_text, srt, subrip_text, vtt
from .lines import LINE_WIDTH, split, width

__all__ = [
    "LINE_WIDTH",
    "Caption",
    "captions_of",
    "chapters_vtt",
    "film_text",
    "split",
    "srt",
    "subrip_text",
    "vtt",
    "width",
]
