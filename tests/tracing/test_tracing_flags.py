"""Sizes and switches that a user sets: argparse, click, typer, absl and TensorFlow 1 flags, hydra, dataclasses."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import DEFAULT_RUN, Diagnostic
from analyzer.tracing.tracing import explore, read_source


def problems_of(tmp_path: Path, source: str) -> list[Diagnostic]:
    file = tmp_path / "train.py"
    file.write_text(dedent(source))
    _, tree = read_source(file, tmp_path)
    return list(explore(tmp_path, "train.py", tree, Versions()).problems.values())


SIZED = {
    "argparse": """
        import argparse, torch, torch.nn as nn
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("model")
        group.add_argument("--width", type=int, default=32)
        args = parser.parse_args()
        y = nn.Linear(64, 10)(torch.zeros(8, args.width))
        """,
    "argparse in a function": """
        import argparse, torch, torch.nn as nn
        def parse():
            parser = argparse.ArgumentParser(description="train")
            parser.add_argument("-w", "--width", default=32, type=int, help="features")
            return parser.parse_args()
        def main():
            opt = parse()
            y = nn.Linear(64, 10)(torch.zeros(8, opt.width))
        if __name__ == "__main__":
            main()
        """,
    "argparse through vars": """
        import argparse, torch, torch.nn as nn
        parser = argparse.ArgumentParser()
        parser.add_argument("--width", type=int, default=32)
        config = vars(parser.parse_args())
        y = nn.Linear(64, 10)(torch.zeros(8, config["width"]))
        """,
    "click": """
        import click, torch, torch.nn as nn
        @click.command()
        @click.option("--width", default=32, show_default=True, help="features")
        def main(width):
            y = nn.Linear(64, 10)(torch.zeros(8, width))
        if __name__ == "__main__":
            main()
        """,
    "click with a name and a type": """
        import click, torch, torch.nn as nn
        @click.command()
        @click.option("-w", "--width", "width", type=click.INT, default=32)
        def main(width):
            y = nn.Linear(64, 10)(torch.zeros(8, width))
        if __name__ == "__main__":
            main()
        """,
    "typer": """
        import typer, torch, torch.nn as nn
        app = typer.Typer()
        @app.command()
        def main(width: int = typer.Option(32, help="features")):
            y = nn.Linear(64, 10)(torch.zeros(8, width))
        if __name__ == "__main__":
            app()
        """,
    "typer with a plain default": """
        import typer, torch, torch.nn as nn
        def main(width: int = 32):
            y = nn.Linear(64, 10)(torch.zeros(8, width))
        if __name__ == "__main__":
            typer.run(main)
        """,
    "typer with an annotation": """
        from typing import Annotated
        import typer, torch, torch.nn as nn
        def main(width: Annotated[int, typer.Option(help="features")] = 32):
            y = nn.Linear(64, 10)(torch.zeros(8, width))
        typer.run(main)
        """,
    "absl": """
        from absl import app, flags
        import torch, torch.nn as nn
        FLAGS = flags.FLAGS
        flags.DEFINE_integer("width", 32, "features")
        def main(argv):
            y = nn.Linear(64, 10)(torch.zeros(8, FLAGS.width))
        if __name__ == "__main__":
            app.run(main)
        """,
    "absl with a holder": """
        from absl import app, flags
        import torch, torch.nn as nn
        _WIDTH = flags.DEFINE_integer("width", 32, "features")
        def main(argv):
            y = nn.Linear(64, 10)(torch.zeros(8, _WIDTH.value))
        if __name__ == "__main__":
            app.run(main)
        """,
    "TensorFlow 1": """
        import tensorflow as tf
        flags = tf.app.flags
        flags.DEFINE_integer("width", 32, "features")
        FLAGS = tf.app.flags.FLAGS
        def main(_):
            x = tf.zeros([8, FLAGS.width])
            y = tf.matmul(x, tf.zeros([64, 10]))
        if __name__ == "__main__":
            tf.app.run()
        """,
    "environment": """
        import os, torch, torch.nn as nn
        width = int(os.environ.get("width", "32"))
        y = nn.Linear(64, 10)(torch.zeros(8, width))
        """,
    "hydra": """
        import hydra, torch, torch.nn as nn
        @hydra.main(config_path="conf", config_name="config", version_base=None)
        def main(cfg):
            y = nn.Linear(64, 10)(torch.zeros(8, cfg.model.width))
        if __name__ == "__main__":
            main()
        """,
}


@pytest.mark.parametrize("name", SIZED)
def test_a_flag_that_must_have_one_value_is_named(tmp_path: Path, name: str) -> None:
    found = problems_of(tmp_path, SIZED[name])
    if name == "hydra":  # without the file that holds its default nothing can be said of the default run
        assert [p.level for p in found] == ["warning"]
        (tmp_path / "conf" / "model").mkdir(parents=True)
        (tmp_path / "conf" / "config.yaml").write_text("defaults:\n  - model: small\n  - _self_\nsize: 32\n")
        (tmp_path / "conf" / "model" / "small.yaml").write_text("width: ${size}\n")
        found = problems_of(tmp_path, SIZED[name])
    (error,) = found
    assert (error.rule, error.level, error.tier) == ("tracing/incompatible-shape", "error", DEFAULT_RUN)
    assert any("width` can only be 64" in sentence for sentence in error.sentences), error.sentences


@pytest.mark.parametrize("name", SIZED)
def test_a_flag_whose_default_fits_is_only_a_warning(tmp_path: Path, name: str) -> None:
    (warning,) = problems_of(tmp_path, re.sub(r"\b32\b", "64", SIZED[name]))
    assert (warning.rule, warning.level) == ("tracing/forced-dimension", "warning")
    assert "width` can only be 64" in warning.message


def test_what_layers_of_a_list_ask_alike_is_said_once(tmp_path: Path) -> None:
    source = """
        import argparse, torch, torch.nn as nn
        class Heads(nn.Module):
            def forward(self, x):
                return x + x.reshape(x.shape[0], 4, x.shape[1] // 4).sum()
        p = argparse.ArgumentParser()
        p.add_argument("--dim", type=int, default=8)
        a = p.parse_args()
        x = torch.zeros(2, a.dim)
        for layer in nn.ModuleList(Heads() for _ in range(3)):
            x = layer(x)
        """
    (warning,) = problems_of(tmp_path, source)
    assert (warning.rule, warning.level) == ("tracing/forced-dimension", "warning")
    assert len(warning.sentences) == len(set(warning.sentences)) > 0, warning.sentences


def test_a_value_that_one_branch_refuses_is_all_but_that_value(tmp_path: Path) -> None:
    source = """
        import torch, torch.nn as nn
        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.a = nn.Linear(12, n * 6 if 1 < n < 4 else 12)
                self.b = nn.Linear(12, 5)
            def forward(self, x):
                return self.b(self.a(x))
        """  # 2 works, 3 fails, 4 works
    (warning,) = problems_of(tmp_path, source)
    assert (warning.rule, warning.level) == ("tracing/forced-dimension", "warning")
    assert "the argument `n` can be all but 3: " in warning.message


def test_what_sizes_are_by_nature_is_no_branch(tmp_path: Path) -> None:
    source = """
        import torch, torch.nn as nn
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.a = nn.Linear(dim, dim)
                self.b = nn.Linear((dim // 2) * 2, dim)
            def forward(self, x):
                return self.b(self.a(x))
        """
    (note,) = problems_of(tmp_path, source)
    assert "the argument `dim` can only be a multiple of 2: " in note.message


def test_a_value_that_a_branch_forces_names_the_branch(tmp_path: Path) -> None:
    source = """
        import argparse, torch
        parser = argparse.ArgumentParser()
        parser.add_argument("--n", type=int, default=9)
        n = parser.parse_args().n
        if n > 20:
            torch.zeros(4, 150).view(4, n, 6)
        """
    (warning,) = problems_of(tmp_path, source)
    assert "the flag `n` can only be 25 where n ≥ 21: " in warning.message
    assert "(default 9: fits)" in warning.message


HYDRA = """
    import hydra, torch, torch.nn as nn
    @hydra.main(config_path="conf", config_name="config", version_base=None)
    def main(cfg):
        net = nn.Sequential(nn.Linear(cfg.model.width, 10), nn.Linear(20, 2))
        y = net(torch.zeros(8, cfg.model.width))
    if __name__ == "__main__":
        main()
    """
DATACLASS = """
    from dataclasses import dataclass, field
    import torch, torch.nn as nn
    @dataclass
    class Config:
        width: int = 32
        sizes: list = field(default_factory=lambda: [32, 10])
    @dataclass
    class Wide(Config):
        width: int = 48
    config = Wide()
    y = nn.Linear(config.sizes[0], 10)(torch.zeros(8, config.width))
    """
SIMPLE_NAMESPACE = """
    from types import SimpleNamespace
    import torch, torch.nn as nn
    config = SimpleNamespace(width=32, depth=2)
    y = nn.Linear(64, 10)(torch.zeros(8, config.width))
    """


@pytest.mark.parametrize("source", [HYDRA, DATACLASS, SIMPLE_NAMESPACE])
def test_a_configuration_that_never_fits_is_an_error(tmp_path: Path, source: str) -> None:
    found = [p for p in problems_of(tmp_path, source) if p.level == "error"]
    assert len(found) == 1
    assert found[0].certain


SWITCHES = {
    "argparse": """
        import argparse, torch, torch.nn as nn
        parser = argparse.ArgumentParser()
        parser.add_argument("--deep", action="store_true")
        args = parser.parse_args()
        width = 64 if args.deep else 32
        y = nn.Linear(32, 10)(torch.zeros(8, width))
        """,
    "argparse.BooleanOptionalAction": """
        import argparse, torch, torch.nn as nn
        parser = argparse.ArgumentParser()
        parser.add_argument("--deep", action=argparse.BooleanOptionalAction, default=False)
        args = parser.parse_args()
        width = 64 if args.deep else 32
        y = nn.Linear(32, 10)(torch.zeros(8, width))
        """,
    "argparse choices": """
        import argparse, torch, torch.nn as nn
        parser = argparse.ArgumentParser()
        parser.add_argument("--model", choices=["small", "large"], default="small")
        args = parser.parse_args()
        if args.model == "large":
            width = 64
        else:
            width = 32
        y = nn.Linear(32, 10)(torch.zeros(8, width))
        """,
    "click": """
        import click, torch, torch.nn as nn
        @click.command()
        @click.option("--deep/--shallow", default=False)
        def main(deep):
            y = nn.Linear(32, 10)(torch.zeros(8, 64 if deep else 32))
        main()
        """,
    "click is_flag": """
        import click, torch, torch.nn as nn
        @click.command()
        @click.option("--deep", is_flag=True)
        def main(deep):
            y = nn.Linear(32, 10)(torch.zeros(8, 64 if deep else 32))
        main()
        """,
    "typer": """
        import typer, torch, torch.nn as nn
        def main(deep: bool = False):
            y = nn.Linear(32, 10)(torch.zeros(8, 64 if deep else 32))
        typer.run(main)
        """,
    "absl": """
        from absl import app, flags
        import torch, torch.nn as nn
        FLAGS = flags.FLAGS
        flags.DEFINE_bool("deep", False, "")
        def main(argv):
            y = nn.Linear(32, 10)(torch.zeros(8, 64 if FLAGS.deep else 32))
        app.run(main)
        """,
    "absl enum": """
        from absl import app, flags
        import torch, torch.nn as nn
        FLAGS = flags.FLAGS
        flags.DEFINE_enum("model", "small", ["small", "large"], "")
        def main(argv):
            y = nn.Linear(32, 10)(torch.zeros(8, 64 if FLAGS.model == "large" else 32))
        app.run(main)
        """,
}


@pytest.mark.parametrize("name", SWITCHES)
def test_both_sides_of_a_switch_are_followed(tmp_path: Path, name: str) -> None:
    found = [p for p in problems_of(tmp_path, SWITCHES[name]) if p.level == "error"]
    assert len(found) == 1
    assert found[0].certain
    assert "64" in found[0].message
    assert not [p for p in problems_of(tmp_path, SWITCHES[name].replace("64", "32")) if p.level in ("error", "warning")]


ABSL = """
from absl import app, flags
import torch, torch.nn as nn
FLAGS = flags.FLAGS
flags.DEFINE_string("name", None, "")
def main(argv):
    y = nn.Linear(32, 10)(torch.zeros(8, 64 if FLAGS.name is None else 32))
if __name__ == "__main__":
    {}
    app.run(main)
"""
ARGPARSE = """
import argparse, torch, torch.nn as nn
parser = argparse.ArgumentParser()
parser.add_argument("--name"{})
y = nn.Linear(32, 10)(torch.zeros(8, 64 if parser.parse_args().name is None else 32))
"""
CLICK = """
import click, torch, torch.nn as nn
@click.command()
@click.argument("name"{})
def main(name):
    y = nn.Linear(32, 10)(torch.zeros(8, 64 if name is None else 32))
main()
"""


@pytest.mark.parametrize(
    ("source", "optional", "required"),
    [
        (ABSL, 'print("name")', 'flags.mark_flag_as_required("name")'),
        (ABSL, 'print("name")', 'flags.mark_flags_as_required(["name"])'),
        (ARGPARSE, "", ", required=True"),
        (CLICK, ", required=False", ""),
    ],
)
def test_what_every_run_has_to_give_is_never_none(tmp_path: Path, source: str, optional: str, required: str) -> None:
    def errors(text: str) -> list[str]:
        return [p.tier for p in problems_of(tmp_path, source.format(text)) if p.level == "error"]

    assert errors(optional) == [DEFAULT_RUN]
    assert errors(required) == []
