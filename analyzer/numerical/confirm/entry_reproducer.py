"""The script that shows a failure by running an entry point itself, on its own example, in the repository."""

from __future__ import annotations

from pathlib import Path
from string import Template

from analyzer.numerical.confirm.reproducer import script_text

_CONSTANTS = Template("""\
ROOT = Path.cwd()  # the repository that the entry point lies in
FILE = $file
NAME = $name

sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
sys.path.append(str((ROOT / FILE).parent))


def seed():
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


def entry():
    parts = FILE.removeprefix("src/").removesuffix(".py").split("/")
    if all(part.isidentifier() for part in parts):
        module = importlib.import_module(".".join(parts))
    else:
        spec = importlib.util.spec_from_file_location("entry", ROOT / FILE)
        module = sys.modules["entry"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    seed()
    made = operator.attrgetter(NAME)(module)
    return made() if callable(made) else made


def total(results):
    leaves = [x for x in torch.utils._pytree.tree_leaves(results) if isinstance(x, torch.Tensor)]
    floating = [x for x in leaves if x.is_floating_point() and x.requires_grad]
    losses = [x for x in floating if x.dim() == 0] or floating
    return sum(x.double().sum() for x in losses)

""")
_IMPORTS = """\
import importlib.util
import operator
import random

try:
    import torch
except ImportError as error:
    print(f"could not be run: {error}")
    sys.exit(2)

"""
_RUN = """\
    torch.set_num_threads(THREADS)
    seed()
    sys.argv = [str(ROOT / FILE)]
    model, example = entry()
    args = () if isinstance(example, dict) else tuple(example) if isinstance(example, (tuple, list)) else (example,)
    results = model(*args, **(example if isinstance(example, dict) else {}))
"""
_LOSS = """\
    leaves = [x for x in torch.utils._pytree.tree_leaves(results) if isinstance(x, torch.Tensor)]
    bad = [x for x in leaves if x.is_floating_point() and x.dim() == 0 and not torch.isfinite(x)]
    return f"a loss is {bad[0].item()}" if bad else None
"""
_GRADIENTS = """\
    loss = total(results)
    if not torch.isfinite(loss):
        raise ValueError("the forward run is not finite")
    loss.backward()
    weights = [(name, weight.grad) for name, weight in model.named_parameters() if weight.grad is not None]
    bad = [name for name, gradient in weights if gradient.isnan().any()]
    return f"NaN in the gradients of {len(bad)} of {len(weights)} weights, of {bad[0]} first" if bad else None
"""


def write_entry_reproducer(
    folder: Path, stem: str, headline: str, entry: str, versions: str, backward: bool = True
) -> Path:
    """A script for the gradients of ``path/to/file.py:name``, or its loss; returns its path.

    `versions`: what it was seen with.
    """
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / f"reproduce_{stem}.py"
    file, _, name = entry.rpartition(":")
    constants = _IMPORTS + _CONSTANTS.substitute(file=repr(file), name=repr(name))
    body = _RUN + (_GRADIENTS if backward else _LOSS)
    where = "the repository's root, where the entry point's requirements are installed"
    script.write_text(script_text(script.name, headline, "torch", versions, constants, body, where), encoding="utf-8")
    return script
