"""Audits of the picture: every law of the film that a machine can check, on every scene in every language."""

from .findings import Finding
from .run import Inspection, audit_scene, drawn_cards, drawn_scenes, inspect_scene

__all__ = ["Finding", "Inspection", "audit_scene", "drawn_cards", "drawn_scenes", "inspect_scene"]
