"""Attention and transformers of torch.nn over random sizes: what PyTorch gives and refuses, tracing does."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import torch\nfrom torch import nn\n"
COUNT = 120  # random programs of each kind


def held_against_torch(text: str, tmp_path: Path, results: tuple[str, ...]) -> bool:
    """Whether PyTorch runs the program; tracing must know each of its results, or refuse what PyTorch refuses."""
    scope: dict[str, Any] = {}
    program = HEAD + text
    try:
        exec(program, scope)
    except (RuntimeError, AssertionError, ValueError):
        shared = explore(tmp_path, "net.py", ast.parse(program), Versions())
        assert [p for p in shared.problems.values() if p.level == "error" and p.certain], text
        return False
    first = program.count("\n") + 1
    program += "".join(f"r{i} = {result}\n" for i, result in enumerate(results))
    shared = explore(tmp_path, "net.py", ast.parse(program), Versions())
    assert not shared.problems, text
    for place, result in enumerate(results):
        found = [t for (_, line, _), tensors in shared.assigned.items() if line == first + place for t in tensors]
        real = eval(result, scope)
        if real is None:
            assert not found, text
        else:
            assert [(t.dims, t.dtype) for t in found] == [(tuple(real.shape), "float32")], text
    return True


def spoiled(draw: random.Random, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Sometimes a size that does not fit, or a dimension too many."""
    if draw.random() < 0.06:
        at = draw.randrange(len(sizes))
        return (*sizes[:at], sizes[at] + 1, *sizes[at + 1 :])
    return (*sizes, 1) if draw.random() < 0.01 else sizes


def made(draw: random.Random, *sizes: int) -> str:
    return f"torch.rand({spoiled(draw, sizes)})"


def mask(draw: random.Random, *sizes: int) -> str:
    if draw.random() < 0.5:
        return "None"
    shape = spoiled(draw, sizes)
    return draw.choice((f"torch.zeros({shape})", f"torch.zeros({shape}, dtype=torch.bool)"))


def attention(draw: random.Random) -> str:
    heads, queries, keys, batch = (draw.randrange(1, 4) for _ in range(4))
    width = heads * draw.randrange(1, 3) + (draw.random() < 0.05)
    first, single, other = (draw.random() < 0.5 for _ in range(3))
    key_width, value_width = (draw.randrange(1, 5), draw.randrange(1, 5)) if other else (width, width)

    def rows(count: int, size: int) -> str:
        return made(draw, *((count, size) if single else (batch, count, size) if first else (count, batch, size)))

    flags = "".join(f", {flag}=True" for flag in ("add_bias_kv", "add_zero_attn") if draw.random() < 0.3)
    widths = f", kdim={key_width}, vdim={value_width}" if other else ""
    row = batch if not single else 1
    seen = mask(draw, queries, keys) if draw.random() < 0.5 else mask(draw, row * heads, queries, keys)
    padding = mask(draw, *((keys,) if single else (batch, keys)))
    asked = draw.choice(("", ", need_weights=False", ", average_attn_weights=False", ", is_causal=True"))
    return (
        f"m = nn.MultiheadAttention({width}, {heads}, batch_first={first}{flags}{widths})\n"
        f"y = m({rows(queries, width)}, {rows(keys, key_width)}, {rows(keys, value_width)}, "
        f"attn_mask={seen}, key_padding_mask={padding}{asked})\n"
    )


def transformer(draw: random.Random) -> str:
    heads, longer, shorter, batch = (draw.randrange(1, 4) for _ in range(4))
    width = heads * draw.randrange(1, 3) + (draw.random() < 0.04)
    first, single = (draw.random() < 0.5 for _ in range(2))
    kind = draw.choice(("EncoderLayer", "Encoder", "DecoderLayer", "Decoder", ""))

    def rows(count: int) -> str:
        return made(draw, *((count, width) if single else (batch, count, width) if first else (count, batch, width)))

    def square(queries: int, keys: int) -> str:
        three = draw.random() < 0.3
        return mask(draw, (1 if single else batch) * heads, queries, keys) if three else mask(draw, queries, keys)

    def padding(keys: int) -> str:
        return mask(draw, *((keys,) if single else (batch, keys)))

    settings = f"{width}, {heads}, batch_first={first}"
    inner = f"nn.Transformer{kind.replace('Layer', '')}Layer({settings}, dim_feedforward=4)"
    layers = "" if kind.endswith("Layer") or not kind else f"nn.Transformer{kind}({inner}, 2)"
    if kind.startswith("Encoder"):
        name = "src_mask" if kind.endswith("Layer") else "mask"
        given = f"{rows(longer)}, {name}={square(longer, longer)}, src_key_padding_mask={padding(longer)}"
        return f"m = {layers or inner}\ny = m({given})\n"
    masks = (
        f"tgt_mask={square(shorter, shorter)}, memory_mask={square(shorter, longer)}, "
        f"tgt_key_padding_mask={padding(shorter)}, memory_key_padding_mask={padding(longer)}"
    )
    if kind:
        return f"m = {layers or inner}\ny = m({rows(shorter)}, {rows(longer)}, {masks})\n"
    made_of = f"nn.Transformer({settings}, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=4)"
    return (
        f"m = {made_of}\ny = m({rows(longer)}, {rows(shorter)}, src_mask={square(longer, longer)}, {masks}, "
        f"src_key_padding_mask={padding(longer)})\n"
    )


def test_attention_gives_and_refuses_what_torch_does(tmp_path: Path) -> None:
    draw = random.Random(3)
    ran = [held_against_torch(attention(draw), tmp_path, ("y[0]", "y[1]")) for _ in range(COUNT)]
    assert COUNT // 4 < sum(ran) < COUNT


def test_transformers_give_and_refuse_what_torch_does(tmp_path: Path) -> None:
    draw = random.Random(4)
    ran = [held_against_torch(transformer(draw), tmp_path, ("y",)) for _ in range(COUNT)]
    assert COUNT // 4 < sum(ran) < COUNT


@pytest.mark.parametrize(
    "call",
    [
        "nn.MultiheadAttention(4, 2)(x(3, 2, 4).long(), x(3, 2, 4), x(3, 2, 4))",
        "nn.MultiheadAttention(4, 2)(x(3, 2, 4), x(3, 2, 4), x(3, 2, 4), attn_mask=x(3, 3).int())",
        "nn.TransformerEncoderLayer(4, 2)(x(3, 2, 4).long())",
        "nn.Transformer(4, 2)(x(3, 2, 4), x(3, 3, 4))",
    ],
)
def test_what_attention_refuses_of_types_and_batches(tmp_path: Path, call: str) -> None:
    text = f"{HEAD}x = torch.ones\ny = {call}\n"
    with pytest.raises((RuntimeError, AssertionError)):
        exec(text, {})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error" and p.certain] == [4]


def test_a_mask_that_is_left_aside_for_a_causal_one_may_have_any_size(tmp_path: Path) -> None:
    text = (
        "m = nn.MultiheadAttention(4, 2)\nx = torch.ones(3, 2, 4)\n"
        "y = m(x, x, x, attn_mask=torch.zeros(5, 5), need_weights=False, is_causal=True)\n"
    )
    assert held_against_torch(text, tmp_path, ("y[0]",))
