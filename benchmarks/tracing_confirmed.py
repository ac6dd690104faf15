"""Defects that tracing reports in published model sources, confirmed by running the models on the path it names.

    python benchmarks/tracing_confirmed.py

Each case runs twice: with the setting on whose branch tracing reports the error, which must fail on that very line, and
with the usual setting, which must work.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

PLACES = {
    ("modeling_mgp_str.py", 99): "distilled=True",
    ("modeling_patchtst.py", 1531): "share_projection=False, pooling_type='mean'",
    ("modeling_lxmert.py", 521): "output_attentions: True in the configuration, False in the call",
    ("modeling_perceiver.py", 3002): "image features with concat_pos=False",
    ("modeling_perceiver.py", 3171): "audio features with concat_pos=False",
}  # of transformers 5


def mgp_str(broken: bool) -> Any:
    import torch
    from transformers import MgpstrConfig, MgpstrModel

    config = MgpstrConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, distilled=broken)
    return MgpstrModel(config)(torch.zeros(1, 3, 32, 128))


def patchtst(broken: bool) -> Any:
    import torch
    from transformers import PatchTSTConfig, PatchTSTForPrediction

    config = PatchTSTConfig(
        num_input_channels=3, context_length=32, patch_length=8, patch_stride=8, prediction_length=4, d_model=16,
        num_hidden_layers=1, num_attention_heads=2, ffn_dim=16, share_projection=not broken,
    )  # fmt: skip
    return PatchTSTForPrediction(config)(past_values=torch.zeros(2, 32, 3))


def lxmert(broken: bool) -> Any:
    import torch
    from transformers import LxmertConfig, LxmertModel

    config = LxmertConfig(
        hidden_size=16, num_attention_heads=2, intermediate_size=16, l_layers=1, x_layers=1, r_layers=1, vocab_size=20,
        visual_feat_dim=8, output_attentions=True, attn_implementation="eager",
    )  # fmt: skip
    words, boxes = torch.zeros(1, 4, dtype=torch.long), torch.zeros(1, 3, 4)
    return LxmertModel(config)(
        input_ids=words, visual_feats=torch.zeros(1, 3, 8), visual_pos=boxes, output_attentions=not broken
    )


def _perceiver(kind: str, broken: bool) -> Any:
    import torch
    from transformers import PerceiverConfig
    from transformers.models.perceiver import modeling_perceiver as perceiver

    size = (20,) if kind == "audio" else (8, 8)
    features = {"num_bands": 4, "max_resolution": size, "sine_only": False, "concat_pos": not broken}
    common = {"position_encoding_type": "fourier", "fourier_position_encoding_kwargs": features}
    if kind == "audio":
        model = perceiver.PerceiverAudioPreprocessor(
            PerceiverConfig(), prep_type="patches", samples_per_patch=96, **common
        )
        return model(torch.zeros(1, 1920, 1))
    model = perceiver.PerceiverImagePreprocessor(
        PerceiverConfig(), prep_type="pixels", spatial_downsample=1, in_channels=3, **common
    )
    return model(torch.zeros(1, 3, 8, 8))


def perceiver_image(broken: bool) -> Any:
    return _perceiver("image", broken)


def perceiver_audio(broken: bool) -> Any:
    return _perceiver("audio", broken)


RUNS: dict[tuple[str, int], Callable[[bool], Any]] = dict(
    zip(PLACES, (mgp_str, patchtst, lxmert, perceiver_image, perceiver_audio), strict=True)
)


def failing_line(run: Callable[[bool], Any], broken: bool, file: str) -> tuple[int | None, str]:
    """The last line of the file on the way to the exception, and the exception; None where there is none."""
    try:
        run(broken)
    except Exception as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).name == file]
        return (lines[-1] if lines else -1), f"{type(error).__name__}: {str(error).splitlines()[0][:110]}"
    return None, "runs"


def main() -> int:
    wrong = 0
    for (file, line), setting in PLACES.items():
        found, message = failing_line(RUNS[file, line], True, file)
        usual, _ = failing_line(RUNS[file, line], False, file)
        confirmed = found == line and usual is None
        wrong += not confirmed
        print(f"{file}:{line}, {setting}: {message}; {'confirmed' if confirmed else 'NOT CONFIRMED'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
