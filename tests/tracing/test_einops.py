"""einops by its patterns: the same verdicts and shapes as the library itself gives on arrays."""

from __future__ import annotations

import random
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore, read_source

HEAD = """
import torch, torch.nn as nn
from einops import rearrange, repeat, reduce, einsum, pack, unpack, parse_shape
from einops.layers.torch import Rearrange, Reduce
"""


def problems(tmp_path: Path, source: str) -> list[Diagnostic]:
    file = tmp_path / "train.py"
    file.write_text(HEAD + dedent(source))
    _, tree = read_source(file, tmp_path)
    return list(explore(tmp_path, "train.py", tree, Versions()).problems.values())


FITS = {
    "products beside an ellipsis": """
        x = einsum(torch.zeros(2, 3, 4), torch.zeros(5, 4, 6), "... dim, p dim out -> p ... out")
        x + torch.zeros(5, 2, 3, 6)""",
    "reductions that repeat": """
        many = Reduce("b ... -> (b s) ...", reduction="repeat", s=4)(torch.zeros(2, 3)) + torch.zeros(8, 3)
        reduce(many, "(b s) d -> b s d", "rearrange", s=4) + torch.zeros(2, 4, 3)""",
    "numbers": """torch.zeros(8, 3, 2, 2).copy_(repeat(torch.zeros(2, 3, 2), "o c h -> (o 4) c h 2"))
reduce(torch.zeros(8, 3), "(o 4) c -> o c", "mean") + torch.zeros(2, 3)""",
    "attention": """
        q = torch.zeros(2, 10, 64)
        q = rearrange(q, "b n (h d) -> b h n d", h=8)
        assert_shape = nn.Linear(8, 3)(q)
        back = nn.Linear(64, 3)(rearrange(q, "b h n d -> b n (h d)"))
        """,
    "patches": """
        net = nn.Sequential(Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=4, p2=4), nn.Linear(48, 16))
        x = torch.cat((repeat(torch.zeros(1, 1, 16), "1 n d -> b n d", b=2), net(torch.zeros(2, 3, 8, 8))), 1)
        nn.Linear(5, 2)(x.transpose(1, 2))
        """,
    "ellipsis": """
        x = rearrange(torch.zeros(2, 3, 4, 5), "... h w -> ... (h w)")
        nn.Linear(20, 2)(x)
        """,
    "ellipsis in brackets": """
        x = rearrange(torch.zeros(2, 3, 4, 5), "b ... d -> b (...) d")
        y = einsum(x, torch.zeros(2, 7, 5), "b i d, b j d -> b i j")
        nn.Linear(7, 2)(y)
        nn.Linear(12, 2)(reduce(torch.zeros(2, 3, 4), "... -> (...)", "max")[:12])
        """,
    "reduce": """
        x = reduce(torch.zeros(2, 3, 8, 8), "b c (h p) (w q) -> b c h w", "max", p=2, q=2)
        nn.Linear(3, 2)(reduce(x, "b c h w -> b c", "mean"))
        """,
    "einsum": """
        a = einsum(torch.zeros(2, 5, 8), torch.zeros(2, 7, 8), "b i d, b j d -> b i j")
        nn.Linear(7, 2)(a)
        """,
    "pack": """
        x, shapes = pack([torch.zeros(2, 8), torch.zeros(2, 3, 8), torch.zeros(2, 4, 5, 8)], "b * d")
        a, b, c = unpack(nn.Linear(8, 6)(x), shapes, "b * d")
        nn.Linear(6, 2)(c)[:, 3, 4]
        nn.Linear(24, 6)(torch.zeros(1, x.shape[1]))
        """,
    "parse_shape": """
        sizes = parse_shape(torch.zeros(2, 3, 4), "b _ n")
        nn.Linear(4, 2)(torch.zeros(1, sizes["n"]))
        """,
}
FAILS = {
    "ellipsis": ("""einsum(torch.zeros(2, 3, 4), torch.zeros(5, 6), "... d, d e -> ... e")""", "4"),
    "number": ("""rearrange(torch.zeros(8, 3), "(o 4) c -> o c")""", "axis 4 of the input is missing"),
    "rank": ("""rearrange(torch.zeros(2, 3), "b c h -> b h c")""", "3 dimensions but the input has 2"),
    "division": ("""rearrange(torch.zeros(2, 10, 65), "b n (h d) -> b h n d", h=8)""", "not a multiple of 8"),
    "length": ("""rearrange(torch.zeros(2, 10), "b n -> n b", n=9)""", "(n) is 9 but the dimension has 10"),
    "dropped": ("""rearrange(torch.zeros(2, 10), "b n -> b")""", "axis n of the input is missing"),
    "new": ("""rearrange(torch.zeros(2, 10), "b n -> b n c")""", "axis c of the result is not an axis"),
    "unknown length": ("""rearrange(torch.zeros(2, 10), "b n -> n b", k=3)""", "no axis k"),
    "two unknown": ("""rearrange(torch.zeros(2, 10), "b (n m) -> b n m")""", "cannot be inferred"),
    "layer": ("""nn.Sequential(Rearrange("b c h w -> b (c h w)"), nn.Linear(10, 2))(torch.zeros(1, 3, 4, 4))""", "48"),
    "einsum": ("""einsum(torch.zeros(2, 5), torch.zeros(4, 3), "i j, j k -> i k")""", "axis j is 5 in one input and 4"),
    "after an ellipsis in brackets": (
        """nn.Linear(13, 2)(rearrange(torch.zeros(2, 3, 4, 5), "b ... d -> b d (...)"))""",
        "12",
    ),
    "after": ("""nn.Linear(65, 2)(rearrange(torch.zeros(2, 8, 10, 8), "b h n d -> b n (h d)"))""", "64"),
    "contradiction": (
        """
def f(x):
    y = rearrange(x, "b n (h d) -> b h n d", h=8)
    return nn.Linear(60, 2)(x)
""",
        "60",
    ),
}


@pytest.mark.parametrize("name", FITS)
def test_what_fits_is_silent(tmp_path: Path, name: str) -> None:
    found = problems(tmp_path, FITS[name])
    assert not found, [(p.rule, p.site.line, p.message) for p in found]


@pytest.mark.parametrize("name", FAILS)
def test_what_einops_refuses_is_an_error(tmp_path: Path, name: str) -> None:
    source, words = FAILS[name]
    errors = [p for p in problems(tmp_path, source) if p.level == "error"]
    assert len(errors) == 1
    assert words in errors[0].message + " ".join(errors[0].sentences)
    assert errors[0].certain


def _random_call(rng: random.Random) -> tuple[str, tuple[int, ...], str, dict[str, int]]:
    """A call of rearrange, repeat or reduce: often right, sometimes with one number or name wrong."""
    names = list("abcdef")[: rng.randint(2, 4)]
    sizes = {n: rng.choice((1, 2, 3, 4)) for n in names}
    order, left = list(names), []
    while order:
        left.append([order.pop(0) for _ in range(min(len(order), rng.choice((1, 1, 2))))])
    shape = tuple(_product(sizes[n] for n in group) for group in left)
    given = {n: sizes[n] for group in left for n in group[1:]}
    kind = rng.choice(("rearrange", "repeat", "reduce"))
    result = list(names)
    rng.shuffle(result)
    if kind == "repeat":
        result.insert(rng.randrange(len(result) + 1), "z")
        given["z"] = 2
    elif kind == "reduce":
        result.pop()
    if rng.random() < 0.2 and given:
        given[rng.choice(list(given))] += 1
    if rng.random() < 0.1:
        result.append("y")
    if rng.random() < 0.1:
        shape = (*shape, 2)
    right = " ".join([*result[:-2], f"({' '.join(result[-2:])})"] if rng.random() < 0.5 and len(result) > 2 else result)
    pattern = " ".join(f"({' '.join(g)})" if len(g) > 1 else g[0] for g in left) + " -> " + right
    return kind, shape, pattern, given


def _product(numbers: object) -> int:
    result = 1
    for number in numbers:  # type: ignore[attr-defined]
        result *= number
    return result


def test_random_patterns_agree_with_the_library(tmp_path: Path) -> None:
    einops = pytest.importorskip("einops")
    numpy = pytest.importorskip("numpy")
    rng = random.Random(20)
    failed = 0
    for _ in range(150):
        kind, shape, pattern, given = _random_call(rng)
        options = "".join(f", {k}={v}" for k, v in given.items())
        extra = ', "mean"' if kind == "reduce" else ""
        text = f"{kind}(torch.zeros({shape!r}), {pattern!r}{extra}{options})"
        try:
            arguments = (numpy.zeros(shape), pattern, *(("mean",) if kind == "reduce" else ()))
            wanted = getattr(einops, kind)(*arguments, **given).shape
        except einops.EinopsError:
            wanted = None
            failed += 1
        known = (
            "" if wanted is None else f"\nnn.Linear({wanted[-1] if wanted else 1}, 2)(y)\ny.reshape({_product(wanted)})"
        )
        found = [p.message for p in problems(tmp_path, f"y = {text}{known if wanted else ''}\n") if p.level == "error"]
        assert bool(found) is (wanted is None), (text, wanted, found)
    assert 20 < failed < 130


@pytest.mark.parametrize("pattern", ["b h qh d -> b qh) (h d", "b (h qh d -> b h qh d"])
def test_a_pattern_whose_brackets_do_not_match_is_refused(tmp_path: Path, pattern: str) -> None:
    (found,) = problems(tmp_path, f"rearrange(torch.zeros(2, 3, 4, 5), {pattern!r})")
    assert (found.level, found.certain) == ("error", True)
    assert "is no pattern" in found.message


@pytest.mark.parametrize("wrong", [False, True])
def test_tensors_of_a_list_have_one_shape(tmp_path: Path, wrong: bool) -> None:
    pattern = "w -> w h" if wrong else "w -> h w"
    text = f"""import torch, einops
a = einops.repeat(torch.zeros(6), "h -> h w", w=4)
b = einops.repeat(torch.zeros(4), "{pattern}", h=6)
einops.rearrange([a, b], "freq h w -> h w freq")
"""
    try:
        exec(text, {})
        fails = False
    except Exception:
        fails = True
    assert fails is wrong
    (tmp_path / "main.py").write_text(text)
    _, tree = read_source(tmp_path / "main.py", tmp_path)
    shared = explore(tmp_path, "main.py", tree, Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == ([4] if wrong else [])
