"""Captions, chapters and transcripts: the words that are spoken, as text with times."""

from .cues import Caption, captions_of
from .formats import chapters_vtt, srt, vtt
from .lines import LINE_WIDTH, split, width

__all__ = ["LINE_WIDTH", "Caption", "captions_of", "chapters_vtt", "split", "srt", "vtt", "width"]
