"""`explain trace`: the numbers behind the film as JSON or CSV."""

from __future__ import annotations

import sys
from pathlib import Path

from engine import TraceKeyError, WeightsFileError, preset, run_trained

from .files import write_text
from .problems import UserError, listed, near_miss, shown_path
from .storyboard import Storyboard


def export_trace(storyboard: Storyboard, form: str, pattern: str, out: Path | None) -> int:
    """Write the keys that match `pattern` in the format `form` ("json" or "csv") to `out` or standard output.

    Raises UserError where no key matches or the file cannot be written.
    """
    name, settings = storyboard.film.preset
    try:
        trace = run_trained(preset(name, **settings))
        text = trace.to_json(pattern) if form == "json" else trace.to_csv(pattern)
    except TraceKeyError:
        raise UserError(_no_match(pattern, list(trace.keys()))) from None
    except WeightsFileError as error:
        raise UserError(str(error)) from None
    if out is None:
        sys.stdout.write(text)
        return 0
    try:
        write_text(out, text)
    except OSError as error:
        raise UserError(f'"{out}" cannot be written: {error.strerror or error}') from None
    print(f"{shown_path(out)}: {len(trace.select(pattern))} keys", file=sys.stderr)
    return 0


def _no_match(pattern: str, keys: list[str]) -> str:
    near = near_miss(pattern, keys)
    known = listed(dict.fromkeys(key.split(".")[0] for key in keys))
    lines = [
        f'No key of the trace matches "{pattern}".',
        f"    allowed: keys and patterns such as encoder.0.*; keys begin with {known}",
    ]
    return "\n".join([*lines, *([f'    next: did you mean "{near}"?'] if near else [])])
