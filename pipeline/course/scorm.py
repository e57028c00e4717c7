"""SCORM packages: the site as one activity that a learning platform starts, watches and remembers."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from ..storyboard import CourseSettings
from .site import templates

VERSIONS = {"scorm12": "SCORM-1.2", "scorm2004": "SCORM-2004-4th"}
# The same kit gives the same bytes: no file has a time of its own.
_TIME = (1980, 1, 1, 0, 0, 0)
_STORED = (".mp4", ".jpg", ".png")


def manifest(kind: str, identifier: str, title: str, names: list[str], settings: CourseSettings) -> str:
    """`imsmanifest.xml` of a package. `names`: its files, the page that is started first."""
    return (
        templates()
        .get_template(f"{kind}.xml.j2")
        .render(
            identifier=identifier,
            title=_for_xml(title),
            files=names,
            passing=round(settings.passing * 100) if settings.quizzes else None,
        )
    )


def write_package(target: Path, texts: Mapping[str, str], media: Mapping[str, Path]) -> None:
    """Write the zip file `target`: `index.html` first, then the other texts, then the media; all in one folder.

    Raises ValueError for a name that a platform might not take.
    """
    names = ["index.html", *sorted(texts.keys() - {"index.html"}), *sorted(media)]
    for name in names:
        if not name.isascii() or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            raise ValueError(f"{name!r} is no name for a file of a package")
    if len({name.lower() for name in names}) < len(names):
        raise ValueError("two files of a package have names that differ in capitals alone")
    with zipfile.ZipFile(target, "w") as package:
        for name in names:
            info = zipfile.ZipInfo(name, _TIME)
            info.external_attr = 0o644 << 16
            info.create_system = 3
            info.compress_type = zipfile.ZIP_STORED if name.endswith(_STORED) else zipfile.ZIP_DEFLATED
            if name in texts:
                package.writestr(info, texts[name].encode("utf-8"))
            else:
                info.file_size = media[name].stat().st_size
                with media[name].open("rb") as source, package.open(info, "w") as sink:
                    while chunk := source.read(1 << 20):
                        sink.write(chunk)


def _for_xml(text: str) -> str:
    """Without the characters that XML has no way to write."""
    return "".join(char for char in text if char >= " " and char not in "\ufffe\uffff")
