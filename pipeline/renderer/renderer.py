"""A Cairo renderer for manim that draws only what has changed, to frames equal to manim's own.

It keeps manim's life of a scene as it is (plays, sections, skipping, frozen waits, calls to the file writer) and
replaces what happens between "this is on screen" and "these are the pixels". What it does not know how to draw it
leaves to manim's camera, frame by frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from manim import Mobject, Scene
from manim.camera.camera import Camera
from manim.camera.moving_camera import MovingCamera
from manim.renderer.cairo_renderer import CairoRenderer
from manim.utils.iterables import list_update

from .canvas import Canvas, Item, Surface
from .drawings import Box, View
from .leaves import Leaves, UnsupportedError, leaves_of
from .plays import Play, known_play

# Cameras whose way from scene to pixels is known here; any other one draws its frames itself.
KNOWN_CAMERAS = (Camera, MovingCamera)


class FastRenderer(CairoRenderer):
    """In place of `CairoRenderer`: `SomeScene(renderer=FastRenderer(file_writer_class=..., camera_class=...))`.

    A file writer with a method `write_dirty(pixels, boxes, repeat)` gets, instead of a frame of its own, a view of the
    picture that is valid until the method returns, and the boxes (left, top, right, bottom) outside which it is the
    same as the frame before: none for the same picture again, None for a picture that may differ everywhere.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._still: list[Item] | None = None  # what manim would have in its static image
        self._still_view: View | None = None
        self._ground: np.ndarray | None = None
        self._ground_is_picture = False  # the ground is a static image, not the camera's background
        self._canvas: Canvas | None = None
        self._leaves: Leaves | None = None
        self._dirty: list[Box] | None = None
        self._told = False  # whether the writer has seen the picture before the one on the canvas
        super().__init__(*args, **kwargs)

    # -- manim's static image -------------------------------------------------------------------------------------
    @property
    def static_image(self) -> np.ndarray | None:
        """The picture of what does not move in the current play; manim sets it to None when the play is over."""
        if self._still is None:
            return None
        assert self._ground is not None
        if self._still_view is None:
            return self._ground
        pixels = self._ground.copy()
        Surface(pixels, self._still_view).draw(self._still)
        return pixels

    @static_image.setter
    def static_image(self, pixels: np.ndarray | None) -> None:
        self._still = None if pixels is None else []
        self._still_view = None
        if pixels is not None:
            self._ground, self._ground_is_picture = pixels, True

    def save_static_frame_data(self, scene: Scene, static_mobjects: Iterable[Mobject]) -> Any:
        """Remember what does not move in this play. Unlike manim's, it returns nothing: nothing is drawn yet."""
        self.static_image = None
        static = list(static_mobjects or ())
        if self.skip_animations:
            return
        view = self._view()
        if view is None:
            super().save_static_frame_data(scene, static)
            return
        try:
            self._use(view)
            self._use_background()
            assert self._leaves is not None
            self._leaves.keep_only(leaves_of([*scene.mobjects, *scene.moving_mobjects, *static], use_z_index=False))
            if static:
                self._still = self._items(static)
                self._still_view = view
        except UnsupportedError:
            super().save_static_frame_data(scene, static)
            self._forget_canvas()
        if type(self.camera) is Camera and not scene.is_current_animation_frozen_frame():
            assert self._leaves is not None
            play = known_play(scene, self._leaves, list(self._still or ()))
            if play is not None:
                scene.play_internal = partial(self._run, scene, play)

    # -- plays whose every change is known ------------------------------------------------------------------------
    def _run(self, scene: Scene, play: Play) -> None:
        """In place of the scene's own loop over the frames of this play."""
        vars(scene).pop("play_internal")
        assert scene.animations is not None
        scene.duration = scene.get_run_time(scene.animations)
        scene.time_progression = scene._get_animation_time_progression(scene.animations, scene.duration)
        foreseen = True
        play.start()
        try:
            for t in scene.time_progression:
                scene.last_t = t
                for animation in scene.animations:
                    animation.interpolate(t / animation.run_time)
                if scene.skip_animation_preview:
                    continue
                if foreseen:
                    foreseen = self._show(play)
                if not foreseen:
                    self.update_frame(scene, scene.moving_mobjects)
                self._emit(1)
        finally:
            play.stop()
        for animation in scene.animations:
            animation.finish()
            animation.clean_up_from_scene(scene)
        scene.update_mobjects(0)
        self.static_image = None
        scene.time_progression.close()

    def _show(self, play: Play) -> bool:
        """Draw a frame of `play`; False, and the play is given back, when only manim can draw it."""
        assert self._canvas is not None
        assert self._ground is not None
        try:
            changes = play.changes()
        except UnsupportedError:
            play.stop()
            return False
        self._note(self._canvas.show(self._ground, play.items) if changes is None else self._canvas.replace(changes))
        return True

    # -- frames ---------------------------------------------------------------------------------------------------
    def update_frame(
        self,
        scene: Scene,
        mobjects: Iterable[Mobject] | None = None,
        include_submobjects: bool = True,
        ignore_skipping: bool = True,
        **kwargs: Any,
    ) -> None:
        """Bring the picture up to date; see manim's for the parameters."""
        if self.skip_animations and not ignore_skipping:
            return
        view = self._view()
        if view is None or not include_submobjects or kwargs:
            self._draw_with_manim(scene, mobjects, include_submobjects=include_submobjects, **kwargs)
            return
        shown = list(mobjects or ()) or list_update(scene.mobjects, scene.foreground_mobjects)
        if self._still is not None and self._still_view not in (None, view):
            self.static_image = self.static_image  # the camera has moved on; the static image stays as it was
        try:
            self._use(view)
            if self._still is None:
                self._use_background()
            items = [*(self._still or ()), *self._items(shown)]
        except UnsupportedError:
            self._draw_with_manim(scene, mobjects)
            return
        assert self._canvas is not None
        assert self._ground is not None
        self._note(self._canvas.show(self._ground, items))

    def render(
        self,
        scene: Scene,
        time: float,  # noqa: ARG002 (manim's signature)
        moving_mobjects: Iterable[Mobject] | None = None,
    ) -> None:
        """Draw one frame and hand it on."""
        if self.skip_animations:
            return
        self.update_frame(scene, moving_mobjects)
        self._emit(1)

    def freeze_current_frame(self, duration: float) -> None:
        """Hand the current frame on for as many frames as `duration` seconds have."""
        if self.skip_animations:
            return
        self._emit(int(duration / (1 / self.camera.frame_rate)))

    def add_frame(self, frame: np.ndarray, num_frames: int = 1) -> None:
        """Hand on a frame from elsewhere."""
        super().add_frame(frame, num_frames)
        self._told = False

    def _emit(self, repeat: int) -> None:
        write_dirty = getattr(self.file_writer, "write_dirty", None)
        if write_dirty is None:
            super().add_frame(self.get_frame(), repeat)
            return
        self.time += repeat * (1 / self.camera.frame_rate)
        if repeat > 0:
            write_dirty(self.camera.pixel_array, self._dirty if self._told else None, repeat)
            self._dirty, self._told = [], True

    def _note(self, boxes: list[Box] | None) -> None:
        """Add `boxes` to what has changed since the writer last saw the picture."""
        if boxes is None or self._dirty is None:
            self._dirty = None
        else:
            self._dirty = self._dirty + boxes

    # -- parts ----------------------------------------------------------------------------------------------------
    def _view(self) -> View | None:
        """How the camera looks at the scene; None when only the camera itself knows."""
        camera = self.camera
        if type(camera) not in KNOWN_CAMERAS:
            return None
        pixels = camera.pixel_array
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 4 or not pixels.flags.c_contiguous:
            return None
        matrix = camera.get_cairo_context(pixels).get_matrix()
        if matrix.xy != 0 or matrix.yx != 0:
            return None
        numbers = (matrix.xx, matrix.yx, matrix.xy, matrix.yy, matrix.x0, matrix.y0)
        return View(numbers, camera.cairo_line_width_multiple, pixels.shape[1], pixels.shape[0])

    def _use(self, view: View) -> None:
        """Have a canvas and leaves for `view`."""
        if self._canvas is None or self._leaves is None or self._canvas.pixels is not self.camera.pixel_array:
            self._leaves = Leaves(view, self.camera)
            self._canvas = Canvas(self.camera.pixel_array, view)
        self._leaves.look(view)
        self._canvas.look(view)

    def _use_background(self) -> None:
        """Let the ground be a copy of the camera's background as it is now."""
        background = self.camera.background
        if self._ground is None or self._ground_is_picture or not _equal(self._ground, background):
            self._ground, self._ground_is_picture = background.copy(), False

    def _items(self, mobjects: Iterable[Mobject]) -> list[Item]:
        assert self._leaves is not None
        drawing = self._leaves.drawing
        found = (drawing(leaf) for leaf in leaves_of(mobjects, self.camera.use_z_index))
        return [item for item in found if item is not None and item.box[0] < item.box[2]]

    def _draw_with_manim(self, scene: Scene, mobjects: Iterable[Mobject] | None, **kwargs: Any) -> None:
        super().update_frame(scene, mobjects, **kwargs)
        self._forget_canvas()
        self._note(None)

    def _forget_canvas(self) -> None:
        if self._canvas is not None:
            self._canvas.forget()


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two pictures are the same, four bytes a pixel compared at once."""
    if a.shape != b.shape or a.dtype != b.dtype or not (a.flags.c_contiguous and b.flags.c_contiguous):
        return False
    return bool((a.reshape(-1).view(np.uint32) == b.reshape(-1).view(np.uint32)).all())
