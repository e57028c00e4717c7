"""What a clip depends on, part by part: when one of the parts changes the clip is rendered again, and only then.

The values that a scene shows are no part of this: which of the trace it looks up is known only once it has been drawn.
They are in the clip's sidecar; see `clips.py`. Here stands what can be told before.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .files import sha256_of
from .qualities import Quality
from .sources import LENGTH, closure, film_words_of, source_parts
from .storyboard import Entry, Storyboard

__all__ = ["Model", "closure", "digest_of", "model_of", "parts_of", "source_digest", "sources_of"]

# The packages whose versions show in a frame, by the name that people know.
DRAWING_PACKAGES = {
    "manim": "manim",
    "NumPy": "numpy",
    "Pycairo": "pycairo",
    "ManimPango": "manimpango",
    "svgelements": "svgelements",
    "Typst": "typst",
    "Skia": "skia-pathops",
    "PyAV": "av",
}
FONT_PACKAGE = "manimgx_fonts_cjk"
# The modules of this room that a frame passes through; what the encoder is told stands in encoder.py.
RENDERING_MODULES = ("drawing.py", "pieces.py", "clip_writer.py", "encoder.py")
THEME = "scenes/stage/theme.py"
# Settings of the model that decide values only; whether a scene shows one of these is known when it has been drawn.
VALUE_SETTINGS = ("seed", "weight_recipe", "E")


class Model:
    """The film's model as far as clips are concerned.

    `shape`: preset, words and sizes. `digest` stands for all that its values follow from, found without computing any:
    where it is the same, so are the values.
    """

    def __init__(self, preset_name: str, config: Any) -> None:
        from engine.trained import training_digest  # noqa: PLC0415 (only a render needs it)

        self._config = config
        self._base: Any = None
        self._with_trained: Any = None
        names = [field.name for field in fields(config) if field.name not in VALUE_SETTINGS]
        self.shape = {"preset": preset_name} | {name: getattr(config, name) for name in names}
        self.digest = digest_of({"config": repr(config), "trained": training_digest(config)})

    def value_digest(self, key: str) -> str | None:
        """The digest of a key's values; None where this model has no such key. Trained weights are loaded if it needs
        them."""
        from engine import run, run_trained  # noqa: PLC0415

        if self._base is None:
            self._base = run(self._config)
        if key in self._base:
            return str(self._base.value_digest(key))
        if self._with_trained is None:
            self._with_trained = run_trained(self._config)
        return str(self._with_trained.value_digest(key)) if key in self._with_trained else None


def model_of(storyboard: Storyboard) -> Model:
    """The storyboard's model."""
    from engine import preset  # noqa: PLC0415 (only a render needs it)

    name, settings = storyboard.film.preset
    return Model(name, preset(name, **settings))


def parts_of(
    storyboard: Storyboard,
    entry: Entry,
    language: str,
    quality: Quality,
    shape: Mapping[str, Any],
    drawn_by: tuple[Path, Mapping[str, str]],
    spoken: Mapping[str, float] | None = None,
) -> dict[str, str]:
    """The digest of each part that the clip of `entry` in `language` depends on.

    The digest of all of them together is the clip's fingerprint. The name of a part has its kind before the first
    slash; `why.py` turns it into words. `shape`: see `Model`. `drawn_by`: the scene's file and its `sources_of`.
    `spoken`: seconds of each beat, where there is a voice.
    """
    file, sources = drawn_by
    film = storyboard.film
    frame = [] if entry.card else ["step", f"track_{entry.track}", f"map_{entry.map}"]
    words = dict.fromkeys([*frame, *film_words_of(file, entry.class_name)])
    parts: dict[str, Any] = {
        "language": language,
        "quality": [quality.width, quality.height, quality.fps],
        "scene": [entry.scene, entry.track, entry.map],
        "steps": entry.steps,
        **_place(storyboard, entry),
        "title": entry.title[language],
        "takeaway": entry.takeaway[language],
        "beats": list(entry.beats),
        "gap": quality.frames(film.gap),
    }
    if spoken is None:
        parts["reading"] = [film.unit(language), *(film.reading_time(word, language) for word in ("字", "word"))]
    else:
        parts |= {f"spoken/{name}": spoken[name] for name in entry.beats}
    parts |= {f"label/{name}": text[language] for name, text in entry.labels.items()}
    parts |= {f"words/{name}": beat.words[language] for name, beat in entry.beats.items()}
    parts |= {f"steps/{name}": beat.steps for name, beat in entry.beats.items()}
    parts |= {f"film word/{name}": film.words[name][language] for name in words if name in film.words}
    parts |= {f"model/{name}": value for name, value in shape.items()}
    return {name: digest_of(value) for name, value in parts.items()} | surroundings(sources)


def _place(storyboard: Storyboard, entry: Entry) -> dict[str, Any]:
    """Where a scene stands among the others; a card stands outside, and may draw the film's licence."""
    if entry.card:
        return {"seconds": entry.seconds, "licence": storyboard.film.licence}
    return {"place": [storyboard.rank_of(entry), len(storyboard.scenes)]}


def surroundings(sources: Mapping[str, str]) -> dict[str, str]:
    """The parts that do not depend on the storyboard: source, theme, fonts, versions."""
    return (
        {"theme" if place == THEME else f"source/{place}": digest for place, digest in sources.items()}
        | {f"font/{font.name}": digest_of_file(font) for font in font_files()}
        | {f"version/{name}": digest_of(number) for name, number in versions().items()}
    )


def source_digest(file: Path) -> str:
    """The digest of the source that draws and encodes the scene file `file`: it, what it imports, the encoder."""
    return digest_of(sources_of(file))


def sources_of(file: Path) -> dict[str, str]:
    """The digest of each file that draws and encodes the scene file `file`, by its place in the project."""
    here = Path(__file__).resolve().parent
    own = [path for name in RENDERING_MODULES if (path := here / name).is_file()]
    return source_parts(file, [*own, *sorted((here / "renderer").glob("*.py"))])


def font_files() -> list[Path]:
    """The files that text is set with, those that `scenes.stage.fonts` registers; none where they are not installed."""
    spec = importlib.util.find_spec(FONT_PACKAGE)
    folders = (spec.submodule_search_locations if spec else None) or []
    return [font for folder in folders for font in sorted(Path(folder).glob("*.ttc"))[:1]]


def digest_of_file(path: Path) -> str:
    return _digest_of_file(path, path.stat().st_size, path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _digest_of_file(path: Path, _size: int, _changed: int) -> str:
    return sha256_of(path)[:LENGTH]


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """The versions of what draws a frame, the C libraries below it included."""
    import cairo  # noqa: PLC0415 (only a render needs them)
    import manimpango  # noqa: PLC0415

    found = {"Cairo": str(cairo.cairo_version_string()), "Pango": str(manimpango.pango_version())}
    for name, package in DRAWING_PACKAGES.items():
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def digest_of(data: Any) -> str:
    """A digest of what JSON can say."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:LENGTH]
