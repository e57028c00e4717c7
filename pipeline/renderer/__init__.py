"""Drawing scenes: a Cairo renderer for manim that paints only what has changed."""

from .renderer import FastRenderer

__all__ = ["FastRenderer"]
