"""English words as phonemes: misaki's dictionary, without the tagger that its own front end loads.

misaki's rules for endings, stress and capitals are used as they are. Of the parts of speech only those matter here that
change a sound; the few that a closed list of words decides are set from it, the rest take the dictionary's first form.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

# Parts of speech that change how a common word sounds.
_TAGS = {"a": "DT", "the": "DT", "I": "PRP", "in": "IN", "by": "IN", "to": "TO", "that": "IN"}
_AUXILIARIES = {"is", "are", "was", "were", "be", "been", "has", "have", "had", "gets", "got", "ever", "words", "never"}
_PRONOUNS = {"i", "you", "we", "they", "it", "he", "she", "who", "to", "will", "can", "must", "would", "should", "that"}
# Words whose form depends on what stands before them: after an auxiliary, after a subject.
_PARTICIPLE = "VBN"
_VERB = "VERB"

Unknown = Callable[[str], None]


@lru_cache(maxsize=1)
def _front() -> Any:
    """misaki's English module. It imports spaCy for its tagger; the dictionary alone does not need it."""
    missing = importlib.util.find_spec("spacy") is None
    if missing:
        sys.modules["spacy"] = types.ModuleType("spacy")
    try:
        import misaki.en as front  # noqa: PLC0415 (the extra `voice` brings it)
    finally:
        if missing:
            del sys.modules["spacy"]
    return front


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    return _front().Lexicon(british=False)


def phonemes_of_words(words: list[str], unknown: Unknown, last: bool = True) -> list[str]:
    """The phonemes of each word of a run without punctuation inside. `last`: a pause follows the run.

    A word that no rule knows is spelled letter by letter, and `unknown` is told.
    """
    front = _front()
    context = front.TokenContext(future_vowel=None if last else False, future_to=False)
    said: list[str] = []
    # From the end on: how "the" sounds depends on the word after it.
    for index in range(len(words) - 1, -1, -1):
        word = words[index].replace("’", "'")
        tag = _tag(word, words[index - 1].casefold() if index else "")
        token = front.MToken(
            text=word, tag=tag, whitespace=" ", _=front.MToken.Underscore(is_head=True, num_flags="", prespace=False)
        )
        found, _rating = _dictionary()(token, context)
        if found is None:
            unknown(word)
            found = " ".join(_dictionary().get_NNP(letter)[0] for letter in word.upper() if letter.isascii())
        context = front.G2P.token_context(context, found, token)
        # The symbols of the published voices: a flap is T, a glottal stop is t.
        said.append(found.replace("ɾ", "T").replace("ʔ", "t"))
    return said[::-1]


def _tag(word: str, before: str) -> str:
    if word in _TAGS:
        return _TAGS[word]
    if word.casefold() == "read" and before in _AUXILIARIES:
        return _PARTICIPLE
    if word.casefold() in {"lives", "use"} and before not in {"the", "a", "of", "no", "their", "its", "our", "any"}:
        return _VERB
    return "NNP" if len(word) == 1 and word.isupper() else "XX"
