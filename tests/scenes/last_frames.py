"""The last frame of each scene as it was when somebody last looked at it, and how a new one is compared with it.

Frames are 854×480 and kept without loss. Two of them are the same when their difference, averaged over every square of
3×3 pixels, is nowhere more than TOLERANCE of 255. Another way to smooth edges, or everything moved by a fifth of a
pixel, changes edges up and down side by side and averages out: at most 29. One digit that becomes another one does not:
41 at the least, for 6 and 8 in grey at the smallest size; a word moved by three pixels makes 78 and more.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

SIZE = (854, 480)
TOLERANCE = 34.0
FOLDER = Path(__file__).resolve().parents[1] / "data" / "frames"
UPDATE = "UPDATE_FRAMES"
SHOW = 3.0  # how much stronger a difference is shown than it is
LINE = 4  # pixels between the pictures of a comparison


def golden_file(scene_id: str, language: str) -> Path:
    return FOLDER / language / f"{scene_id}.webp"


def read(path: Path) -> np.ndarray:
    """The picture in `path`, (height, width, 3) uint8."""
    return np.asarray(Image.open(path).convert("RGB"))


def difference(golden: np.ndarray, now: np.ndarray) -> np.ndarray:
    """How far two pictures are apart at each pixel, (height, width), 0 to 255, each mean of 3×3 pixels."""
    signed = np.pad(golden.astype(float) - now.astype(float), ((1, 1), (1, 1), (0, 0)))
    height, width = golden.shape[:2]
    squares = sum(signed[y : y + height, x : x + width] for y in range(3) for x in range(3))
    return np.abs(np.asarray(squares) / 9).max(axis=2)


def fault(golden: np.ndarray, now: np.ndarray) -> str:
    """Where and how far `now` is from `golden`; "" when they are the same."""
    if golden.shape != now.shape:
        return f"its size is {now.shape[1]}×{now.shape[0]}, not {golden.shape[1]}×{golden.shape[0]}"
    apart = difference(golden, now)
    if apart.max() <= TOLERANCE:
        return ""
    ys, xs = np.nonzero(apart > TOLERANCE)
    return (
        f"it differs by up to {apart.max():.0f} of 255 (allowed: {TOLERANCE:.0f}) "
        f"between x {xs.min()} and {xs.max()}, y {ys.min()} and {ys.max()}"
    )


def side_by_side(golden: np.ndarray, now: np.ndarray) -> Image.Image:
    """Golden, now, and their difference made stronger, from left to right."""
    height = max(golden.shape[0], now.shape[0])
    if golden.shape == now.shape:
        apart = np.clip(difference(golden, now) * SHOW, 0, 255).astype(np.uint8)[:, :, None].repeat(3, axis=2)
    else:
        apart = np.zeros_like(golden)
    sheet = Image.new("RGB", (golden.shape[1] + now.shape[1] + apart.shape[1] + 2 * LINE, height), (255, 255, 255))
    x = 0
    for picture in (golden, now, apart):
        sheet.paste(Image.fromarray(picture), (x, 0))
        x += picture.shape[1] + LINE
    return sheet


def keep(picture: np.ndarray, path: Path) -> None:
    """Make `picture` the golden one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".partial")
    Image.fromarray(picture).save(fresh, format="WEBP", lossless=True, quality=100, method=6)
    fresh.replace(path)
