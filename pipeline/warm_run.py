"""A scene that is run once and waits before every beat, so that a later look at one starts from there.

The run is a process forked from one that has manim and the stage imported. Before each beat it forks a copy of
itself that waits on a connection to the watcher: the scene as it is between two beats. Asked for a picture, the copy
forks once more, takes over what was edited (the class of the scene, its storyboard) and goes on from there; it stays
itself as it was, for the next time. Copies share memory until they write to it.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .scene_loading import camera_of, load_class
from .scene_pool import fault_text
from .stall import alive
from .still_drawing import SceneRun, drawing
from .stills import write_picture
from .storyboard import Storyboard

STILL, CLIP = "still", "clip"
BACKGROUND = 0  # the number of no picture: of a run that goes on after it, or without one


@dataclass(frozen=True)
class Wanted:
    """A picture or clip of `beat` into the file `target`. `number`, from 1, tells it from others."""

    number: int
    beat: str
    kind: str
    target: Path


@dataclass(frozen=True)
class Ask:
    """What a waiting copy is told: what to draw, with which storyboard, and whether the scene's file was changed."""

    wanted: Wanted
    storyboard: Storyboard
    new_code: bool


@dataclass(frozen=True)
class Waiting:
    """A copy of run `run` waits before the beat number `index`, counted from 0."""

    run: int
    index: int


@dataclass(frozen=True)
class Drawing:
    """The process `pid` draws the picture `number`; it keeps the connection open until it is done."""

    number: int
    pid: int


@dataclass(frozen=True)
class Done:
    """The picture `number` is there, or `fault` says why not. `seconds` of processor time went into drawing it."""

    number: int
    fault: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Over:
    """Run `run` came to the end of its scene; all its copies wait."""

    run: int


def start(
    number: int, address: str, run: SceneRun, wanted: Wanted | None, child: tuple[bool, Callable[[], None]]
) -> int:
    """Fork a run of the scene; its process.

    It draws `wanted` when it comes to it, leaves a waiting copy before each beat, and ends by itself.
    `child`: whether the project's modules must be imported anew, since they were edited; what to do first of all.
    """
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        forget, let_go = child

        def work() -> None:
            let_go()
            _Runner(number, address, run, wanted).go(forget)

        _in_child(work)
    return pid


def _in_child(work: Callable[[], None]) -> NoReturn:
    """Do `work` in a process that was forked just now, and end it without the watcher's own endings."""
    status = 0
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the watcher decides when it is over
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for copies
        work()
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        status = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def connect(address: str) -> Connection:
    """A new connection to the watcher."""
    link = socket.socket(socket.AF_UNIX)
    link.connect(address)
    return Connection(link.detach())


class _Runner:
    """The run itself, and after each fork whatever becomes of it."""

    def __init__(self, number: int, address: str, run: SceneRun, wanted: Wanted | None) -> None:
        self._number, self._address, self._run = number, address, run
        self._wanted = wanted
        self._frames: list[np.ndarray] = []
        self._scene: Any = None
        self._renderer: Any = None
        self._ended = 0  # beats that are over
        self._goes_on = False  # this is a copy that draws one picture and ends
        self._link: Connection | None = None  # open as long as something is wanted

    def go(self, forget: bool) -> None:
        from .still_renderer import StillRenderer, Wish  # noqa: PLC0415

        gc.set_threshold(50_000, 50, 100)  # a scene makes much and drops little
        if forget:
            forget_project(self._run.folder)
        self._announce()
        try:
            with drawing(self._run):
                cls = load_class(self._run.folder, self._run.scene)
                wish = self._wish() if self._wanted else Wish(frozenset())
                self._renderer = StillRenderer(wish, self._take, self._beat_is_over, to_the_end=True, **camera_of(cls))
                self._scene = cls(renderer=self._renderer)
                self._renderer.attach(self._scene)
                self._scene.tear_down = _nothing  # a beat that is missing is told by `explain check`
                self._scene.construct = self._construct
                self._scene.render()
            if self._wanted is not None:
                self._finish(f'the scene never plays the beat "{self._wanted.beat}"')
            if not self._goes_on:
                self._tell(Over(self._number))
        except Exception as error:
            self._finish(fault_text(error, self._run))

    # -- drawing ----------------------------------------------------------------------------------------------------
    def _wish(self) -> Any:
        from .still_renderer import Wish  # noqa: PLC0415

        assert self._wanted is not None
        return Wish(frozenset({self._wanted.beat}), "all" if self._wanted.kind == CLIP else "end")

    def _take(self, still: Any) -> None:
        self._frames.append(np.ascontiguousarray(still.pixels[:, :, :3]))

    def _finish(self, fault: str = "") -> None:
        """Tell the watcher how it went with the picture that is wanted; nothing is wanted from then on."""
        if self._link is not None and self._wanted is not None:
            self._send(self._link, Done(self._wanted.number, fault, time.process_time()))
        elif fault:
            self._tell(Done(BACKGROUND, fault))
        self._wanted, self._frames = None, []
        self._hang_up()

    def _write(self) -> None:
        assert self._wanted is not None
        if self._wanted.kind == CLIP:
            from .preview_clip import write_clip  # noqa: PLC0415 (PyAV; a still does without)

            write_clip(self._frames, self._run.quality.fps, self._wanted.target)
        else:
            write_picture(self._frames[-1], self._wanted.target)

    # -- between beats ----------------------------------------------------------------------------------------------
    def _beat_is_over(self, beat: str) -> None:
        self._ended += 1
        if self._wanted is not None and beat == self._wanted.beat and self._frames:
            self._write()
            self._finish()
        if self._goes_on:
            if self._wanted is None:
                os._exit(0)
            return
        if self._ended < len(self._scene.entry.beats):
            self._leave_copy()

    def _construct(self) -> None:
        """In place of the scene's own: a copy waits before the first beat, too."""
        self._leave_copy()
        type(self._scene).construct(self._scene)

    def _leave_copy(self) -> None:
        if os.fork() == 0:
            self._wait_here()

    def _wait_here(self) -> None:
        """Wait for the watcher. Returns only in a copy of this copy that was asked to go on."""
        self._hang_up()
        self._wanted, self._frames = None, []
        try:
            link = connect(self._address)
            link.send(Waiting(self._number, self._ended))
            while True:
                ask: Ask = link.recv()
                if os.fork() == 0:
                    link.close()
                    self._renew(ask)
                    return
        except (EOFError, OSError):  # the watcher has gone, or has no use for this copy any more
            os._exit(0)

    def _renew(self, ask: Ask) -> None:
        """Take over what was edited since the run began, and wish for what is wanted."""
        from manim import config  # noqa: PLC0415

        self._goes_on, self._wanted = True, ask.wanted
        self._announce()
        alive()
        gc.disable()  # this process lives for one beat; looking through a whole scene for rubbish takes longer
        config.media_dir = tempfile.mkdtemp(prefix="media-")  # the run may be writing into its own just now
        try:
            entry = ask.storyboard.scene_for(self._run.scene)
            if ask.new_code:
                sys.modules.pop(self._scene.__class__.__module__, None)
                importlib.invalidate_caches()
                self._scene.__class__ = load_class(self._run.folder, self._run.scene)
            self._scene.storyboard, self._scene.entry = ask.storyboard, entry
        except Exception as error:
            self._finish(fault_text(error, self._run))
            os._exit(0)
        self._renderer.ask(self._wish())

    # -- words for the watcher ----------------------------------------------------------------------------------------
    def _announce(self) -> None:
        """Say that this process draws what is wanted; the connection ends when it does, however that comes."""
        if self._wanted is not None:
            self._link = self._connected()
            self._send(self._link, Drawing(self._wanted.number, os.getpid()))

    def _hang_up(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    def _tell(self, message: Any) -> None:
        link = self._connected()
        self._send(link, message)
        link.close()

    def _connected(self) -> Connection:
        try:
            return connect(self._address)
        except OSError:  # the watcher has gone
            os._exit(0)

    def _send(self, link: Connection, message: Any) -> None:
        try:
            link.send(message)
        except OSError:
            os._exit(0)


def _nothing() -> None:
    pass


def _own(name: str, module: Any, folder: Path) -> bool:
    """Whether the module is one that draws: of the engine, the stage or the scenes."""
    file = getattr(module, "__file__", None)
    if not file:
        return False
    return name.partition(".")[0] in ("engine", "scenes") or Path(file).is_relative_to(folder)


def project_files(folder: Path) -> tuple[str, ...]:
    """The files of the project's modules that draw and are imported by now. `folder`: where the scenes lie."""
    return tuple(sorted(str(m.__file__) for name, m in list(sys.modules.items()) if _own(name, m, folder)))


def forget_project(folder: Path) -> None:
    """Let the next import read the project's modules that draw anew."""
    for name in [name for name, module in sys.modules.items() if _own(name, module, folder)]:
        del sys.modules[name]
    importlib.invalidate_caches()


def warm_up() -> float:
    """Import what every scene needs; the seconds it took."""
    began = time.monotonic()
    import manim  # noqa: F401, PLC0415

    import scenes.stage.scene  # noqa: F401, PLC0415

    from . import still_renderer  # noqa: F401, PLC0415

    # Two saves within a second may leave a file of the same size: compiled code that was kept would be taken for new.
    sys.dont_write_bytecode = True
    gc.collect()
    gc.freeze()  # what is there by now stays; collecting it in every copy would unshare it
    return time.monotonic() - began


def kill(pid: int) -> None:
    """End a process at once."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def end_child(pid: int) -> None:
    """End a process that this one has forked, if it has not ended by itself."""
    with suppress(ChildProcessError):
        if os.waitpid(pid, os.WNOHANG)[0] == 0:
            kill(pid)
            os.waitpid(pid, 0)
