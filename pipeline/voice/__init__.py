"""The voice of the film: where narration comes from, how long it lasts, how it becomes one sound track.

`narration` is the one interface; `reading`, `recordings` and `kokoro` are its sources. The synthesised voice needs the
extra `voice` (`make voice`); everything else here works without it.
"""
