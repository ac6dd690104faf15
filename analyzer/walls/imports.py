"""What is imported before a fork, and the variables that are known by then.

A walled analysis asks for these and for nothing else (`walled_servers`): the imports happen outside its wall.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from analyzer.walls.protocol import ENGINE_CORES

# What an export by PyTorch imports sooner or later; a name that a version lacks is passed over.
EXPORTER = (
    "torch", "torch._dynamo", "torch.export._trace", "torch._export.non_strict_utils", "torch._export.passes",
    "torch.onnx._internal.exporter._core", "onnxscript.function_libs.torch_lib.ops", "onnx_ir",
)  # fmt: skip
# What a dry run of a script imports ahead, by the frameworks that it names. Fake tensors import `torch._dynamo`.
DRY_RUN = MappingProxyType(
    {"torch": ("torch", "torch._dynamo"), "tensorflow": ("tensorflow", "keras"), "keras": ("tensorflow", "keras")}
)
CONFIRMATION = ("torch", "analyzer.numerical.confirm.inside", "analyzer.numerical.confirm.torch_evaluation")
IN_TENSORFLOW = ("tensorflow", "analyzer.numerical.confirm.inside", "analyzer.numerical.confirm.tensorflow_search")
# What workers import that costs more than a tenth of a second and starts no threads of its own.
_MODEL_FILES = ("numpy", "onnx", "onnx.reference")
ENGINES = {
    **dict.fromkeys(("onnxruntime", "openvino", "reference"), _MODEL_FILES),
    "torch": ("torch", "torch.export._trace"), "tensorflow": ("tensorflow",), "tflite": ("tensorflow",),
    "keras": ("keras",), "jax": ("jax",),
}  # fmt: skip
# For one that compiles: Inductor writes where the process stood when `torch._dynamo` was imported.
COMPILERS = {**ENGINES, "torch": ("torch",)}

ALONE = frozenset({COMPILERS["torch"]})  # served by no process that has imported more
# What exports, dry runs and engines are told alike, so that one process imports PyTorch for all of them.
TOLD = MappingProxyType(
    {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": str(ENGINE_CORES),
        # Threads that spin while they wait keep the cores from those they wait for: on shared cores PyTorch's took ten
        # times as long for ResNet-50 as threads that sleep. NumPy's can only spin, so there is one.
        "OMP_WAIT_POLICY": "PASSIVE",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
)

_MODULES = frozenset(
    {*EXPORTER, *CONFIRMATION, *IN_TENSORFLOW, *chain.from_iterable((*DRY_RUN.values(), *ENGINES.values()))}
)
_VALUES = {
    "CUDA_VISIBLE_DEVICES": "",
    "JAX_ENABLE_X64": "1",
    "KERAS_BACKEND": "jax|numpy|openvino|tensorflow|torch",
    "OMP_NUM_THREADS": "[0-9]{1,4}",
    "OMP_WAIT_POLICY": "PASSIVE",
    "OPENBLAS_NUM_THREADS": "[0-9]{1,4}",
    "PYTHONHASHSEED": "0",
    "TF_CPP_MIN_LOG_LEVEL": "[0-9]",
    "TF_ENABLE_ONEDNN_OPTS": "[01]",
}

_FRAMEWORK = re.compile(rb"^\s*(?:import|from)\s+(?:[\w.]+\s*,\s*)*(torch|tensorflow|keras)\b", re.M)

# Variables that frameworks read late, or that change nothing where no such device, server or printout is.
_HARMLESS = re.compile(
    rb"TF_CPP_\w+|CUDA_\w+|NVIDIA_\w+|NCCL_\w+|TOKENIZERS_PARALLELISM|WANDB_\w+|MLFLOW_\w+|HF_\w+|TRANSFORMERS_\w+"
    rb"|PYTORCH_(CUDA_ALLOC_CONF|ENABLE_MPS_FALLBACK)|MASTER_\w+|(LOCAL_)?(RANK|WORLD_SIZE)|MPLBACKEND|PYTHONHASHSEED"
    rb"|DISPLAY|SDL_VIDEODRIVER"
)
_ENVIRONMENT = re.compile(rb"\benviron\b")
_ASKED = re.compile(rb"environ(?:\.get\b|\.copy\b|\[[^\]\n]+\](?!\s*=(?!=)))")
_IN = re.compile(rb"\bin (?:os\.)?\Z")
_SET = re.compile(rb"""environ\s*(?:\.setdefault\(|\.pop\(|\[)\s*["'](\w+)["']""")


def frameworks_of(files: Iterable[Path]) -> frozenset[str]:
    """What a process may have imported before the code in `files`, by their text.

    Nothing where the code sets a variable of its environment that frameworks may read while they are imported.
    """
    texts = [path.read_bytes()[: 1 << 20] for path in files if path.is_file()]
    if any(_sets(text) for text in texts):
        return frozenset()
    return frozenset(name.decode() for text in texts for name in _FRAMEWORK.findall(text))


def _sets(text: bytes) -> bool:
    """Whether code may set a variable that frameworks read while they are imported."""
    return b"putenv" in text or any(
        not _ASKED.match(text, place.start())
        and not _IN.search(text, max(0, place.start() - 8), place.start())
        and not ((named := _SET.match(text, place.start())) and _HARMLESS.fullmatch(named[1]))
        for place in _ENVIRONMENT.finditer(text)
    )


def known(imports: Sequence[str], variables: Mapping[str, str]) -> bool:
    """Whether these are modules and values that stand above; the request may be hostile."""
    named = len(imports) <= len(_MODULES) and _MODULES.issuperset(imports)
    return named and all(re.fullmatch(_VALUES.get(name, "(?!)"), value) for name, value in variables.items())
