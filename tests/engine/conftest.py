"""What the engine's tests share. Here every warning is an error: NumPy has nothing to complain about."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from engine import ModelConfig, Trace, preset, run

HERE = Path(__file__).parent

# A machine that is busy with something else is not a fault of the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# Models that differ in everything that changes the wiring.
MODELS: dict[str, ModelConfig] = {
    "tutorial": preset("tutorial"),
    "paper": preset("paper"),
    "one word": ModelConfig(source=("猫",), target=("cat",), d_model=2, heads=1, encoder_layers=1, decoder_layers=1),
    "one word behind a start": ModelConfig(source=("猫",), target=("cat",), start_symbol="<s>"),
    "repeated": preset("tutorial", source=["to", "be", "or", "not", "to", "be"], target=["to", "be", "or"]),
    "large": ModelConfig(
        source=tuple("abcdefgh"),
        target=tuple("hgfeijkl"),
        d_model=16,
        heads=4,
        d_ff=64,
        encoder_layers=3,
        decoder_layers=6,
        cross_attention="every",
        start_symbol="开始",
        seed=7,
    ),
    "short loop": preset("tutorial", max_length=2, seed=3),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("error"))


@pytest.fixture(scope="session")
def tutorial() -> Trace:
    return run(MODELS["tutorial"])


@pytest.fixture(scope="session", params=list(MODELS))
def trace(request: pytest.FixtureRequest) -> Trace:
    """The trace of each of the models in turn."""
    return run(MODELS[request.param])
