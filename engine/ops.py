"""The Transformer's operations as pure functions of float64 arrays.

Every sum runs from left to right, one term after the other, and never through a library whose order depends on the
number of rows. So a row computed alone, or beside rows that are masked, has the very same bits; and a dot product that
is spelled out term by term on the screen adds up to the value in the trace.

Where a comment says `n,m` the last two axes have these lengths; axes before them (heads) are carried along.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MASKED = -1e9
EPSILON = 1e-5


def total(x: Array) -> Array:
    """Sum of the last axis from left to right, the axis kept; the sum of nothing is 0."""
    if x.shape[-1] == 0:
        return np.zeros((*x.shape[:-1], 1))
    return np.add.accumulate(x, axis=-1)[..., -1:]  # ...,n -> ...,1


def dot(a: Array, b: Array) -> Array:
    """Dot product of every row of `a` with every row of `b`."""
    terms = a[..., :, None, :] * b[..., None, :, :]
    return total(terms)[..., 0]  # n,d · m,d -> n,m


def embed(E: Array, ids: NDArray[np.int64]) -> Array:
    """Row `ids[i]` of the table E for every position i: a look-up, no arithmetic."""
    return E[ids]  # V,d -> pos,d


def positional_encoding(positions: NDArray[np.floating] | NDArray[np.integer], d_model: int) -> Array:
    """Sine and cosine of pos / 10000^(2i/d), in columns 2i and 2i + 1.

    `positions` is one-dimensional and need not be whole numbers, so that the waves themselves can be drawn.
    Source: Vaswani et al. 2017, section 3.5.
    """
    exponents = 2.0 * np.arange(d_model // 2) / d_model
    angles = np.asarray(positions, dtype=np.float64)[:, None] / 10000.0**exponents
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(-1, d_model)  # pos -> pos,d


def causal_mask(rows: int, columns: int | None = None) -> Array:
    """0 where a row may look, -1e9 where the column lies to its right.

    With fewer rows than columns the rows are the last ones, as when the earlier ones are cached.
    """
    width = rows if columns is None else columns
    first = width - rows
    future = np.arange(width)[None, :] > np.arange(first, width)[:, None]
    return np.where(future, MASKED, 0.0)  # -> q,k


def softmax(scores: Array) -> Array:
    """Each row's exponentials as shares of their sum; the row's largest score is taken off first, so none overflows."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / total(powers)  # ...,n -> ...,n


def log_softmax(scores: Array) -> Array:
    """The logarithm of `softmax`, without the way through a share that may round to 0."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(total(np.exp(shifted)))  # ...,n -> ...,n


def linear(x: Array, W: Array) -> Array:
    """x · Wᵀ without a bias; with a stack of matrices, one product for each."""
    return dot(x, W)  # pos,d · [h,]m,d -> [h,]pos,m


def attention_dots(q: Array, k: Array) -> Array:
    """How well each query fits each key, not yet scaled."""
    return dot(q, k)  # h,q,d_head · h,k,d_head -> h,q,k


def scale(dots: Array, d_head: int) -> Array:
    """Divide by √d_head, which keeps the spread of the scores independent of the heads' width."""
    return dots / np.sqrt(float(d_head))  # h,q,k -> h,q,k


def weighted_sum(pattern: Array, v: Array) -> Array:
    """Mix the value rows in the pattern's proportions."""
    return dot(pattern, np.swapaxes(v, -1, -2))  # h,q,k · h,k,d_head -> h,q,d_head


def concat_heads(z: Array) -> Array:
    """Lay the heads' rows side by side, head 0 first."""
    return np.concatenate(list(z), axis=-1)  # h,pos,d_head -> pos,d


def relu(x: Array) -> Array:
    """Negative numbers become 0."""
    return np.maximum(x, 0.0)  # ... -> ...


def mean(x: Array) -> Array:
    """Mean of each row."""
    return total(x) / x.shape[-1]  # pos,d -> pos,1


def variance(x: Array) -> Array:
    """Population variance of each row: the mean of the squared distances from its mean."""
    return mean((x - mean(x)) ** 2)  # pos,d -> pos,1


def layer_norm(x: Array, row_mean: Array, row_variance: Array) -> Array:
    """Shift each row to mean 0 and shrink it to variance var / (var + 1e-5). No gain, no bias."""
    return (x - row_mean) / np.sqrt(row_variance + EPSILON)  # pos,d -> pos,d


def cross_entropy(logits: Array, labels: NDArray[np.int64]) -> Array:
    """−ln of the probability that row i gives to word `labels[i]`."""
    return -log_softmax(logits)[np.arange(len(labels)), labels]  # pos,V -> pos


def mean_loss(losses: Array) -> Array:
    """Mean over the positions. No position has no price: the mean of nothing is 0."""
    return np.asarray(total(losses)[0] / max(1, len(losses)))  # pos -> scalar
