"""Writes the two checkpoints: the one that fits, and the one of a run that renamed its head and went to NaN."""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "fixed"))

from model import build  # noqa: E402

state = build()[0].state_dict()
save_file(state, HERE / "fixed" / "weights.safetensors")
broken = {name.replace("head.", "classifier."): value.clone() for name, value in state.items()}
broken["mix.weight"][3, 5] = torch.nan
save_file(broken, HERE / "broken" / "weights.safetensors")
