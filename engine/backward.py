"""The operations of `engine.ops` on many sentences at once, and beside each its way back.

Every array has the axes it has in `engine.ops` and one more at the end, `b`: the sentences. A weight has no such axis,
all sentences share it; so its gradient is a sum over all of them.

`d_x` is always ∂L/∂x, the gradient of one number L, the loss, with respect to x, and has the shape of x. A
`…_backward` gets the gradient of what the operation gave, and what went in (or came out, where that is shorter); it
returns the gradient of everything that can change. Its docstring derives it in one line. The mask and the positions are
constants: a gradient that reaches them ends there.

Training is chaotic: a last bit that differs at the start decides, a thousand steps later, which head looks where. So
nothing here leaves a last bit to the machine: sums are taken in one order, never by a library that picks the order by
the processor, and the exponential is written out (`exp`).

Source of the rules: the chain rule. Rumelhart, Hinton & Williams 1986 put it to this use.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.ops import EPSILON, Array

Ids = NDArray[np.int64]

_ONE_OVER_LN_2 = 1.4426950408889634
# ln 2 = first + rest, the first so short that a whole number times it is exact.
_LN_2_FIRST, _LN_2_REST = 0.6931471803691238, 1.9082149292705877e-10
_UNDERFLOW = -746.0  # e to this is less than half the smallest positive number, so 0


def exp(x: Array) -> Array:
    """e^x for x ≤ 0, to about one unit in the last place and with the same bits on every machine.

    x = n·ln 2 + r with a whole n and |r| ≤ ln 2 / 2, so e^x = 2^n · e^r, and e^r is its series up to r^13 / 13!.
    """
    x = np.maximum(x, _UNDERFLOW)
    n = np.rint(x * _ONE_OVER_LN_2)
    r = (x - n * _LN_2_FIRST) - n * _LN_2_REST
    series = np.full_like(r, 1.0 / math.factorial(13))
    for k in range(12, -1, -1):
        series *= r
        series += 1.0 / math.factorial(k)
    return np.ldexp(series, n.astype(np.int32))  # ... -> ...


def embed(E: Array, ids: Ids) -> Array:
    """Row `ids[i]` of the table E for every position i."""
    return np.moveaxis(E[ids], -1, -2)  # V,d and pos,b -> pos,d,b


def embed_backward(d_rows: Array, E: Array, ids: Ids) -> Array:
    """rows[i] = E[ids[i]]: a row of E collects the gradients of all places that looked it up."""
    here = ids == np.arange(len(E))[:, None, None]  # V,pos,b
    return (here[:, :, None] * d_rows).sum(axis=-1).sum(axis=1)  # pos,d,b -> V,d


def linear(x: Array, W: Array) -> Array:
    """y = x · Wᵀ, that is y_i = Σ_j W_ij·x_j; with a stack of matrices, one product for each."""
    return (W[..., None, :, :, None] * x[:, None]).sum(axis=-2)  # pos,d,b · [h,]m,d -> [h,]pos,m,b


def linear_backward(d_y: Array, x: Array, W: Array) -> tuple[Array, Array]:
    """y_i = Σ_j W_ij·x_j: x_j hears from every y_i, ∂L/∂x_j = Σ_i d_i·W_ij; W_ij from one, ∂L/∂W_ij = d_i·x_j."""
    d_x = (W[..., None, :, :, None] * d_y[..., None, :]).sum(axis=-3)  # [h,]pos,m,b · [h,]m,d -> [h,]pos,d,b
    d_W = (d_y[..., None, :] * x[:, None]).sum(axis=-1).sum(axis=-3)  # [h,]pos,m,b · pos,d,b -> [h,]m,d
    return (d_x.sum(axis=0) if W.ndim == 3 else d_x), d_W  # all heads have read the same x


def attention_dots(q: Array, k: Array) -> Array:
    """dots_ij = q_i · k_j = Σ_t q_it·k_jt."""
    return (q[:, :, None] * k[:, None]).sum(axis=-2)  # h,q,d_head,b · h,k,d_head,b -> h,q,k,b


def attention_dots_backward(d_dots: Array, q: Array, k: Array) -> tuple[Array, Array]:
    """dots_ij = Σ_t q_it·k_jt: a query hears from every key and a key from every query."""
    d_q = (d_dots[..., None, :] * k[:, None]).sum(axis=-3)  # h,q,k,b · h,k,d_head,b -> h,q,d_head,b
    d_k = (d_dots[..., None, :] * q[:, :, None]).sum(axis=-4)  # h,q,k,b · h,q,d_head,b -> h,k,d_head,b
    return d_q, d_k


def scale(dots: Array, d_head: int) -> Array:
    """scores = dots / √d_head."""
    return dots / math.sqrt(d_head)  # h,q,k,b -> h,q,k,b


def scale_backward(d_scores: Array, d_head: int) -> Array:
    """scores = dots / √d_head: the same factor on the way back."""
    return d_scores / math.sqrt(d_head)  # h,q,k,b -> h,q,k,b


def softmax(scores: Array) -> Array:
    """p_i = e^{s_i} / Σ_j e^{s_j}, along the last axis before the sentences."""
    powers = exp(scores - scores.max(axis=-2, keepdims=True))
    return powers / powers.sum(axis=-2, keepdims=True)  # ...,n,b -> ...,n,b


def softmax_backward(d_p: Array, p: Array) -> Array:
    """∂p_i/∂s_j = p_i·(1[i = j] − p_j), so ∂L/∂s_j = Σ_i d_i·∂p_i/∂s_j = p_j·(d_j − Σ_i d_i·p_i)."""
    return p * (d_p - (d_p * p).sum(axis=-2, keepdims=True))  # ...,n,b -> ...,n,b


def weighted_sum(pattern: Array, v: Array) -> Array:
    """z_i = Σ_j pattern_ij·v_j."""
    return (pattern[..., None, :] * v[:, None]).sum(axis=-3)  # h,q,k,b · h,k,d_head,b -> h,q,d_head,b


def weighted_sum_backward(d_z: Array, pattern: Array, v: Array) -> tuple[Array, Array]:
    """z_i = Σ_j pattern_ij·v_j: ∂L/∂pattern_ij = d_i · v_j, and ∂L/∂v_j = Σ_i pattern_ij·d_i."""
    d_pattern = (d_z[:, :, None] * v[:, None]).sum(axis=-2)  # h,q,d_head,b · h,k,d_head,b -> h,q,k,b
    d_v = (pattern[..., None, :] * d_z[:, :, None]).sum(axis=-4)  # h,q,k,b · h,q,d_head,b -> h,k,d_head,b
    return d_pattern, d_v


def concat_heads(z: Array) -> Array:
    """Lay the heads' rows side by side, head 0 first."""
    heads, rows, d_head, sentences = z.shape
    return np.swapaxes(z, 0, 1).reshape(rows, heads * d_head, sentences)  # h,pos,d_head,b -> pos,d,b


def concat_heads_backward(d_concat: Array, heads: int) -> Array:
    """The heads' rows only moved side by side: each gets its own piece of the gradient."""
    rows, width, sentences = d_concat.shape
    pieces = d_concat.reshape(rows, heads, width // heads, sentences)
    return np.swapaxes(pieces, 0, 1)  # pos,d,b -> h,pos,d_head,b


def relu(x: Array) -> Array:
    """y = max(0, x)."""
    return np.maximum(x, 0.0)  # ... -> ...


def relu_backward(d_y: Array, x: Array) -> Array:
    """y = max(0, x): slope 1 where x > 0, else 0. The kink itself counts as flat."""
    return d_y * (x > 0.0)  # ... -> ...


def layer_norm(x: Array) -> tuple[Array, Array]:
    """y = (x − μ) / σ with σ = √(variance + 1e-5), row by row; σ is returned too."""
    centred = x - x.sum(axis=-2, keepdims=True) / x.shape[-2]
    variance = (centred * centred).sum(axis=-2, keepdims=True) / x.shape[-2]
    sigma = np.sqrt(variance + EPSILON)
    return centred / sigma, sigma  # pos,d,b -> pos,d,b and pos,1,b


def layer_norm_backward(d_y: Array, y: Array, sigma: Array) -> Array:
    """∂μ/∂x_j = 1/d and ∂σ/∂x_j = y_j/d, so d_x = (d_y − mean(d_y) − y·mean(d_y·y)) / σ.

    What is taken off: to shift all of x changes nothing, because μ shifts too; to stretch it next to nothing.
    """
    width = y.shape[-2]
    shift = d_y.sum(axis=-2, keepdims=True) / width
    stretch = (d_y * y).sum(axis=-2, keepdims=True) / width
    return (d_y - shift - y * stretch) / sigma  # pos,d,b -> pos,d,b


def cross_entropy(logits: Array, labels: Ids) -> Array:
    """loss_i = −ln p_label = −s_label + ln Σ_j e^{s_j}."""
    shifted = logits - logits.max(axis=-2, keepdims=True)
    said = np.take_along_axis(shifted, labels[:, None], axis=-2)
    return (np.log(exp(shifted).sum(axis=-2, keepdims=True)) - said)[:, 0]  # pos,V,b and pos,b -> pos,b


def cross_entropy_backward(d_losses: Array, probs: Array, labels: Ids) -> Array:
    """loss_i = −s_label + ln Σ_j e^{s_j}, so ∂loss_i/∂s_j = p_j − 1[j = label]: what was said minus what was right."""
    right = np.arange(probs.shape[-2])[:, None] == labels[:, None]
    return d_losses[:, None] * (probs - right)  # pos,b and pos,V,b -> pos,V,b


def mean_loss(losses: Array) -> float:
    """The mean over positions and sentences; the mean of nothing is 0."""
    return float(losses.sum() / max(1, losses.size))  # pos,b -> one number


def mean_loss_backward(shape: tuple[int, ...]) -> Array:
    """mean = Σ loss_i / n: every one of the losses, an array of this shape, has the same share, 1/n."""
    return np.full(shape, 1.0 / max(1, math.prod(shape)))  # one number -> pos,b
