"""Architectures of the `transformers` package, each from a small configuration: what is analysed, proved, reported.

    python benchmarks/transformers_sweep.py --json FILE [--only 'qwen*'] [--workers 2]

Every architecture that an automatic class for text, images or sound knows is built with two layers and a width of 32.
Those that cannot be built so small, or do not run so, are left out and counted. With `--json` a run can be stopped and
goes on where it was.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

SOURCE = """
import torch
import transformers
from torch import nn
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

SMALL = dict(
    hidden_size=32, d_model=32, n_embd=32, n_embed=32, embed_dim=32, dim=32, embedding_size=32, projection_dim=32,
    num_hidden_layers=2, n_layer=2, n_layers=2, num_layers=2, encoder_layers=2, decoder_layers=2, num_blocks=2,
    num_encoder_layers=2, num_decoder_layers=2, num_attention_heads=4, n_head=4, n_heads=4, num_heads=4,
    encoder_attention_heads=4, decoder_attention_heads=4, num_key_value_heads=2, intermediate_size=64, ffn_dim=64,
    d_ff=64, d_kv=8, d_inner=64, head_dim=8, decoder_ffn_dim=64, encoder_ffn_dim=64, dim_feedforward=64, n_inner=64,
    vocab_size=120, max_position_embeddings=64, n_positions=64, image_size=32, patch_size=8, num_experts=4,
    num_local_experts=4, n_routed_experts=4, moe_intermediate_size=32, num_experts_per_tok=2, use_cache=False,
    rotary_dim=8, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, word_embed_proj_dim=32,
    hidden_dim=64, max_seq_len=64, seq_length=64, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8,
    qk_nope_head_dim=8, v_head_dim=8, attention_window=8, sliding_window=8, mamba_d_state=4, state_size=4, n_group=1,
    topk_group=1, first_k_dense_replace=1, shared_expert_intermediate_size=32, num_labels=5, query_pre_attn_scalar=8,
)


def shrink(config):
    given = {{}}
    for key, value in SMALL.items():
        old = getattr(config, key, None)
        if isinstance(old, (int, float)) or (old is None and key.endswith("_token_id")):
            given[key] = value
    if isinstance(getattr(config, "layer_types", None), list):
        given["layer_types"] = config.layer_types[:2]
    return given


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        kind = CONFIG_MAPPING["{kind}"]
        default = kind()
        parts = {{}}
        for key in ("text_config", "vision_config", "audio_config", "encoder", "decoder"):
            inner = getattr(default, key, None)
            if hasattr(inner, "to_dict"):
                parts[key] = {{**inner.to_dict(), **shrink(inner)}}
        config = kind(**shrink(default), **parts)
        self.inner = transformers.{head}.from_config(config)

    def forward(self, **inputs):
        return self.inner(**inputs, return_dict=False)[0]


def build():
    torch.manual_seed(0)
    return Model().eval(), {inputs}
"""
TOKENS = "{'input_ids': torch.randint(3, 100, (2, 12)), 'attention_mask': torch.ones(2, 12, dtype=torch.int64)}"
BOTH = "{'input_ids': torch.randint(3, 100, (2, 12)), 'decoder_input_ids': torch.randint(3, 100, (2, 10))}"
KINDS = (
    ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "AutoModelForCausalLM", TOKENS),
    ("MODEL_FOR_MASKED_LM_MAPPING_NAMES", "AutoModelForMaskedLM", TOKENS),
    ("MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES", "AutoModelForSeq2SeqLM", BOTH),
    (
        "MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES",
        "AutoModelForImageClassification",
        "{'pixel_values': torch.randn(2, 3, 32, 32)}",
    ),
    (
        "MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING_NAMES",
        "AutoModelForAudioClassification",
        "{'input_values': torch.randn(1, 4000)}",
    ),
)


def architectures() -> Iterator[tuple[str, str]]:
    """(name, source of an entry file), each architecture once."""
    from transformers.models.auto import modeling_auto

    seen: set[str] = set()
    for mapping, head, inputs in KINDS:
        for kind in getattr(modeling_auto, mapping):
            if kind not in seen:
                seen.add(kind)
                yield kind, SOURCE.format(kind=kind, head=head, inputs=inputs)


def study(name: str) -> dict[str, Any]:
    """Figures of one architecture: numerical ones of widened weights, and the findings of the validity analysis."""
    import precision

    from analyzer.configuration.config import TargetConfig
    from analyzer.validity import analyse

    source = dict(architectures())[name]
    graph = precision.graph_of(name, source, None)
    row = precision.figures(name, graph, ("widened",))
    found = analyse(graph, TargetConfig(id=name, entry="entry.py:build")).findings
    return {**row, "validity": [[f.level.value, f.rule, f.message] for f in found]}


def separately(name: str) -> dict[str, Any]:
    try:
        run = subprocess.run(
            [sys.executable, __file__, "--one", name], capture_output=True, text=True, timeout=600, check=False
        )
    except subprocess.TimeoutExpired:
        return {"model": name, "error": "600 s were not enough"}
    rows = [line for line in run.stdout.splitlines() if line.startswith("{")]
    last = (run.stderr.strip().splitlines() or ["no output"])[-1]
    return json.loads(rows[-1]) if rows else {"model": name, "error": last[:400]}


def show(row: dict[str, Any]) -> None:
    if "error" in row:
        print(f"{row['model']}: left out: {row['error'][:160]}", flush=True)
        return
    part = row["widened"]
    print(f"{row['model']}: {row['nodes']} nodes, {part['safe']} of {part['checked']} proved", flush=True)
    for warning in part["warnings"]:
        lo, hi = warning["interval"]
        print(f"    {warning['rule']} at {warning['node']}: [{lo:.4g}, {hi:.4g}]")
    for level, rule, message in row["validity"]:
        print(f"    {level} {rule}: {message}")
    if part["unknown"]:
        print(f"    without a rule: {part['unknown']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(study(arguments.one)))
        return
    rows: list[dict[str, Any]] = []
    if arguments.json and arguments.json.exists():
        rows = [json.loads(line) for line in arguments.json.read_text().splitlines()]
    done = {r["model"] for r in rows}
    names = [n for n, _ in architectures() if fnmatch.fnmatch(n, arguments.only) and n not in done]
    with ThreadPoolExecutor(arguments.workers) as pool:
        for row in pool.map(separately, names):
            rows.append(row)
            show(row)
            if arguments.json:
                with arguments.json.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    whole = [r for r in rows if "error" not in r]
    checked, safe = (sum(r["widened"][k] for r in whole) for k in ("checked", "safe"))
    rules = Counter(w["rule"] for r in whole for w in r["widened"]["warnings"])
    print(
        f"{len(whole)} of {len(rows)} architectures analysed; {safe} of {checked} operators proved safe; {dict(rules)}"
    )


if __name__ == "__main__":
    main()
