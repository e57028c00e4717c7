"""A picture that remembers what is on it and draws again only what has changed.

The tiles under old and new boxes of what changed are painted afresh on a second surface of the same size, whole leaves
without any clip, and only those tiles are copied into the picture. Every pixel so comes from the same Cairo calls on
the same surface size as in a complete drawing; a clip would let Cairo cut polygons at its edges, and the cuts, rounded
to 1/256 pixel, would show as steps of up to 17/255 at their ends.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import cairo
import numpy as np

from .drawings import Box, Drawing, Raster, View
from .outlines import appender
from .tiles import Tiles

Item = Drawing | Raster
# Above this share of the picture everything is drawn again, straight into it.
MOST = 0.7


class Surface:
    """Pixels (height, width, 4) uint8 and the Cairo context that draws into them."""

    def __init__(self, pixels: np.ndarray, view: View) -> None:
        self.pixels = pixels
        self._surface = cairo.ImageSurface.create_for_data(pixels.data, cairo.FORMAT_ARGB32, view.width, view.height)
        self.context = cairo.Context(self._surface)
        self.append = appender(self.context)
        self.look(view)

    def look(self, view: View) -> None:
        """Draw in another view from now on."""
        self.context.set_matrix(cairo.Matrix(*view.matrix))

    def draw(self, items: Sequence[Item]) -> None:
        """Paint `items` in order over what is there."""
        self._surface.mark_dirty()
        context, append = self.context, self.append
        for item in items:
            if type(item) is Drawing:
                item.draw(context, append)
            else:
                assert isinstance(item, Raster)
                self._surface.flush()
                item.put(self.pixels)
                self._surface.mark_dirty()
        self._surface.flush()


class Canvas:
    """The picture in `pixels`, drawn over `ground` (same shape), for one view."""

    def __init__(self, pixels: np.ndarray, view: View) -> None:
        self.view = view
        self.pixels = pixels
        self._front = Surface(pixels, view)
        self._back = Surface(np.zeros_like(pixels), view)
        self._ground: np.ndarray | None = None
        self._items: list[Item] = []
        self._boxes = np.zeros((0, 4), np.int64)

    def look(self, view: View) -> None:
        """Draw in another view of the same size from now on: the next drawing is complete."""
        if view != self.view:
            self.view = view
            for surface in (self._front, self._back):
                surface.look(view)
            self.forget()

    def forget(self) -> None:
        """Somebody else has drawn into the picture: the next drawing is complete."""
        self._ground = None
        self._items = []

    def show(self, ground: np.ndarray, items: list[Item]) -> list[Box] | None:
        """Make the picture that of `items` over `ground`, an array that is not changed while it is used.

        Returns the boxes that were drawn, none for a picture that is as it was, or None for the whole picture.
        """
        if ground is self._ground and items == self._items:
            return []
        tiles = None
        if ground is self._ground:
            tiles = Tiles(self.view.width, self.view.height)
            tiles.add_all(changed_boxes(self._items, items))
        self._ground, self._items = ground, list(items)
        self._boxes = np.array([item.box for item in items], np.int64).reshape(-1, 4)
        return self._paint(tiles)

    def replace(self, changes: Sequence[tuple[int, Item]]) -> list[Box] | None:
        """Put other items in the places of some, in the order of `show`'s last items, which the caller has changed.

        Returns what `show` returns.
        """
        assert self._ground is not None
        if not changes:
            return []
        tiles = Tiles(self.view.width, self.view.height)
        boxes = self._boxes
        tiles.add_all(tuple(box) for box in boxes[[place for place, _ in changes]].tolist())
        for place, item in changes:
            boxes[place] = item.box
            self._items[place] = item
        tiles.add_all(item.box for _, item in changes)
        return self._paint(tiles)

    def _paint(self, tiles: Tiles | None) -> list[Box] | None:
        """Draw the tiles afresh, or everything."""
        assert self._ground is not None
        if tiles is None or tiles.share > MOST:
            np.copyto(self.pixels, self._ground)
            self._front.draw([item for item in self._items if item.box[0] < item.box[2]])
            return None
        boxes = tiles.boxes()
        if not boxes:
            return boxes
        back, ground = self._back.pixels, self._ground
        for left, top, right, bottom in boxes:
            back[top:bottom, left:right] = ground[top:bottom, left:right]
        if self._items:
            items = self._items
            self._back.draw([items[index] for index in tiles.hits(self._boxes).tolist()])
        for left, top, right, bottom in boxes:
            self.pixels[top:bottom, left:right] = back[top:bottom, left:right]
        return boxes


def changed_boxes(old: list[Item], new: list[Item]) -> list[Box]:
    """Boxes that cover every pixel in which the drawings `old` and `new`, each in its order, can differ."""
    if len(old) == len(new):
        different = [(a, b) for a, b in zip(old, new, strict=True) if a is not b]
        if not {id(a) for a, _ in different} & {id(b) for _, b in different}:
            return [item.box for pair in different for item in pair]
    places = {id(item): place for place, item in enumerate(old)}
    if len(places) < len(old) or len({id(item) for item in new}) < len(new):
        return [item.box for item in (*old, *new)]  # one thing drawn twice: rare, so all of it
    kept = [item for item in new if id(item) in places]
    order = [places[id(item)] for item in kept]
    still = {id(kept[index]) for index in _longest_rising(order)}
    return [item.box for item in (*old, *new) if id(item) not in still]


def _longest_rising(numbers: list[int]) -> list[int]:
    """Indices of a longest rising subsequence of `numbers`, all different."""
    tails: list[int] = []
    tail_places: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        place = bisect_left(tails, number)
        before.append(tail_places[place - 1] if place else -1)
        tails[place : place + 1] = [number]
        tail_places[place : place + 1] = [index]
    found: list[int] = []
    index = tail_places[-1] if tail_places else -1
    while index >= 0:
        found.append(index)
        index = before[index]
    return found
