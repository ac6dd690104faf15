"""The command `assay`. Subcommands load what they need when they run, so that `assay --help` is instant."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module, metadata
from types import ModuleType
from typing import TYPE_CHECKING

from analyzer import __version__, installation
from analyzer.problem import TargetProblem, UsageProblem

if TYPE_CHECKING:
    from rich.console import Console

EXIT_PASS, EXIT_BLOCKED, EXIT_USAGE, EXIT_NOT_ANALYSED = 0, 1, 2, 3
EXIT_READER_GONE = 141  # as a shell says it of SIGPIPE: nothing was told, so it is no pass
ENGINES = ("onnxruntime", "torch", "tensorflow", "tensorflow-cpu", "keras", "jax", "openvino")

# name -> (module with add_arguments, and with run or the name RUN of the module that has it; one line of help)
COMMANDS = {
    "init": ("analyzer.commands.init", "find what can be checked here; write .assay.yml and the workflow"),
    "check": ("analyzer.commands.check", "analyse models: numerical safety, validity, engines against each other"),
    "trace": ("analyzer.commands.trace", "find shape errors in Python source without running it"),
    "diff": ("analyzer.commands.diff", "run one model on several engines and localise where they part"),
    "space": ("analyzer.commands.space", "decide which hyperparameters of a space are valid"),
    "checkpoint": ("analyzer.commands.checkpoint", "hold a checkpoint against an architecture"),
    "export": ("analyzer.commands.export", "export an entry point's graph, in a job without permissions"),
    "lsp": ("analyzer.commands.lsp", "a language server: findings and tensor shapes while one types"),
    "explain": ("analyzer.commands.explain", "what a rule means and how to mend what it finds"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code (0 passes, 1 blocked, 2 usage, 3 something not analysed)."""
    try:
        return _answered(lambda: _commanded(argv))
    except KeyboardInterrupt:  # while a command's modules load, too
        _complain("stopped.")
        return 130


def _commanded(argv: Sequence[str] | None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands = {**COMMANDS, **_contributed()}
    name = next((a for a in arguments if not a.startswith("-")), None)
    parser = argparse.ArgumentParser(
        prog="assay", description="Reviews neural networks the way a compiler reviews code."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="Assay's version and the engines found here")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    module: ModuleType | None = None
    for command, (path, help_text) in commands.items():
        subparser = subparsers.add_parser(
            command, help=help_text, description=help_text[0].upper() + help_text[1:] + "."
        )
        if command == name:
            module = import_module(path)
            module.add_arguments(subparser)
    args = parser.parse_args(arguments)
    assert module is not None

    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            """The reader has gone (`assay … | head`); rich would end the process here."""
            raise BrokenPipeError

    # stdout is the machine's; and the 100 of `train.py:100:5` is a line, no emoji
    console = Terminal(stderr=getattr(args, "format", "text") != "text", highlight=False, emoji=False)
    return _answered(lambda: _started(module, args, console))


def _started(module: ModuleType, args: argparse.Namespace, console: Console) -> int:
    def run() -> int:
        code: int = import_module(getattr(module, "RUN", module.__name__)).run(args, console)
        return code

    around = getattr(module, "enclosure", lambda _args: None)(args)
    if around is None:
        return run()
    from analyzer.commands.enclosed import enclosed

    return enclosed(lambda: _answered(run), **around)


def _answered(run: Callable[[], int]) -> int:
    try:
        return run()
    except UsageProblem as problem:
        _complain(str(problem))
        return EXIT_USAGE
    except TargetProblem as problem:
        _complain(str(problem))
        return EXIT_NOT_ANALYSED
    except BrokenPipeError:
        return EXIT_READER_GONE
    except Exception as error:
        sentence = installation.explained(error)
        if sentence is None:
            raise
        print(f"assay: {sentence}", file=sys.stderr)  # by itself: what makes text harmless may be what is missing
        return EXIT_USAGE


class _Version(argparse.Action):
    """Prints the versions when asked, so that no other start pays for looking them up."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        found = []
        for name in ENGINES:
            with suppress(metadata.PackageNotFoundError):
                found.append(f"{name} {metadata.version(name)}")
        print(f"assay {__version__}, Python {platform.python_version()}")
        print(f"engines: {', '.join(found) or 'none (pip install assay-action[torch], [tensorflow] or [backends])'}")
        parser.exit()


def _contributed() -> dict[str, tuple[str, str]]:
    """Commands that other packages add through the entry-point group ``assay.commands`` ("module:help text")."""
    return {
        point.name: (point.module, "build the example pull request and review it")
        for point in metadata.entry_points(group="assay.commands")
    }


def _complain(text: str) -> None:
    from analyzer.rendering.markdown_text import clean

    for line in text.splitlines():
        print(f"assay: {clean(line, 2000)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
