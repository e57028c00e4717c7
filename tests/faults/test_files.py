"""Disk, files and clock: full, read-only, taken away, changed, moved."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from aftermath import after, finish, frame_digests, nobody_is_left, told
from report import record
from small_studio import REPO, Studio

FAR = 60 * 365 * 86_400  # seconds


def in_own_mounts(script: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script with mounts of its own; a reasoned skip where the kernel gives nobody any."""
    try:
        subprocess.run(["unshare", "-rm", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this kernel lets nobody have mounts of their own: {error}")
    command = ["unshare", "-rm", "sh", "-euc", script]
    return subprocess.run(
        command, cwd=REPO, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, check=False
    )


def full_disk(studio: Studio, kilobytes: int, keep: Path) -> subprocess.CompletedProcess[str]:
    """Render onto a disk of so many kilobytes, then onto the same one with room; the film is copied to `keep`."""
    studio.media.mkdir(exist_ok=True)
    media, render = shlex.quote(str(studio.media)), shlex.join(studio.command("render"))
    film = shlex.quote(str(studio.film()))
    return in_own_mounts(f"""
        mount -t tmpfs -o size={kilobytes}k none {media}
        status=0; {render} || status=$?
        echo "status $status"
        find {media} -name '*.partial' | sed 's/^/left: /'
        mount -o remount,size=500m {media}
        {render}
        cp {film} {shlex.quote(str(keep))}
    """)


def render_on_full_disk(studio: Studio, undisturbed: Studio, kilobytes: int) -> None:
    keep = studio.root / "kept.mp4"
    done = full_disk(studio, kilobytes, keep)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Traceback" not in said
    assert "status 1" in said, said
    assert "No space left" in said, said
    assert "left: " not in said, said
    assert "next: " in said
    assert frame_digests(keep) == frame_digests(undisturbed.film())


def test_a_full_disk(studio: Studio, undisturbed: Studio) -> None:
    render_on_full_disk(studio, undisturbed, 60)


@pytest.mark.faults
def test_disks_that_fill_at_other_moments(studio: Studio, undisturbed: Studio) -> None:
    sizes = (4, 16, 32, 48, 80, 96, 112, 128)
    for kilobytes in sizes:
        render_on_full_disk(studio, undisturbed, kilobytes)
    what = f"a disk with room for {sizes[0]} to {sizes[-1]} kB, of the 230 that the render takes"
    record("files", what, len(sizes), "says so, status 1, nothing half written; finished when there is room")


def test_a_read_only_output(rendered: Studio, undisturbed: Studio) -> None:
    media, render = shlex.quote(str(rendered.media)), shlex.join(rendered.command("render", "--force"))
    done = in_own_mounts(f"mount --bind {media} {media}; mount -o remount,ro,bind {media}; exec {render}")
    told(done, "Read-only file system", "next: check that the folder can be written")
    after(rendered)
    finish(rendered, undisturbed)
    record("files", "an output folder that is read-only", 1, "says so, status 1; the film that is there stays")


# --- ffmpeg -------------------------------------------------------------------------------------------------------


def own_ffmpeg(studio: Studio, script: str) -> Path:
    """A program that answers as ffmpeg does, and does `script` when it is to join."""
    import imageio_ffmpeg  # noqa: PLC0415

    real = shlex.quote(imageio_ffmpeg.get_ffmpeg_exe())
    program = studio.root / "ffmpeg"
    program.write_text(f'#!/bin/sh\n[ "$1" = -version ] && exec {real} "$@"\n{script}\n', encoding="utf-8")
    program.chmod(0o755)
    return program


def test_ffmpeg_taken_away_in_the_middle(studio: Studio, undisturbed: Studio) -> None:
    program = own_ffmpeg(studio, "exit 1")
    render = studio.start("render", "--ffmpeg", str(program))
    deadline = time.monotonic() + 60
    while not list((studio.media / ".work").glob("render-*/*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    program.unlink()
    said, _ = render.communicate(timeout=120)
    assert render.returncode == 1
    assert "cannot be run: No such file" in said
    assert "Traceback" not in said
    assert not studio.film().exists()
    assert len(studio.clips()) == 3
    after(studio)
    assert "0 clips rendered" in finish(studio, undisturbed)
    record(
        "files", "ffmpeg removed while clips are drawn", 1, "says so, status 1; the clips are kept, the next run joins"
    )


@pytest.mark.faults
@pytest.mark.parametrize(
    "script",
    ["kill -9 $$", "exit 0", 'for last; do :; done; head -c 5000 /dev/urandom > "$last"', "echo no >&2; exit 3"],
    ids=["is killed", "writes nothing", "writes nonsense", "fails"],
)
def test_ffmpeg_that_fails(studio: Studio, undisturbed: Studio, script: str, request: pytest.FixtureRequest) -> None:
    program = own_ffmpeg(studio, script)
    told(studio.explain("render", "--ffmpeg", str(program)))
    assert not studio.film().exists()
    after(studio)
    finish(studio, undisturbed)
    record("files", f"an ffmpeg that {request.node.callspec.id}", 1, "says so, status 1, no film; the next run joins")


# --- the cache ----------------------------------------------------------------------------------------------------


def cut_short(clips: dict[str, Path]) -> list[str]:
    os.truncate(clips["middle"], clips["middle"].stat().st_size - 100)
    return ["middle"]


def flip_bytes(clips: dict[str, Path]) -> list[str]:
    for name in ("middle", "ending"):
        data = bytearray(clips[name].read_bytes())
        data[len(data) // 2] ^= 0xFF
        clips[name].write_bytes(data)
    return ["middle", "ending"]


def swap(clips: dict[str, Path]) -> list[str]:
    aside = clips["middle"].with_suffix(".aside")
    clips["middle"].rename(aside)
    clips["ending"].rename(clips["middle"])
    aside.rename(clips["ending"])
    return ["middle", "ending"]


def swap_with_sidecars(clips: dict[str, Path]) -> list[str]:
    swap({name: path.with_suffix(".json") for name, path in clips.items()})
    return swap(clips)


def empty(clips: dict[str, Path]) -> list[str]:
    clips["opening"].write_bytes(b"")
    return ["opening"]


def nonsense_sidecar(clips: dict[str, Path]) -> list[str]:
    clips["opening"].with_suffix(".json").write_bytes(b"\xff\x00{")
    return ["opening"]


HARMS = [cut_short, flip_bytes, swap, swap_with_sidecars, empty, nonsense_sidecar]


def harmed(studio: Studio, undisturbed: Studio, harm: Callable[[dict[str, Path]], list[str]]) -> None:
    scenes = harm(studio.clips())
    said = finish(studio, undisturbed)
    for scene in scenes:
        assert f"{scene} (zh): the clip that was kept is damaged; it is drawn again" in said
    assert f"{len(scenes)} clip{'s' * (len(scenes) > 1)} rendered" in said


def test_swapped_clips_are_drawn_again(rendered: Studio, undisturbed: Studio) -> None:
    harmed(rendered, undisturbed, swap)


@pytest.mark.faults
def test_a_harmed_cache(rendered: Studio, undisturbed: Studio) -> None:
    for harm in HARMS:
        harmed(rendered, undisturbed, harm)
        what = f"kept clips: {harm.__name__.replace('_', ' ')}"
        record("files", what, 1, "drawn again, and said so; the same film")


def test_a_clip_that_is_harmed_during_the_render(rendered: Studio, undisturbed: Studio) -> None:
    """While the last scene is drawn, it breaks the kept clip of the first, which was found whole before."""
    clip = rendered.clips()["opening"]
    harm = f"open({str(clip)!r}, 'r+b').write(b'harmed')"
    rendered.edit("scenes/ending.py", "circle = Circle", f"{harm}\n        circle = Circle")
    said = finish(rendered, undisturbed)
    assert "opening (zh): the clip was damaged during the render; it is drawn again" in said
    record(
        "files", "a kept clip harmed between the check and the joining", 1, "drawn again, and said so; the same film"
    )


@pytest.mark.faults
def test_verify_finds_what_was_harmed(rendered: Studio) -> None:
    film = rendered.film()
    assert rendered.explain("verify", str(film)).returncode == 0
    harms = {
        film: "its bytes are not those that were joined",
        film.with_suffix(".vtt"): "is not what was written with the film",
        film.with_suffix(".chapters.vtt"): "is not what was written with the film",
        film.with_name(f"{film.stem}.plain.mp4"): "plain.mp4",
    }
    for path, phrase in harms.items():
        sound = path.read_bytes()
        data = bytearray(sound)
        data[len(data) * 2 // 3] ^= 0x01
        path.write_bytes(data)
        told(rendered.explain("verify", str(film)), phrase, "next: explain render joins it again")
        path.unlink()
        done = rendered.explain("verify", str(film))
        assert done.returncode == 1
        assert "Traceback" not in done.stdout + done.stderr
        path.write_bytes(sound)
    assert rendered.explain("verify", str(film)).returncode == 0
    record("files", "a film, its captions, chapters or plain copy changed or removed", 8, "`explain verify` says which")


# --- places, clock ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place", ["clips", *(pytest.param(place, marks=pytest.mark.faults) for place in ("film", ".work"))]
)
def test_a_file_in_the_place_of_a_folder(studio: Studio, undisturbed: Studio, place: str) -> None:
    studio.media.mkdir()
    file = studio.media / place
    file.write_text("mine", encoding="utf-8")
    done = studio.explain("render")
    told(done, str(file), "a file is where a folder is needed", "next: move it away")
    assert file.read_text(encoding="utf-8") == "mine"
    file.unlink()
    after(studio)
    finish(studio, undisturbed)
    record("files", f"a file in the place of media/{place}", 1, "says where, status 1, leaves it")


def test_a_media_folder_that_is_a_file(studio: Studio) -> None:
    studio.media.write_text("mine", encoding="utf-8")
    told(studio.explain("render"), str(studio.media), "next: ")
    assert studio.media.read_text(encoding="utf-8") == "mine"
    record("files", "a file in the place of the media folder", 1, "says where, status 1, leaves it")


def test_files_of_the_past_and_the_future(rendered: Studio, undisturbed: Studio) -> None:
    for shift in (-FAR, FAR):
        when = max(1.0, time.time() + shift)
        for path in rendered.root.rglob("*"):
            os.utime(path, (when, when))
        assert "0 clips rendered" in finish(rendered, undisturbed)
    record("files", "all files dated decades back, decades ahead", 2, "nothing is rendered again; the same film")


@pytest.mark.faults
def test_a_clock_that_jumps(studio: Studio, undisturbed: Studio) -> None:
    """In every process the time of day goes back and forth by a year, second by second."""
    folder = studio.root / "clock"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        textwrap.dedent("""
            import time
            real = time.time
            time.time = lambda: real() + (int(real()) % 3 - 1) * 365 * 86400
        """),
        encoding="utf-8",
    )
    told_by_python = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time.__name__)"],
        env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "lambda" in told_by_python.stdout
    done = studio.explain("render", PYTHONPATH=str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    after(studio)
    assert "0 clips rendered" in finish(studio, undisturbed)
    record("files", "a clock that jumps by a year, back and forth, during the render", 1, "the same film")


def test_without_a_network(studio: Studio, undisturbed: Studio) -> None:
    """After the set-up nothing is fetched: the film is rendered where there is no network at all."""
    try:
        subprocess.run(["unshare", "-rn", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this kernel lets nobody have a network of their own: {error}")
    done = subprocess.run(
        ["unshare", "-rn", *studio.command("render")],
        cwd=REPO, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert frame_digests(studio.film()) == frame_digests(undisturbed.film())
    record("reproducible", "a render without any network", 1, "the same film")


def test_the_studio_is_left_alone_by_all_this(undisturbed: Studio) -> None:
    """The film that all others are compared with is still the one that was rendered."""
    nobody_is_left(undisturbed)
    assert undisturbed.explain("verify").returncode == 0
    assert shutil.which("unshare") is None or Path("/proc/self/ns").is_dir()
