"""One play whose every change is known: what is on screen, and who changes what.

Animations that do what manim's Transform does are taken over for the length of the play: their leaves follow Tracks,
and the mobjects themselves stay as they were until somebody needs them (the end of the animation, or of the play).
Everything else that is animated is interpolated by manim and looked at on every frame; what is not animated is not
looked at at all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from manim import Animation, Mobject, Scene
from manim.animation.composition import AnimationGroup, Succession

from .canvas import Item
from .drawings import Drawing, View
from .leaves import Leaves, leaves_of
from .tracks import Track, UnfitError
from .trust import is_transform, known_animations


class _Led:
    """An animation whose leaves follow tracks."""

    def __init__(self, animation: Any, tracks: list[Track]) -> None:
        self.animation = animation
        self.tracks = tracks
        self.alpha: float | None = None

    def move_to(self, alpha: float) -> list[Track]:
        """The tracks that have moved, when manim sets the animation's progress to `alpha`."""
        if alpha == self.alpha:
            return []
        self.alpha = alpha
        animation, count = self.animation, len(self.tracks)
        moved = []
        share = None
        for index, track in enumerate(self.tracks):
            if share is None or animation.lag_ratio:
                share = float(animation.get_sub_alpha(alpha, index, count))
            if share != track.alpha:
                track.move_to(share)
                moved.append(track)
        return moved

    def catch_up(self) -> None:
        """Let the mobject have the progress that it would have by now."""
        if self.alpha is not None:
            type(self.animation).interpolate_mobject(self.animation, self.alpha)


class Play:
    """The play that `scene` has begun. Raises UnsupportedError when only manim can draw what is on screen."""

    def __init__(self, scene: Scene, leaves: Leaves, still: list[Item]) -> None:
        self._scene = scene
        self._leaves = leaves
        self._still = still
        self._view: View = leaves.view
        self._led: dict[int, _Led] = {}
        self._tracks: dict[int, Track] = {}
        self._watched: list[Succession] = []
        self._moved: list[Track] = []
        self._live: list[tuple[int, Mobject]] = []
        self._places: dict[int, int] = {}
        self._rearranged = True
        self.items: list[Item] = []

    # -- taking over ------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Take the animations over that can be foreseen."""
        assert self._scene.animations is not None
        shared = _shared_leaves(self._scene)
        for animation in self._scene.animations:
            self._take_over(animation, shared)

    def stop(self) -> None:
        """Give everything back to manim, as manim would have it now."""
        for succession in self._watched:
            vars(succession).pop("update_active_animation", None)
        self._watched = []
        for led in list(self._led.values()):
            self._give_back(led)

    def _take_over(self, animation: Any, shared: set[int]) -> None:
        if isinstance(animation, Succession):
            if animation.active_animation is not None:
                self._take_over(animation.active_animation, shared)
            self._watched.append(animation)
            animation.update_active_animation = partial(self._next_in, animation, animation.update_active_animation)
        elif isinstance(animation, AnimationGroup):
            for one in animation.animations:
                self._take_over(one, shared)
        elif is_transform(animation):
            try:
                tracks = [
                    Track(leaf, start, target, animation.path_func, self._view)
                    for leaf, start, target in animation.get_all_families_zipped()
                ]
            except (UnfitError, ValueError):
                return
            if any(id(track.leaf) in shared for track in tracks):
                return
            led = self._led[id(animation)] = _Led(animation, tracks)
            self._tracks.update({id(track.leaf): track for track in tracks})
            animation.interpolate_mobject = partial(self._lead, led)
            animation.finish = partial(self._finish, led)

    def _lead(self, led: _Led, alpha: float) -> None:
        self._moved += led.move_to(alpha)

    def _finish(self, led: _Led) -> None:
        self._give_back(led)
        led.animation.finish()
        self._rearranged = True

    def _give_back(self, led: _Led) -> None:
        for name in ("interpolate_mobject", "finish"):
            vars(led.animation).pop(name, None)
        for track in led.tracks:
            self._tracks.pop(id(track.leaf), None)
        del self._led[id(led.animation)]
        led.catch_up()

    def _next_in(self, succession: Any, go_on: Callable[[int], None], index: int) -> None:
        """A succession begins its next animation, which may bring new mobjects or change families."""
        go_on(index)
        self._rearranged = True
        if succession.active_animation is not None:
            self._take_over(succession.active_animation, _shared_leaves(self._scene))

    # -- frames -----------------------------------------------------------------------------------------------------
    def changes(self) -> list[tuple[int, Item]] | None:
        """What has changed since the last call: places in `items` and what is there now.

        None when `items` was made anew. Raises UnsupportedError when only manim can draw what is on screen.
        """
        moved, self._moved = self._moved, []
        if self._rearranged:
            self._arrange()
            self._rearranged = False
            return None
        found: list[tuple[int, Item]] = []
        for track in moved:
            place = self._places.get(id(track.leaf))
            if place is not None and track.drawing is not None:
                found.append((place, track.drawing))
        for place, leaf in self._live:
            item = self._leaves.drawing(leaf)
            if item is not None and item is not self.items[place]:
                found.append((place, item))
        for place, item in found:
            self.items[place] = item
        return found

    def _arrange(self) -> None:
        """Find out anew what is on screen and what of it has to be watched."""
        order = leaves_of(self._scene.moving_mobjects, self._scene.renderer.camera.use_z_index)
        animated = {id(leaf) for leaf in leaves_of(_mobjects(self._scene.animations), use_z_index=False)}
        self.items = list(self._still)
        self._live = []
        self._places = {}
        for place, leaf in enumerate(order, len(self._still)):
            self._places[id(leaf)] = place
            track = self._tracks.get(id(leaf))
            if track is not None and track.drawing is not None:
                self.items.append(track.drawing)
                continue
            self.items.append(self._leaves.drawing(leaf) or Drawing(None, (), self._view))
            if track is None and (id(leaf) in animated or _has_gradient(leaf)):
                self._live.append((place, leaf))


def known_play(scene: Scene, leaves: Leaves, still: list[Item]) -> Play | None:
    """The play that `scene` has begun, if all that changes in it is known."""
    return None if known_animations(scene) is None else Play(scene, leaves, still)


def _single(animations: Any) -> list[Any]:
    """The single animations in `animations` that run now or at any time."""
    found: list[Any] = []
    for animation in animations or ():
        found += _single(animation.animations) if isinstance(animation, AnimationGroup) else [animation]
    return found


def _running(animations: Any) -> list[Animation]:
    """The single animations that may run now: of a succession only the one whose turn it is."""
    found: list[Animation] = []
    for animation in animations or ():
        if isinstance(animation, Succession):
            found += _running([animation.active_animation] if animation.active_animation is not None else [])
        elif isinstance(animation, AnimationGroup):
            found += _running(animation.animations)
        else:
            found.append(animation)
    return found


def _mobjects(animations: Any) -> list[Mobject]:
    return [animation.mobject for animation in _single(animations)]


def _shared_leaves(scene: Scene) -> set[int]:
    """The leaves that more than one running animation changes."""
    seen: set[int] = set()
    shared: set[int] = set()
    for animation in _running(scene.animations):
        own = {id(leaf) for leaf in leaves_of([animation.mobject], use_z_index=False)}
        shared |= own & seen
        seen |= own
    return shared


def _has_gradient(leaf: Any) -> bool:
    """Whether the look of `leaf` may depend on its whole family."""
    return any(len(getattr(leaf, name, ())) > 1 for name in ("fill_rgbas", "stroke_rgbas", "background_stroke_rgbas"))
