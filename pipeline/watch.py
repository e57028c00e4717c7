"""`explain preview SCENE --watch`: on every save, a new picture of the beat that was changed."""

from __future__ import annotations

import selectors
import shutil
import socket
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .beat_versions import Version, sources_of, version_of
from .files import check_writable
from .preview import open_file
from .problems import UserError, shown_path
from .qualities import QUALITIES
from .still_drawing import SceneRun
from .stills import drawn_entry, known_beat, known_language
from .storyboard import REPO_ROOT, Entry, Storyboard, StoryboardError, load_storyboard
from .warm_run import (
    BACKGROUND,
    CLIP,
    STILL,
    Ask,
    Done,
    Drawing,
    Over,
    Waiting,
    Wanted,
    end_child,
    kill,
    project_files,
    start,
    warm_up,
)
from .watched_files import WatchedFiles, digest, digests

PREVIEW = "preview"
SECONDS_BETWEEN_LOOKS = 0.05


@dataclass(frozen=True)
class WatchRequest:
    """What the user asked for. None: the beat that changed, the storyboard's language."""

    scene: str
    storyboard: Path
    folder: Path
    media: Path
    beat: str | None = None
    language: str | None = None
    clip: bool = False
    open_picture: bool = True


@dataclass(eq=False)
class _Run:
    """A run of the scene: what it was made from, its process, and who waits before which beat."""

    number: int
    version: Version
    pid: int
    code: str  # digest of the scene's file
    whole: bool = False  # it came to its end
    waiting: dict[int, Connection] = field(default_factory=dict)


class Watcher:
    """Watches files, keeps a warm run of the scene, and has a picture drawn for every save."""

    def __init__(self, request: WatchRequest) -> None:
        self.request = request
        self.storyboard = load_storyboard(request.storyboard, scenes=request.folder)
        entry = drawn_entry(self.storyboard, request.scene)
        if request.beat is not None:
            known_beat(entry, request.beat)
        language = known_language(self.storyboard, request.language)
        self.run = SceneRun(entry.scene, request.folder, request.storyboard.resolve(), language, QUALITIES["draft"])
        self._scratch = tempfile.mkdtemp(prefix="preview-")
        self._listener = socket.socket(socket.AF_UNIX)
        self._selector = selectors.DefaultSelector()
        self._runs: list[_Run] = []  # the newest last; an older one serves until the newest has come to its end
        self._numbers = 0
        self._drawing: Connection | None = None  # to the process that draws what is wanted
        self._drawing_pid = 0
        self._wanted: Wanted | None = None
        self._saved_at = 0.0
        self._shown: tuple[Version, str] | None = None  # the version and beat that were asked for last
        self._stopped = False
        self._faulty = False  # the last save could not be read
        self._sources: set[str] = set()  # the files that the scene is made from
        self._at_first: dict[str, str] = {}  # those that this process has imported, and their digests
        self._opened = not request.open_picture
        folders = (request.folder, REPO_ROOT / "scenes", REPO_ROOT / "engine")
        self._files = WatchedFiles([self.run.storyboard], folders)
        self._loaded = digest(str(self.run.storyboard))  # the storyboard that was read last
        self._processor = 0.0  # this process's own time when the last save was seen
        self.times: list[tuple[float, float]] = []  # seconds from save to picture: by the clock, of the processor

    # -- the loop ---------------------------------------------------------------------------------------------------
    def watch(self) -> int:
        """Watch until Ctrl-C; the exit status."""
        before = tempfile.tempdir
        tempfile.tempdir = self._scratch  # whatever a run leaves behind goes with it
        try:
            self._begin()
            saved: set[str] = set()
            while not self._stopped:
                for key, _ in self._selector.select(SECONDS_BETWEEN_LOOKS):
                    self._hear(key)
                changed = self._files.changed()
                saved |= set(changed)
                if saved and not changed:  # an editor may still be writing a file that has just changed
                    self._saved(saved)
                    saved = set()
        except KeyboardInterrupt:
            print("\nStopped watching.", flush=True)
        finally:
            self._end()
            tempfile.tempdir = before
        return 0

    def stop(self) -> None:
        """End the watch soon. May be called from another thread."""
        self._stopped = True

    def _begin(self) -> None:
        check_writable(self.request.media / PREVIEW)
        address = f"{self._scratch}/s"
        self._listener.bind(address)
        self._listener.listen(64)
        self._selector.register(self._listener, selectors.EVENT_READ)
        warm_up()
        self._at_first = digests(project_files(self.request.folder))
        self._files.changed()
        print(
            f"{self.request.scene} in {self.run.language}: watching {shown_path(self.run.storyboard)}, "
            f"{shown_path(self.run.file)} and what it imports; Ctrl-C ends it",
            flush=True,
        )
        self._saved_at = time.time()
        self._update()

    def _end(self) -> None:
        for run in self._runs:
            self._drop(run)
        self._stop_drawing()
        self._selector.close()
        self._listener.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def is_ready(self) -> bool:
        """Whether all that was asked for is shown, and a copy of what was shown waits before every beat."""
        run = self._runs[-1] if self._runs else None
        shown = self._shown is not None and run is not None and run.version == self._shown[0]
        return shown and run is not None and self._wanted is None and len(run.waiting) == len(run.version.beats)

    # -- files ------------------------------------------------------------------------------------------------------
    def _saved(self, changed: set[str]) -> None:
        if not self._sources.isdisjoint(changed) or str(self.run.storyboard) in changed:
            newest = max(self._files.saved_at(path) for path in changed)
            self._saved_at = newest if 0 <= time.time() - newest < 2 else time.time()
            self._update()

    # -- what to draw -----------------------------------------------------------------------------------------------
    def _update(self) -> None:
        """Read what was saved and have the right picture drawn, or tell what is wrong with it."""
        self._processor = time.process_time()
        try:
            storyboard = self._read()
            entry = self._entry(storyboard)
            version, code = self._version(storyboard, entry)
        except StoryboardError as error:
            self._refuse(error.first())
            return
        except UserError as error:
            self._refuse(str(error))
            return
        faulty, self._faulty = self._faulty, False
        if self._shown is not None and self._shown[0] == version:
            if faulty:
                self._say("As it was before; the picture still holds.")
            return
        self.storyboard = storyboard
        beat = self._beat(version)
        self._stop_drawing()
        self._numbers += 1
        kind = CLIP if self.request.clip else STILL
        name = f"{self.request.scene}-{beat}{'.mp4' if kind == CLIP else '.png'}"
        self._wanted = Wanted(self._numbers, beat, kind, self.request.media / PREVIEW / name)
        self._shown = (version, beat)
        self._draw(version, code)

    def _read(self) -> Storyboard:
        """The storyboard as it is on disk, read again only when it was saved."""
        now = digest(str(self.run.storyboard))
        if now == self._loaded:
            return self.storyboard
        self._loaded = ""
        # Whether all scenes fit it takes longer to find out, and is told when the picture is there.
        storyboard = load_storyboard(self.run.storyboard, check_scenes=False)
        self._loaded = now
        return storyboard

    def _check(self) -> str:
        """The first thing in which storyboard and scenes do not fit each other, "" when they do."""
        try:
            load_storyboard(self.run.storyboard, scenes=self.request.folder)
        except StoryboardError as error:
            return error.first()
        return ""

    def _entry(self, storyboard: Storyboard) -> Entry:
        entry = drawn_entry(storyboard, self.request.scene)
        if self.request.beat is not None:
            known_beat(entry, self.request.beat)
        known_language(storyboard, self.run.language)
        if entry.scene != self.run.scene:
            self.run = SceneRun(entry.scene, self.run.folder, self.run.storyboard, self.run.language, self.run.quality)
        return entry

    def _version(self, storyboard: Storyboard, entry: Entry) -> tuple[Version, str]:
        """The version of the scene as it is on disk, and the digest of its file."""
        own = str(self.run.file)
        files = sources_of(self.run.file, (REPO_ROOT, self.request.folder), self._sources)
        self._sources = set(files)
        listed = [f"{file} {digest}" for file, digest in digests(files).items() if file != own]
        return version_of(storyboard, entry, self.run.language, self.run.file, listed), digest(own)

    def _beat(self, version: Version) -> str:
        """The beat to show: the one asked for, else the first that was changed, else the one shown before."""
        if self.request.beat is not None:
            return self.request.beat
        if self._shown is None:
            return version.names[-1]
        before, beat = self._shown
        changed = version.changed_from(before)
        if changed:
            return changed[0]
        return beat if beat in version.names else version.names[-1]

    def _draw(self, version: Version, code: str) -> None:
        """Have what is wanted drawn, from the latest place that is still true."""
        assert self._wanted is not None
        goal = version.names.index(self._wanted.beat)
        places = [
            (index, run)
            for run in self._runs
            for index in run.waiting
            if index <= goal and version.same_before(run.version, index)
        ]
        if not places:
            self._start(version, code, self._wanted)
            return
        index, run = max(places, key=lambda place: (place[0], place[1].number))
        try:
            run.waiting[index].send(Ask(self._wanted, self.storyboard, new_code=run.code != code))
        except OSError:  # it was ended from outside
            self._forget_place(run, index)
            self._draw(version, code)

    def _start(self, version: Version, code: str, wanted: Wanted | None) -> None:
        """Begin a run of the scene as it is now. Copies of the run before serve until it has come to its end."""
        for run in self._runs:
            end_child(run.pid)
        whole = [run for run in self._runs if run.whole][-1:]
        for run in [run for run in self._runs[:-1] if run not in whole]:
            self._drop(run)
            self._runs.remove(run)
        self._numbers += 1
        forget = any(digest(file) != first for file, first in self._at_first.items() if file in self._sources)
        pid = start(self._numbers, f"{self._scratch}/s", self.run, wanted, (forget, self._let_go))
        self._runs.append(_Run(self._numbers, version, pid, code))

    # -- what runs tell ---------------------------------------------------------------------------------------------
    def _hear(self, key: Any) -> None:
        """Take one message: from somebody new, or from one whose connection is kept."""
        link, place = key.fileobj, key.data
        if key.fileobj is self._listener:
            link = Connection(self._listener.accept()[0].detach())
        try:
            message = link.recv()
        except (EOFError, OSError):
            if isinstance(place, tuple):
                self._forget_place(*place)
            elif link is self._drawing:
                self._done(Done(place, "the process that drew it was ended\n    next: save again"))
            else:
                link.close()
            return
        if isinstance(message, Waiting):
            self._keep(link, message)
        elif isinstance(message, Drawing):
            self._begun(link, message)
        else:
            if isinstance(message, Over):
                self._over(message)
            elif isinstance(message, Done):
                self._done(message)
            if link is not self._drawing and link is not key.fileobj:
                link.close()

    def _keep(self, link: Connection, message: Waiting) -> None:
        run = next((run for run in self._runs if run.number == message.run), None)
        if run is None:
            link.close()
            return
        run.waiting[message.index] = link
        self._selector.register(link, selectors.EVENT_READ, (run, message.index))

    def _forget_place(self, run: _Run, index: int) -> None:
        """Let go of a waiting copy; it ends when its connection does."""
        link = run.waiting.pop(index)
        self._selector.unregister(link)
        link.close()

    def _begun(self, link: Connection, message: Drawing) -> None:
        if self._wanted is None or message.number != self._wanted.number:  # something else is wanted by now
            kill(message.pid)
            link.close()
            return
        self._drawing, self._drawing_pid = link, message.pid
        self._selector.register(link, selectors.EVENT_READ, message.number)

    def _over(self, message: Over) -> None:
        """A run is whole: what older ones have kept is of no use any more."""
        for run in [run for run in self._runs if run.number == message.run]:
            run.whole = True
            for old in [run for run in self._runs if run.number < message.run]:
                self._drop(old)
                self._runs.remove(old)

    def _done(self, message: Done) -> None:
        if message.number == BACKGROUND:
            if self._wanted is None:
                self._refuse(message.fault)
            return
        if self._wanted is None or message.number != self._wanted.number:
            return
        wanted = self._wanted
        self._hang_up()
        if message.fault:
            self._say(self._check() or message.fault)
            return
        seconds = time.time() - self._saved_at
        self.times.append((seconds, message.seconds + time.process_time() - self._processor))
        self._say(f"{shown_path(wanted.target)}  ({seconds:.2f} s)")
        if not self._opened:  # a viewer that watches its file shows the later ones by itself
            self._opened = True
            if not open_file(wanted.target):
                self._say("There is no program here that opens it; the file above is ready to be opened.")
        if fault := self._check():
            self._refuse(fault)
        # A run of what was just shown begins, so that the next save finds copies of it waiting.
        if self._shown is not None and not (self._runs and self._runs[-1].version == self._shown[0]):
            self._start(self._shown[0], digest(str(self.run.file)), None)

    # -- processes --------------------------------------------------------------------------------------------------
    def _stop_drawing(self) -> None:
        """Nothing of what was asked for is wanted any more."""
        if self._drawing is not None:
            kill(self._drawing_pid)  # it is there: its connection is open
        self._hang_up()

    def _hang_up(self) -> None:
        if self._drawing is not None:
            self._selector.unregister(self._drawing)
            self._drawing.close()
        self._drawing, self._wanted = None, None

    def _let_go(self) -> None:
        """In a forked process: close what is the watcher's own, so that others notice when the watcher closes it."""
        self._listener.close()
        self._selector.close()
        for link in [*(link for run in self._runs for link in run.waiting.values()), self._drawing]:
            if link is not None:
                link.close()

    def _drop(self, run: _Run) -> None:
        end_child(run.pid)
        for index in list(run.waiting):
            self._forget_place(run, index)

    # -- words ------------------------------------------------------------------------------------------------------
    def _say(self, text: str) -> None:
        print(text, flush=True)

    def _refuse(self, text: str) -> None:
        self._faulty = True
        self._say(text)


def watch(request: WatchRequest) -> int:
    """Watch until Ctrl-C; the exit status. Raises UserError for what keeps it from beginning."""
    return Watcher(request).watch()
