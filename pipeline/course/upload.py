"""The upload set: the film and its clips as single files, for platforms that take a video and its captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .pages import EditionPage
from .site import templates


@dataclass(frozen=True)
class Names:
    """The names of an edition's files, unique in the whole set. `prefix`: film and language."""

    prefix: str

    @property
    def film(self) -> str:
        return f"{self.prefix}.mp4"

    @property
    def plain(self) -> str:
        return f"{self.prefix}-no-chapters.mp4"

    @property
    def poster(self) -> str:
        return f"{self.prefix}-poster.jpg"

    @property
    def chapters(self) -> str:
        return f"{self.prefix}-chapters.vtt"

    @property
    def captions(self) -> str:
        return f"{self.prefix}.vtt"

    def scene(self, number: int, scene_id: str, ending: str) -> str:
        return f"{self.prefix}-{number:02}-{scene_id}.{ending}"


def embed_page(page: EditionPage, names: Names, default_scene: str) -> str:
    """A page of snippets to copy, and the video that they make. `default_scene`: the file of a scene."""
    title, language, label = escape(page.title), page.language, escape(page.words.own_name())

    def video(film: str, poster: str, tracks: Sequence[tuple[str, str]]) -> str:
        lines = [f'<video controls preload="metadata" playsinline poster="{poster}" style="width:100%;height:auto">']
        lines.append(f'  <source src="{film}" type="video/mp4">')
        for kind, file in tracks:
            default = " default" if kind == "captions" else ""
            lines.append(f'  <track{default} kind="{kind}" srclang="{language}" label="{label}" src="{file}">')
        return "\n".join([*lines, "</video>"])

    scene = Path(default_scene).stem
    frame = (
        f'<iframe src="site/index.html" title="{title}" width="100%" height="900" style="border:0" '
        'allow="fullscreen; picture-in-picture"></iframe>'
    )
    tracks = (("captions", names.captions), ("chapters", names.chapters))
    one = (("captions", f"{scene}.vtt"),)
    snippets = [
        (
            "embed_video",
            (names.film, names.captions, names.chapters, names.poster),
            video(names.film, names.poster, tracks),
        ),
        ("embed_scene", (default_scene, f"{scene}.vtt", f"{scene}.jpg"), video(default_scene, f"{scene}.jpg", one)),
        ("embed_site", (), frame),
    ]
    return (
        templates()
        .get_template("embed.html.j2")
        .render(
            words=page.words,
            edition=page,
            snippets=snippets,
            film=names.film,
            poster=names.poster,
            captions=names.captions,
        )
    )
