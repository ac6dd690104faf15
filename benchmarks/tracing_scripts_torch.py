"""Random PyTorch scripts: see `tracing_scripts`."""

from __future__ import annotations

import random
from typing import Any

from tracing_scripts import Draw, Step, StepMaker, Text, applied, chain, inline

HEAD = ("import argparse", "import torch", "import torch.nn as nn", "import torch.nn.functional as F", "")


# Layers of zero features or channels are left out: torch takes them with a warning, Assay calls them an illegal value.


def layer(text: str) -> Step:
    return Step("{l}({x})", text, plain=True)


# ------------------------------------------------------------------------------------------- steps, by rank


def conv2d(d: Draw) -> Step | None:
    if len(d.shape) not in (3, 4) or d.shape[-3] == 0:
        return None
    channels = d.shape[-3]
    kernel = d.pick(1, 2, 3, 3, 5, "(3, 1)")
    groups = d.pick(1, 1, 1, channels, 2)
    out = groups * d.pick(1, 2, 3) if not d.slip() else groups + 1
    more = d.pick("", "", ", stride=2", ", padding=1", ", padding='same'", ", dilation=2", ", stride=2, padding=1")
    return layer(f"nn.Conv2d({d.off(channels)}, {out}, {kernel}{more}{f', groups={groups}' if groups > 1 else ''})")


def conv_transpose(d: Draw) -> Step | None:
    if len(d.shape) != 4 or 0 in d.shape:
        return None
    return layer(
        f"nn.ConvTranspose2d({d.off(d.shape[1])}, {d.pick(2, 4)}, {d.pick(2, 3, 4)}, stride={d.pick(1, 2)}, "
        f"padding={d.pick(0, 1)}{d.pick('', ', output_padding=1')})"
    )


def conv1d(d: Draw) -> Step | None:
    if len(d.shape) != 3 or d.shape[1] == 0:
        return None
    return layer(
        f"nn.Conv1d({d.off(d.shape[1])}, {d.pick(3, 4, 6)}, {d.pick(1, 3, 5)}{d.pick('', ', padding=1', ', stride=2')})"
    )


def pool(d: Draw) -> Step | None:
    if len(d.shape) not in (3, 4):
        return None
    n = len(d.shape) - 2 if len(d.shape) == 3 else 2
    kind = d.pick("MaxPool", "AvgPool")
    text = f"nn.{kind}{n}d({d.pick(2, 2, 3)}{d.pick('', ', stride=1', ', padding=1', ', ceil_mode=True')})"
    return Step("{l}({x})", text, plain=True, again=True)


def adaptive(d: Draw) -> Step | None:
    if len(d.shape) != 4 or 0 in d.shape:
        return None
    return layer(f"nn.AdaptiveAvgPool2d({d.pick(1, 2, '(2, 3)', '(None, 2)')})")


def norm(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank not in (2, 3, 4) or 0 in d.shape:
        return None
    n = 2 if rank == 4 else 1
    if d.slip():
        n = 3 - n
    kind = d.pick("BatchNorm", "BatchNorm", "InstanceNorm", "GroupNorm", "LayerNorm")
    if kind == "LayerNorm":
        return layer(f"nn.LayerNorm({d.pick(d.off(d.shape[-1]), [d.off(v) for v in d.shape[1:]])})")
    if kind == "GroupNorm":
        groups = d.pick(1, d.shape[1], d.off(1))
        return layer(f"nn.GroupNorm({groups}, {d.off(d.shape[1])})")
    if kind == "InstanceNorm" and rank == 2:
        return None
    affine = ", affine=True" if kind == "InstanceNorm" else ""
    return layer(f"nn.{kind}{n}d({d.off(d.shape[1])}{affine})" + ".eval()")


def linear(d: Draw) -> Step | None:
    if not d.shape or d.shape[-1] == 0:
        return None
    return layer(f"nn.Linear({d.off(d.shape[-1])}, {d.pick(2, 3, 5, 8)}{d.pick('', ', bias=False')})")


def activation(d: Draw) -> Step | None:
    name = d.pick(
        "nn.ReLU()", "nn.GELU()", "nn.Dropout(0.5)", "nn.LeakyReLU(0.1)", "nn.Tanh()", "nn.Identity()", "nn.Sigmoid()"
    )
    return Step("{l}({x})", name, plain=True, again=True)


def recurrent(d: Draw) -> Step | None:
    if len(d.shape) not in (2, 3) or d.shape[-1] == 0:
        return None
    kind = d.pick("LSTM", "GRU", "RNN")
    more = d.pick("", ", batch_first=True", ", num_layers=2, batch_first=True", ", bidirectional=True")
    return Step("{l}({x})[0]", f"nn.{kind}({d.off(d.shape[-1])}, {d.pick(3, 4)}{more})")


def attention(d: Draw) -> Step | None:
    if len(d.shape) != 3 or 0 in d.shape:
        return None
    width = d.shape[-1]
    heads = d.pick(1, *[h for h in (2, 3, 4) if width % h == 0]) if not d.slip() else d.pick(2, 3, 5)
    if d.pick(True, False):
        return Step("{l}({x}, {x}, {x})[0]", f"nn.MultiheadAttention({d.off(width)}, {heads}, batch_first=True)")
    return layer(f"nn.TransformerEncoderLayer({d.off(width)}, {heads}, dim_feedforward=8, batch_first=True)")


def upsample(d: Draw) -> Step | None:
    if len(d.shape) != 4 or min(d.shape) == 0:
        return None
    return d.pick(
        layer("nn.Upsample(scale_factor=2)"),
        Step("F.interpolate({x}, scale_factor=2, mode='bilinear')"),
        Step(f"F.interpolate({{x}}, size=({d.pick(2, 4)}, 3))"),
        layer(f"nn.PixelShuffle({d.pick(1, 2)})"),
        layer(f"nn.ZeroPad2d({d.pick(1, '(1, 0, 2, 1)')})"),
        layer(f"nn.ReflectionPad2d({d.pick(1, 2)})"),
        Step(f"F.pad({{x}}, {d.pick((1, 1), (1, 0, 2, 2), (0, -1))})"),
    )


def unfold(d: Draw) -> Step | None:
    if len(d.shape) != 4 or 0 in d.shape:
        return None
    return layer(f"nn.Unfold({d.pick(2, 3)}, stride={d.pick(1, 2)})")


# --------------------------------------------------------------------------------------- steps on any tensor


def _spoilt(d: Draw, dims: list[int]) -> list[int]:
    return [d.off(v) for v in dims]


def reshape(d: Draw) -> Step | None:
    shape = list(d.shape)
    how = d.pick("view", "reshape")
    if not shape:
        return Step(f"{{x}}.{how}({d.pick(1, '-1', '1, 1')})")
    kind = d.pick("flat", "merge", "split", "swap", "rows", "infer", "strided")
    if kind == "strided":
        if len(shape) < 2:
            return None
        text = d.pick(
            f"{{x}}.transpose({d.axis(len(shape))}, 0).view(-1)",
            f"{{x}}.transpose(0, 1).{d.pick('view', 'reshape', 'contiguous().view')}({shape[1]}, -1)",
            f"{{x}}[..., ::2].view({shape[0]}, -1)",
            "{x}[:, 1:].view(-1)",
            "{x}[1:].view(-1)",
            f"{{x}}.permute({', '.join(map(str, reversed(range(len(shape)))))}).view(-1, {shape[0]})",
            f"{{x}}.unsqueeze(1).expand({shape[0]}, 2, {', '.join(map(str, shape[1:]))}).view({2 * shape[0]}, -1)",
            f"{{x}}.chunk(2, dim=1)[0].view({shape[0]}, -1)",
            f"({{x}} * 2).transpose(0, 1).view({shape[1]}, -1)",
        )
        return None if 0 in shape else Step(text)
    if kind == "flat":
        dims: list[Any] = [-1]
    elif kind == "merge" and len(shape) > 1:
        i = d.rng.randrange(len(shape) - 1)
        dims = [*shape[:i], d.off(shape[i] * shape[i + 1], 0), *shape[i + 2 :]]
    elif kind == "split":
        i = d.rng.randrange(len(shape))
        factor = d.pick(1, 2, 3)
        dims = [*shape[:i], factor, shape[i] // factor, *shape[i + 1 :]]
    elif kind == "rows":
        rest = 1
        for v in shape[1:]:
            rest *= v
        dims = ["x.size(0)" if not d.slip() else "-1", d.pick(-1, d.off(rest, 0))]
    elif kind == "infer":
        dims = [*_spoilt(d, shape[:-1]), -1]
    else:
        dims = shape[::-1]
    text = ", ".join(map(str, dims)).replace("x.size", "{x}.size")
    return Step(f"{{x}}.{how}({text})" if d.pick(True, False) else f"{{x}}.{how}(({text},))")


def layout(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank < 2:
        return None
    order = list(range(rank))
    d.rng.shuffle(order)
    if d.slip():
        order[0] = order[-1]
    more = d.pick("", "", ".contiguous()")
    return Step(
        d.pick(
            f"{{x}}.transpose({d.axis(rank)}, {d.axis(rank)}){more}",
            f"{{x}}.permute({', '.join(map(str, order))}){more}",
            f"torch.permute({{x}}, {tuple(order)}){more}",
            f"torch.movedim({{x}}, {d.axis(rank)}, {d.axis(rank)}){more}",
            "{x}.mT",
            "{x}.t()" if rank == 2 or d.slip() else "{x}.transpose(0, 1)",
            f"{{x}}.swapaxes({d.axis(rank)}, {d.axis(rank)})",
        )
    )


def rank_change(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank > 5:
        return None
    end = d.pick(-1, rank - 1) if rank else -1
    start = d.pick(0, 1, min(2, max(0, rank - 1)))
    return Step(
        d.pick(
            f"{{x}}.unsqueeze({d.rng.randrange(-rank - 1, rank + 1) if not d.slip() else rank + 1})",
            f"{{x}}.squeeze({d.axis(rank) if rank else 0})",
            "{x}.squeeze()",
            f"{{x}}.flatten({start}{d.pick('', f', {end}')})",
            f"torch.flatten({{x}}, {start})",
            "{x}[None]",
            "{x}[..., None]",
            f"{{x}}.unflatten({d.axis(rank) if rank else 0}, ({d.pick(1, 2)}, -1))",
            f"torch.stack([{{x}}, {{x}}], dim={d.rng.randrange(-rank - 1, rank + 1)})",
        )
    )


def index(d: Draw) -> Step | None:
    rank = len(d.shape)
    if not rank:
        return Step("{x}[0]") if d.slip() else None
    first = d.shape[0]
    at = d.rng.randrange(first) if first and not d.slip() else first
    low, high = sorted((d.rng.randrange(first + 2), d.rng.randrange(first + 2)))
    last = d.shape[-1]
    return Step(
        d.pick(
            f"{{x}}[{at}]" if rank > 1 else "{x}[:]",
            f"{{x}}[{low}:{high}]",
            "{x}[1:]",
            "{x}[:-1]",
            "{x}[::2]",
            "{x}[..., ::2]",
            f"{{x}}[..., {d.rng.randrange(-last, last) if last and not d.slip() else last}]",
            "{x}[:, 1:]" if rank > 1 or d.slip() else "{x}[1:]",
            f"{{x}}[{', '.join([':'] * (rank if not d.slip() else rank + 1))}]",
            f"{{x}}[torch.tensor([0, {max(0, first - 1)}])]" if first else "{x}[:0]",
            f"{{x}}.narrow({d.rng.randrange(rank)}, 0, {d.off(min(d.shape), 0)})",
            f"{{x}}.select({d.axis(rank)}, {0 if not d.slip() else 99})" if min(d.shape) else "{x}[:0]",
            f"{{x}}.index_select({d.axis(rank)}, torch.tensor([0, 0, 0]))" if min(d.shape) else "{x}[:0]",
        )
    )


def pieces(d: Draw) -> Step | None:
    rank = len(d.shape)
    if not rank:
        return None
    axis = d.rng.randrange(rank)
    length = d.shape[axis]
    parts = d.pick(1, 2, 3)
    return Step(
        d.pick(
            f"{{x}}.chunk({parts}, dim={axis})[{d.pick(0, -1, parts - 1)}]",
            f"{{x}}.split({max(1, d.off(length // 2))}, dim={axis})[{d.pick(0, -1)}]" if length else "{x}.clone()",
            f"torch.split({{x}}, [{d.pick(0, 1)}, {max(0, d.off(length - 1, 0))}], dim={axis})[0]",
            f"{{x}}.unbind({axis})[{d.pick(0, -1)}]" if length else "{x}.clone()",
            f"torch.cat({{x}}.chunk(2, dim={axis}), dim={d.axis(rank)})",
        )
    )


def combine(d: Draw) -> Step | None:
    rank = len(d.shape)
    other = [d.off(v, 0) for v in d.shape]
    axis = d.rng.randrange(rank) if rank else 0
    joined = [d.pick(0, 1, 2) if i == axis else v for i, v in enumerate(other)]
    wide = [d.pick(1, v) for v in other][d.pick(0, 0, min(1, rank)) :]
    sign = d.pick("+", "*", "-", "/")
    return Step(
        d.pick(
            f"torch.cat([{{x}}, torch.zeros({_numbers(joined)})], dim={axis})" if rank else "{x} + 1",
            f"{{x}} {sign} torch.ones({_numbers(wide)})" if wide else "{x} * 2",
            f"torch.add({{x}}, torch.ones({_numbers(other)}))" if rank else "{x} - 1",
            f"torch.maximum({{x}}, torch.zeros({_numbers(wide)}))" if wide else "-{x}",
            f"torch.where({{x}} > 0, {{x}}, torch.zeros({_numbers(wide)}))" if wide else "{x}.abs()",
            f"torch.stack([{{x}}, torch.zeros({_numbers(other)})], dim=0)" if rank and rank < 5 else "{x} / 2",
            "{x} + {x}",
        )
    )


def _numbers(dims: list[int]) -> str:
    return ", ".join(map(str, dims))


def spread(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank > 4:
        return None
    wide = [d.pick(2, 3) if v == 1 else d.pick(v, -1, d.off(v)) for v in d.shape]
    return Step(
        d.pick(
            f"{{x}}.expand({_numbers([d.pick(1, 2), *wide])})",
            f"{{x}}.expand({_numbers(wide)})" if wide else "{x}.clone()",
            f"{{x}}.repeat({_numbers([d.pick(1, 2) for _ in range(rank + d.pick(0, 0, 1))] or [2])})"
            if not d.slip() or rank < 2
            else f"{{x}}.repeat({_numbers([2] * (rank - 1))})",
            f"{{x}}.repeat_interleave(2, dim={d.axis(rank) if rank else 0})",
            f"torch.tile({{x}}, ({d.pick(1, 2)}, 2))",
        )
    )


def reduction(d: Draw) -> Step | None:
    rank = len(d.shape)
    if not rank:
        return None
    axis = d.axis(rank)
    keep = d.pick("", ", keepdim=True")
    return Step(
        d.pick(
            f"{{x}}.mean({axis}{keep})",
            f"{{x}}.sum(dim={axis}{keep})",
            f"torch.sum({{x}}, dim=({axis},){keep})",
            f"{{x}}.mean(dim=(0, -1){keep})",
            f"{{x}}.max(dim={axis}{keep})[0]",
            f"{{x}}.max({axis}{keep}).values",
            f"{{x}}.argmax({axis}).float()",
            f"torch.amax({{x}}, {axis}{keep})",
            f"{{x}}.std({axis}{keep})",
            f"{{x}}.norm(dim={axis}{keep})",
            f"torch.logsumexp({{x}}, {axis}{keep})",
            f"{{x}}.cumsum({axis})",
            f"F.softmax({{x}}, dim={axis})",
            f"F.log_softmax({{x}}, dim={axis})",
            f"F.normalize({{x}}, dim={axis})",
            f"{{x}}.topk({d.off(1)}, dim={axis})[0]",
            f"{{x}}.sort({axis})[0]",
            f"torch.flip({{x}}, [{axis}])",
            f"{{x}}.roll(1, {axis})",
        )
    )


def product(d: Draw) -> Step | None:
    rank = len(d.shape)
    if not rank:
        return None
    last = d.shape[-1]
    out = d.pick(2, 3)
    options = [f"{{x}} @ torch.zeros({d.off(last, 0)}, {out})", f"{{x}}.matmul(torch.zeros({d.off(last, 0)}))"]
    if rank == 2:
        options += [
            f"torch.mm({{x}}, torch.zeros({d.off(last, 0)}, {out}))",
            f"F.linear({{x}}, torch.zeros({out}, {d.off(last, 0)}))",
            f"torch.einsum('ij,jk->ik', {{x}}, torch.zeros({d.off(last, 0)}, {out}))",
            "{x} @ {x}.t()",
        ]
    if rank == 3:
        options += [
            f"torch.bmm({{x}}, torch.zeros({d.off(d.shape[0], 0)}, {d.off(last, 0)}, {out}))",
            "torch.bmm({x}, {x}.transpose(1, 2))",
            "{x} @ {x}.transpose(-1, -2)",
            f"torch.einsum('bij,jk->bik', {{x}}, torch.zeros({d.off(last, 0)}, {out}))",
            "torch.einsum('bij,bkj->bik', {x}, {x})" if not d.slip() else "torch.einsum('bij,bjk->bik', {x}, {x})",
            "torch.bmm({x}, {x})" if d.slip() else "F.scaled_dot_product_attention({x}, {x}, {x})",
        ]
    elif d.slip():
        options = ["torch.bmm({x}, {x})"]
    return Step(d.rng.choice(options))


def lookup(d: Draw) -> Step | None:
    if len(d.shape) > 3:
        return None
    return Step(
        d.pick("{l}({x}.long().clamp(0, 3))", "{l}({x})" if d.slip() else "{l}({x}.int().clamp(0, 3))"),
        f"nn.Embedding(4, {d.pick(3, 4)})",
    )


def kind_of_number(d: Draw) -> Step | None:
    """Integers where floats are wanted."""
    if not d.shape or not d.slip() or 0 in d.shape:
        return Step("{x}.float()")
    kind = d.pick("{x}.long()", "{x}.double()", "({x} > 0)")
    return d.pick(
        Step(f"{{l}}({kind})", f"nn.Linear({d.shape[-1]}, 2)"),
        Step(f"{kind} @ torch.zeros({d.shape[-1]}, 2)"),
        Step(f"{kind}.sum() + {{x}}"),
        Step(f"{kind}.float()"),
    )


STEPS: tuple[StepMaker, ...] = (
    conv2d, conv2d, conv_transpose, conv1d, pool, pool, adaptive, norm, norm, linear, linear, activation, recurrent,
    attention, upsample, unfold, reshape, reshape, layout, layout, rank_change, rank_change, index, pieces, combine,
    combine, spread, reduction, product, product, lookup, kind_of_number,
)  # fmt: skip


# ---------------------------------------------------------------------------------------------------- layouts


def script(seed: int) -> str:
    """The text of one random script; about half of them are careless."""
    rng = random.Random(seed)
    draw = Draw(rng, rng.random() < 0.55)
    import torch

    torch.manual_seed(0)
    shape = rng.choice(
        [(2, 3, 8, 8), (1, 4, 6, 9), (4, 1, 12, 12), (2, 5, 4), (3, 6), (1, 1), (4, 4), (6,), (0, 3), (2, 3, 6, 6)]
    )
    environment: dict[str, Any] = {}
    exec("\n".join(HEAD), environment)
    start = f"x = torch.{rng.choice(['zeros', 'randn', 'ones'])}({', '.join(map(str, shape))})"
    with torch.no_grad():
        steps = chain(draw, STEPS, environment, rng.randint(2, 7), start)
    text = Text(list(HEAD))
    layouts = (
        straight, straight, function, module, module, inherited, sequence, in_loop, branch, flagged, list_of_layers,
    )  # fmt: skip
    layout = rng.choice(layouts)
    if layout is list_of_layers and any(0 in shape for _, shape in steps):
        layout = straight
    layout(text, draw, start, [s for s, _ in steps])
    if 0 not in getattr(environment["x"], "shape", ()):  # a class index needs a class
        ending(text, draw)
    return str(text)


def ending(text: Text, d: Draw) -> None:
    """Sometimes a loss. The shape that was drawn last is only a guess here, which makes more mistakes."""
    if d.rng.random() < 0.3:
        dims = _numbers([d.off(v) for v in d.shape[:1]]) or "1"
        text.add(
            d.pick(
                f"loss = F.cross_entropy(x, torch.zeros({dims}, dtype=torch.long))",
                "loss = F.mse_loss(x, torch.zeros_like(x))",
                f"loss = nn.MSELoss()(x, torch.zeros({dims}))",
                "loss = F.binary_cross_entropy_with_logits(x, torch.zeros(x.shape))",
                f"loss = nn.BCELoss()(torch.sigmoid(x), torch.zeros({dims}, 1))",
                "loss = nn.L1Loss()(x, x.detach())",
            )
        )


def straight(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    text.add(start)
    text.add(*[f"x = {inline(s)}" for s in steps])


def function(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    cut = d.rng.randint(0, len(steps))
    text.add("def transform(x, scale=1.0, *, twice=False):")
    text.add(*[f"x = {inline(s)}" for s in steps[:cut]], "return x * scale", "", indent=1)
    text.add(
        start, d.pick("x = transform(x)", "x = transform(x, scale=2.0)", "x = (lambda v: transform(v, twice=True))(x)")
    )
    text.add(*[f"x = {inline(s)}" for s in steps[cut:]])


def _class(text: Text, name: str, base: str, steps: list[Step], first: int = 0, forward: str = "forward") -> None:
    text.add(f"class {name}({base}):")
    text.add("def __init__(self):", "    super().__init__()", indent=1)
    named = [(f"self.layer{i}", s) for i, s in enumerate(steps, first)]
    text.add(*[f"{n} = {s.layer}" for n, s in named if s.layer], indent=2)
    text.add("", f"def {forward}(self, x):", indent=1)
    text.add(*[f"x = {applied(s, n)}" for n, s in named], "return x", "", indent=2)


def module(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    _class(text, "Net", "nn.Module", steps)
    text.add("", start, "net = Net()", "net.eval()", "x = net(x)")


def inherited(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    cut = d.rng.randint(0, len(steps))
    _class(text, "Base", "nn.Module", steps[:cut], forward="features")
    text.add("    def forward(self, x):", "        return self.head(self.features(x))", "")
    _class(text, "Net", "Base", steps[cut:], first=cut, forward="head")
    text.add("", start, "x = Net()(x)")


def sequence(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    run: list[Step] = []
    text.add(start)

    def close() -> None:
        if len(run) > 1:
            text.add("stack = nn.Sequential(")
            text.add(*[f"    {s.layer},  # member" for s in run])
            text.add(")", "x = stack(x)")
        else:
            text.add(*[f"x = {inline(s)}" for s in run])
        run.clear()

    for step in steps:
        if step.plain:
            run.append(step)
        else:
            close()
            text.add(f"x = {inline(step)}")
    close()


def in_loop(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    text.add(start)
    for step in steps:
        if d.rng.random() < 0.4:
            times = d.pick(1, 2, 3)
            text.add(
                d.pick(
                    f"for _ in range({times}):",
                    f"for i, name in enumerate({list('abc')[:times]}):",
                    f"for k in {[*range(times)]}:",
                )
            )
            text.add(f"x = {inline(step)}", indent=1)
        elif step.again and d.rng.random() < 0.5:
            text.add("n = 0", f"while n < 3 and x.shape[-1] > {d.pick(2, 4)}:")
            text.add(f"x = {inline(step)}", "n += 1", indent=1)
        else:
            text.add(f"x = {inline(step)}")


def branch(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    text.add(start)
    for step in steps:
        if d.rng.random() < 0.5:
            test = d.pick(
                "x.dim() == 4", "x.shape[-1] % 2 == 0", "x.ndim > 2", "len(x.shape) < 4 and x.numel() > 10",
                "x.size(0) == 2", "not x.is_floating_point()", "x.shape[0] != 1 or x.ndim == 3",
            )  # fmt: skip
            other = d.pick("x = x * 2", "pass", "x = x.unsqueeze(0)", "x = torch.flatten(x)")
            text.add(f"if {test}:", f"    x = {inline(step)}", "else:", f"    {other}")
        else:
            text.add(f"x = {inline(step)}")


def flagged(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    """Two switches of the command line: every combination counts."""
    text.add("parser = argparse.ArgumentParser()")
    text.add("parser.add_argument('--one', action='store_true')", "parser.add_argument('--two', action='store_true')")
    text.add("args = parser.parse_args()", start)
    switches = ["args.one", "args.two"]
    for step in steps:
        if switches and d.rng.random() < 0.5:
            other = d.pick("x = x * 2", "x = x + 1", "x = x.unsqueeze(0)", "x = torch.flatten(x)")
            text.add(f"if {switches.pop()}:", f"    x = {inline(step)}", "else:", f"    {other}")
        else:
            text.add(f"x = {inline(step)}")


def list_of_layers(text: Text, d: Draw, start: str, steps: list[Step]) -> None:
    """Widths in a list, layers in a comprehension, applied in a loop with what people do between layers."""
    cut = len(steps) // 2
    text.add(start)
    text.add(*[f"x = {inline(s)}" for s in steps[:cut]])
    widths = [d.pick(2, 3, 4) for _ in range(d.pick(2, 3))]
    text.add(
        "x = x.flatten(1) if x.dim() > 1 else x.reshape(1, -1)",
        f"widths = [x.shape[1], {', '.join(map(str, widths))}]",
        "layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(widths[:-1], widths[1:])])"
        if not d.slip()
        else "layers = nn.ModuleList([nn.Linear(b, a) for a, b in zip(widths[:-1], widths[1:])])",
        "kept = []",
        "for i, one in enumerate(layers):",
    )
    text.add(
        *d.pick(
            ("x = F.relu(one(x))",),
            ("y = one(x)", "x = y if i else torch.cat([y, y], dim=1)[:, :y.shape[1]]"),
            ("x = one(x)", "kept.append(x)"),
            ("x = one(x)", f"if i == {d.pick(0, 1)}:", f"    x = x[:, :{d.pick(2, 3, 9)}]"),
        ),
        indent=1,
    )
    text.add(d.pick("x = torch.cat(kept, dim=1) if kept else x", "x = sum(kept) if kept else x", "x = x.mean(0)"))
