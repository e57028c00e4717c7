"""The numbers of the film: a NumPy Transformer whose every value is kept under a key.

`run(preset("tutorial"))["encoder.0.attn.pattern"]` is the first layer's attention, head by head.
"""

from engine import ops
from engine.config import PRESETS, ModelConfig, preset, preset_problems
from engine.keys import KeySpec, key_list, key_specs
from engine.model import run
from engine.params import Params
from engine.settings import ConfigError
from engine.trace import Trace, TraceError, TraceKeyError
from engine.trained import run_trained
from engine.training import RECIPES, Recipe, Training, restarts, snapshot_steps
from engine.weights_file import WeightsFileError

__all__ = [
    "PRESETS",
    "RECIPES",
    "ConfigError",
    "KeySpec",
    "ModelConfig",
    "Params",
    "Recipe",
    "Trace",
    "TraceError",
    "TraceKeyError",
    "Training",
    "WeightsFileError",
    "key_list",
    "key_specs",
    "ops",
    "preset",
    "preset_problems",
    "restarts",
    "run",
    "run_trained",
    "snapshot_steps",
]
