"""Images and point clouds: put into the picture by manim's own camera, kept as they were when they were looked at."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from manim import ImageMobject
from manim.camera.camera import Camera
from manim.mobject.types.image_mobject import AbstractImageMobject
from manim.mobject.types.point_cloud_mobject import PMobject

from .drawings import NOWHERE, Box, Raster, View


def raster_key(leaf: Any) -> Any | None:
    """What decides how `leaf` looks; None when it depends on more than itself (a second camera's picture)."""
    if isinstance(leaf, PMobject):
        return leaf.points.tobytes(), leaf.rgbas.tobytes(), leaf.stroke_width
    if isinstance(leaf, ImageMobject) and type(leaf).get_pixel_array is ImageMobject.get_pixel_array:
        pixels = leaf.pixel_array
        return leaf.points.tobytes(), pixels.tobytes(), pixels.shape, leaf.resampling_algorithm
    return None


def raster_of(leaf: Any, camera: Camera, view: View) -> Raster:
    """`leaf` as it is now."""
    still = copy.copy(leaf)
    still.points = leaf.points.copy()
    if isinstance(leaf, AbstractImageMobject):
        still.pixel_array = leaf.pixel_array.copy()

        def put_image(pixels: np.ndarray) -> None:
            camera.display_image_mobject(still, pixels)

        return Raster(put_image, _box(camera.points_to_subpixel_coords(still, still.points), 2, view))

    still.rgbas = leaf.rgbas.copy()
    thickness = camera.adjusted_thickness(still.stroke_width)

    def put_points(pixels: np.ndarray) -> None:
        camera.display_point_cloud(still, still.points, still.rgbas, thickness, pixels)

    reach = int(abs(thickness)) + 2
    return Raster(put_points, _box(camera.points_to_subpixel_coords(still, still.points), reach, view))


def _box(pixels: np.ndarray, margin: int, view: View) -> Box:
    """The box of points in pixels, widened."""
    low, high = np.floor(pixels.min(axis=0)), np.ceil(pixels.max(axis=0))
    left, top = (int(max(0, value - margin)) for value in low)
    right, bottom = int(min(view.width, high[0] + margin)), int(min(view.height, high[1] + margin))
    return (left, top, right, bottom) if left < right and top < bottom else NOWHERE
