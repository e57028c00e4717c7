"""Models other than the film's: sentences of other lengths, other widths, heads and numbers of layers.

Each pair of a sentence's length with any other size occurs, and each of the sizes with most of the others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

STORYBOARD = Path(__file__).resolve().parents[2] / "storyboard.yaml"

Model = dict[str, Any]

THREE_TO_FIVE = {"source": ["我", "学", "习"], "target": ["I", "am", "learning", "new", "things"]}
SIX_TO_FOUR = {"source": ["他", "每", "天", "看", "新", "书"], "target": ["he", "reads", "books", "daily"]}
EIGHT_TO_EIGHT = {
    "source": ["他", "每", "天", "早", "上", "看", "新", "书"],
    "target": ["he", "reads", "his", "new", "books", "early", "every", "morning"],
}


def _model(sentence: Model, d_model: int, heads: int, encoder_layers: int, decoder_layers: int, **more: Any) -> Model:
    sizes = {"d_model": d_model, "heads": heads, "encoder_layers": encoder_layers, "decoder_layers": decoder_layers}
    return sentence | sizes | more


MODELS: dict[str, Model] = {
    "3 to 5, width 4, heads 2, layers 1 2": _model(THREE_TO_FIVE, 4, 2, 1, 2),
    "3 to 5, width 6, heads 3, layers 2 1": _model(THREE_TO_FIVE, 6, 3, 2, 1),
    "3 to 5, width 8, heads 4, layers 3 3": _model(THREE_TO_FIVE, 8, 4, 3, 3),
    "6 to 4, width 4, heads 4, layers 2 3": _model(SIX_TO_FOUR, 4, 4, 2, 3),
    "6 to 4, width 6, heads 1, layers 3 2": _model(SIX_TO_FOUR, 6, 1, 3, 2),
    "6 to 4, width 8, heads 2, layers 1 1": _model(SIX_TO_FOUR, 8, 2, 1, 1),
    "8 to 8, width 4, heads 1, layers 3 1": _model(EIGHT_TO_EIGHT, 4, 1, 3, 1),
    "8 to 8, width 6, heads 3, layers 1 3": _model(EIGHT_TO_EIGHT, 6, 3, 1, 3),
    "8 to 8, width 8, heads 4, layers 2 2": _model(EIGHT_TO_EIGHT, 8, 4, 2, 2),
    "8 to 8, width 8, heads 1, layers 3 3": _model(EIGHT_TO_EIGHT, 8, 1, 3, 3, d_ff=16),
}
# The two that are told most by: few words with three heads and a decoder of one layer, and the most of everything.
SMALL, LARGE = "3 to 5, width 6, heads 3, layers 2 1", "8 to 8, width 8, heads 4, layers 2 2"


def derived(folder: Path, name: str, model: Model) -> Path:
    """The film's storyboard about another model, written into `folder`."""
    document = yaml.safe_load(STORYBOARD.read_text(encoding="utf-8"))
    document["film"]["model"] = {"preset": "tutorial", **model}
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path
