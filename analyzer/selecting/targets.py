"""Which models a run is about: from the command line, from the configuration, or found by content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analyzer.configuration.config import Config, TargetConfig
from analyzer.loading.search import find_models
from analyzer.problem import UsageProblem

ENTRY = re.compile(r"^(?P<path>.+\.py):(?P<name>[A-Za-z_][A-Za-z0-9_.]*)$")


@dataclass(frozen=True, slots=True)
class Selection:
    """The targets of a run and what a reader should know about how they were chosen."""

    targets: tuple[TargetConfig, ...]
    notes: tuple[str, ...] = ()


def select(arguments: Sequence[str], config: Config, root: Path) -> Selection:
    """Targets named by `arguments` (paths, folders, ``file.py:name``, configured ids), else configured, else found.

    Paths are relative to `root`. Raises UsageProblem for an argument that names nothing.
    """
    if arguments:
        chosen = [target for argument in arguments for target in _named(argument, config, root)]
        return Selection(_unique(chosen))
    if config.targets:
        found = uncovered(root, config)
        return Selection((*config.targets, *found), notes_of(found))
    found = discover(root, config)
    notes = (
        () if found else ("No model was found: no file here looks like ONNX, TensorFlow, Keras, Torch or safetensors.",)
    )
    return Selection(found, notes)


def discover(folder: Path, config: Config, *, root: Path | None = None) -> tuple[TargetConfig, ...]:
    """Every model below `folder`, by content, as targets with paths relative to `root`."""
    root = root or folder
    paths = (path.relative_to(root).as_posix() for path in find_models(folder, config.exclude, root=root))
    return tuple(TargetConfig(id=path, path=path) for path in sorted(paths))


def uncovered(root: Path, config: Config) -> tuple[TargetConfig, ...]:
    """The models below `root` that no configured target names, in whatever role; none with `discover: off`."""
    if not config.discover:
        return ()
    named = {p for t in config.targets for p in (t.file, t.checkpoint, t.validation, t.space) if isinstance(p, str)}
    taken = {target.id for target in config.targets}

    def covered(path: str) -> bool:
        return path in named or path in taken or any(path.startswith(f"{name.rstrip('/')}/") for name in named)

    return tuple(target for target in discover(root, config) if not covered(target.id))


def notes_of(found: Sequence[TargetConfig]) -> tuple[str, ...]:
    """What a reader should know of models that were found besides the configured ones."""
    if not found:
        return ()
    shown = ", ".join(f"`{target.id}`" for target in found[:5]) + (f" and {len(found) - 5} more" if found[5:] else "")
    return (
        f"No target names {shown}: analysed with what is assumed by default. Name them in `.assay.yml` to say what "
        "holds of their inputs, or write `discover: off`.",
    )


def configured_for(path: str, config: Config) -> tuple[TargetConfig, ...]:
    """The configured targets whose model is the file `path`."""
    return tuple(t for t in config.targets if t.file == path)


def _named(argument: str, config: Config, root: Path) -> Iterable[TargetConfig]:
    by_id = [target for target in config.targets if target.id == argument]
    if by_id:
        return by_id
    entry = ENTRY.match(argument)
    if entry:
        path = _inside(entry["path"], root, argument)
        name = f"{path}:{entry['name']}"
        same = [target for target in config.targets if target.entry == name]
        return same or [TargetConfig(id=name, entry=name)]
    path = _inside(argument, root, argument)
    full = root / path
    if full.is_dir() and not (full / "saved_model.pb").is_file() and not (full / "saved_model.pbtxt").is_file():
        below = "" if path == "." else f"{path}/"
        named = [t for t in config.targets if t.file.startswith(below)]
        found = discover(full, config, root=root)
        if not found and not named:
            raise UsageProblem(
                f"{argument} holds no model that Assay recognises; name a model file or `file.py:callable`."
            )
        return [*named, *(target for target in found if not configured_for(target.path or "", config))]
    return configured_for(path, config) or [TargetConfig(id=path, path=path)]


def _inside(argument: str, root: Path, shown: str) -> str:
    """`argument` relative to `root`. A path outside is kept absolute: on a laptop any file may be checked."""
    full = Path(argument) if Path(argument).is_absolute() else root / argument
    if not full.exists():
        raise UsageProblem(
            f"{shown} does not exist below {root}; check the spelling, or run from the repository's root."
        )
    try:
        return full.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return full.resolve().as_posix()


def _unique(targets: Iterable[TargetConfig]) -> tuple[TargetConfig, ...]:
    seen: dict[str, TargetConfig] = {}
    for target in targets:
        previous = seen.get(target.id)
        if previous is None:
            seen[target.id] = target
        elif replace(previous, line=None) != replace(target, line=None):
            raise UsageProblem(f"two targets are called `{target.id}`; give one of them an `id` of its own.")
    return tuple(seen.values())
