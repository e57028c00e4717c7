"""`explain render --why`: for each clip, in one line, whether it will be rendered and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from .clips import Clip, find, newest, outdated, sidecar_of, speaks_of
from .qualities import QUALITIES

# What a change is called, by the kind of part, in the order in which it is told; {} is the part's own name.
_CHANGES = {
    "words": "words of beat {} changed",
    "title": "title changed",
    "takeaway": "take-away changed",
    "label": "label {} changed",
    "beats": "the beats or their order changed",
    "steps": "step numbers changed",
    "scene": "scene class, track or place on the map changed",
    "place": "its place among the progress dots changed",
    "seconds": "its length changed",
    "licence": "the film's licence changed",
    "film word": "the film's words {} changed",
    "reading": "reading speed changed",
    "spoken": "how long beat {} is spoken changed",
    "gap": "the gap between scenes changed",
    "language": "language changed",
    "quality": "quality changed",
    "model": "the model's {} changed",
    "source": "source file {} changed",
    "theme": "theme changed",
    "font": "fonts changed",
    "version": "version of {} changed",
}
_NEW = {
    "words": "beat {} is new",
    "spoken": "beat {} is spoken now",
    "reading": "it is silent now",
    "label": "label {} is new",
    "source": "source file {} is imported now",
}
_GONE = {
    "words": "beat {} is gone",
    "label": "label {} is gone",
    "source": "source file {} is imported no longer",
    "reading": "it is spoken now",
    "spoken": "it is silent now",
}
# More reasons than these would not fit into a line.
_TOLD = 3


def explanation(clips: Sequence[Clip], *, force: bool) -> str:
    """One line a clip, and one for all of them."""
    reasons = {clip: reason(clip, force=force) for clip in clips}
    lines = [
        f"{clip.entry.id} ({clip.language}): " + ("unchanged" if why is None else f"will be rendered: {why}")
        for clip, why in reasons.items()
    ]
    count = sum(why is not None for why in reasons.values())
    lines.append(f"{count} of {len(clips)} {'clip' if len(clips) == 1 else 'clips'} would be rendered; nothing was.")
    return "\n".join(lines)


def reason(clip: Clip, *, force: bool = False) -> str | None:
    """Why `clip` must be rendered; None where it need not be."""
    if force:
        return "forced"
    if find(clip) is not None:
        return None
    return _harm(clip) or _difference(clip)


def _harm(clip: Clip) -> str | None:
    """What is wrong with the file that should be the clip; None where there never was one."""
    sidecar = sidecar_of(clip.path)
    if sidecar is not None and speaks_of(sidecar, clip) and not outdated(sidecar, clip.model):
        return "clip file damaged" if clip.path.exists() else "clip file missing"
    if clip.path.exists() or clip.path.with_suffix(".json").exists():
        return "clip file damaged: what is known of it (.json) cannot be used"
    return None


def _difference(clip: Clip) -> str:
    """What differs between the clip and the newest one of its scene, language and quality."""
    last = newest(clip)
    if last is None:
        return _first(clip)
    if not last.parts:
        return "the clip that is there does not say what it was made from"
    changes = changed_parts(last.parts, clip.parts)
    if not changes:
        keys = outdated(last, clip.model)
        if keys == ["*"]:
            return "the model's values changed, and the scene did not say which of them it shows"
        changes = [f"trace key {key} changed" for key in keys]
    # A whole clip of the same parts and values that is not the newest one would have been found.
    return _listed(changes) or "the clip file of these parts is missing or damaged"


def _first(clip: Clip) -> str:
    """There is no clip in this quality; perhaps in another one."""
    folder = clip.path.parents[2]
    there = [
        name
        for name in QUALITIES
        if name != clip.quality.name and any((folder / name / clip.language).glob(f"{clip.entry.id}-*.mp4"))
    ]
    return f"new in quality {clip.quality.name} (there is {', '.join(there)})" if there else "new"


def changed_parts(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What changed from the parts `before` to those `now`, in words, the most telling first."""
    found: list[tuple[int, str]] = []
    kinds = list(_CHANGES)
    for name in dict.fromkeys([*now, *before]):
        if before.get(name) == now.get(name):
            continue
        kind, _, own = name.partition("/")
        words = _NEW.get(kind) if name not in before else _GONE.get(kind) if name not in now else None
        text = (words or _CHANGES.get(kind, "{} changed")).format(own or name)
        found.append((kinds.index(kind) if kind in kinds else len(kinds), text))
    texts = list(dict.fromkeys(text for _, text in sorted(found, key=itemgetter(0))))
    # A beat that is new or gone says it all; the changed list of beats would only repeat it.
    said = any(text.startswith("beat ") for text in texts)
    return [text for text in texts if not (said and text == _CHANGES["beats"])]


def _listed(changes: Sequence[str]) -> str:
    more = len(changes) - _TOLD
    told = [*changes[:_TOLD], *([f"and {more} more"] if more > 0 else [])]
    return "; ".join(told)
