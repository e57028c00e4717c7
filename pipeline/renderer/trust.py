"""Which plays are open books: nothing changes in them but what their animations are known to change.

In such a play a mobject that no animation touches need not be looked at between two frames. The rules are strict: an
updater anywhere, a scene, camera, animation or rate function of somebody else's making, and the play is looked at leaf
by leaf on every frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

import manim.utils.paths
import manim.utils.rate_functions
from manim import Add, Animation, Mobject, Scene, Wait
from manim.animation.composition import AnimationGroup, Succession
from manim.animation.creation import Create, DrawBorderThenFill, Uncreate, Unwrite, Write
from manim.animation.transform import Transform, TransformFromCopy
from manim.utils.bezier import interpolate

from .leaves import is_plain

_SCENE_METHODS = ("update_to_time", "update_mobjects", "update_meshes", "update_self", "play_internal")
# Animations that, while they run, change the points and colours of their mobject's family and nothing else.
_PLAIN_ANIMATIONS = frozenset({Create, Uncreate, Write, Unwrite, DrawBorderThenFill})
# Animations that change no mobject at all.
_IDLE_ANIMATIONS = frozenset({Wait, Add})
# Where an animation keeps the mobjects that it is made from, before and after it has begun.
_MOBJECTS = ("mobject", "starting_mobject", "target_mobject", "target_copy", "outline")


def known_animations(scene: Scene) -> list[Animation] | None:
    """The single animations of the play that `scene` has begun; None when the play is not an open book."""
    if not is_plain(type(scene), Scene, _SCENE_METHODS) or any(name in vars(scene) for name in _SCENE_METHODS):
        return None
    if scene.updaters or scene.meshes or scene.stop_condition is not None or not scene.animations:
        return None
    if not are_passive(scene.mobjects) or not are_passive(scene.moving_mobjects):
        return None
    found: list[Animation] = []
    for animation in scene.animations:
        if not _collect(animation, found):
            return None
    return found


def _collect(animation: Animation, found: list[Animation]) -> bool:
    """Add the single animations below `animation` to `found`; whether all are known."""
    kind: Any = type(animation)
    if kind in _IDLE_ANIMATIONS:
        return True
    if "interpolate" in vars(animation) or not is_known_function(animation.rate_func):
        return False
    mobjects = (getattr(animation, name, None) for name in _MOBJECTS)
    if not are_passive(one for one in mobjects if one is not None):
        return False
    if isinstance(animation, AnimationGroup):
        base = Succession if isinstance(animation, Succession) else AnimationGroup
        plain = is_plain(kind, base, ("interpolate", "update_mobjects"))
        return plain and all(_collect(one, found) for one in animation.animations)
    found.append(animation)
    return is_transform(animation) or kind in _PLAIN_ANIMATIONS


def is_transform(animation: Animation) -> bool:
    """Whether `animation` does, frame by frame, what manim's own Transform does."""
    kind: Any = type(animation)
    if not isinstance(animation, Transform):
        return False
    methods = ("interpolate_mobject", "interpolate_submobject", "get_sub_alpha", "get_all_families_zipped")
    return (
        is_plain(kind, Transform, (*methods, "update_mobjects", "get_all_mobjects_to_update"))
        and kind.interpolate in (Animation.interpolate, TransformFromCopy.interpolate)
        and (animation.path_func is interpolate or is_known_function(animation.path_func))
    )


def is_known_function(function: Any) -> bool:
    """Whether `function` is one of manim's own rate or path functions, or made by one of them from such and numbers."""
    if not isinstance(function, FunctionType):
        return False
    for module in (manim.utils.rate_functions, manim.utils.paths):
        if getattr(module, function.__name__, None) is function:
            return True
    if function.__module__ not in (manim.utils.rate_functions.__name__, manim.utils.paths.__name__):
        return False
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return all(not callable(cell) or cell is interpolate or is_known_function(cell) for cell in cells)


def are_passive(mobjects: Iterable[Mobject]) -> bool:
    """Whether no member of the families of `mobjects` has an updater."""
    return all(
        not member.updaters and is_plain(type(member), Mobject, ("update",)) for member in _members(mobjects, set())
    )


def _members(mobjects: Iterable[Mobject], seen: set[int]) -> Iterator[Mobject]:
    for mobject in mobjects:
        if id(mobject) not in seen:
            seen.add(id(mobject))
            yield mobject
            yield from _members(mobject.submobjects, seen)
