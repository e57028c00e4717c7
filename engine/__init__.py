"""The numbers of the film: a NumPy Transformer whose every value is kept under a key.

    trace = run(preset("tutorial"))
    trace["encoder.0.attn.pattern"]
"""

from engine import ops
from engine.config import PRESETS, ConfigError, ModelConfig, preset, preset_problems
from engine.keys import KeySpec, key_list, key_specs
from engine.model import run
from engine.params import Params
from engine.trace import Trace, TraceError, TraceKeyError

__all__ = [
    "PRESETS",
    "ConfigError",
    "KeySpec",
    "ModelConfig",
    "Params",
    "Trace",
    "TraceError",
    "TraceKeyError",
    "key_list",
    "key_specs",
    "ops",
    "preset",
    "preset_problems",
    "run",
]
