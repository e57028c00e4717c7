"""Chinese words: where one ends and the next begins, without white space. The dictionary is read when first needed."""

from __future__ import annotations

import logging
import warnings
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _segmenter() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba's own source has escapes that newer Pythons complain of
        import jieba  # noqa: PLC0415 (it takes a second)
    jieba.setLogLevel(logging.ERROR)
    jieba.initialize()
    return jieba


def chinese_words(text: str) -> list[str]:
    """`text` cut into words; together they are `text`."""
    return list(_segmenter().cut(text))
