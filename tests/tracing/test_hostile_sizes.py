"""Source that asks for sizes beyond any machine: tracing it takes neither the memory nor the time that it asks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# What a run on made-up numbers would compute.
COMPUTED = (
    "torch.zeros(10**12)", "np.zeros((10**6, 10**6))", "torch.arange(10**11)",
    "np.full_like(a, 0, shape=(10**6, 10**6))", "np.zeros_like(a, None, 'K', True, (10**6, 10**6))",
    "torch.bincount(torch.tensor([10**11]))", "torch.repeat_interleave(x, torch.tensor([10**9, 10**9, 10**9]))",
    "x.repeat(10**5, 10**5)", "np.tile(a, (999,) * 6)", "torch.einsum('i,j,k->', big, big, big)",
    "torch.einsum('i...,j...,k...->', big, big, big)", "np.outer(b, b)", "np.kron(b, b)",
    "torch.cdist(big[:, None], big[:, None])", "torch.nn.functional.one_hot(torch.tensor([10**10]))",
    "torch.combinations(big[:900], 5)", "torch.cartesian_prod(big, big)",
    "np.linalg.matrix_power(np.ones((900, 900)), 10**9)", "torch.linalg.matrix_power(torch.ones(900, 900), 10**9)",
    "np.vander(b, 10**7)", "np.eye(10**7)", "torch.eye(10**7)", "np.linspace(0, 1, 10**11)",
    "torch.nn.functional.pad(x, (10**11, 0))", "np.pad(a, 10**10)", "np.repeat(a, 10**11)",
    "big.expand(10**5, 10**5 * 10) + 1", "x[torch.zeros(10**4, 1, dtype=int), torch.zeros(1, dtype=int)]",
    "np.random.permutation(10**10)", "np.random.randn(10**11)", "torch.randperm(10**11)", "big.tolist()",
    "np.broadcast_to(b, (10**5, 900_000)).copy()", "torch.histc(x, 10**11)", "torch.block_diag(*[big] * 9)",
    "np.random.choice(10**12, 10**11)", "x.unfold(0, 1, 1).repeat(10**9)", "np.meshgrid(b, b, b)",
    "torch.tril_indices(10**6, 10**6)",
)  # fmt: skip
# And what makes many values of the interpreter's own.
MADE = (
    "np.array_split(b, huge)", "np.split(np.zeros(huge), huge)", "torch.tensor_split(big, huge)",
    "torch.chunk(big, huge)", "torch.split(big, 1)", "big.split(1)", "tf.unstack(tf.zeros((huge,)))",
    "tf.split(tf.zeros((huge,)), huge)", "tf.split(tf.zeros((huge,3)), 10**9)",
    "keras.ops.split(keras.ops.zeros((huge,)), huge)", "keras.ops.unstack(keras.ops.zeros((huge,)))",
    "itertools.tee(x, huge)", "torch.unbind(big)", "[0] * huge", "'x' * huge", "(0,) * huge", "list(range(huge))",
    "big.tolist()", "tuple(big)", "[v for v in range(huge)]", "sum(range(huge))", "max(range(huge))",
    "sorted(range(huge))", "torch.zeros(*([1] * 10000))", "torch.zeros((2,) * 3000)", "x[(None,) * 3000]",
    "np.zeros((1,) * 5000)", "x.view((1,) * 4000 + (3,))", "itertools.combinations(range(huge), 3)",
    "list(itertools.product(range(1000), repeat=5))", "list(itertools.permutations(range(20)))",
    "dict(zip(range(huge), range(huge)))", "torch.tensor(range(huge))", "np.array(range(huge))",
    "torch.meshgrid(*[big] * 50)", "torch.cat([big] * 5000)",
    "torch.nn.Sequential(*[torch.nn.Linear(2, 2)] * 5000)(torch.ones(2, 2))", "10 ** huge", "2 << huge",
    "math.factorial(10**7)", "math.comb(10**8, 10**7)", "f'{1:1000000000}'", "'%1000000000d' % 1",
    "'{:>1000000000}'.format(1)", "'x'.ljust(huge)", "'x'.zfill(huge)", "range(huge)[::2]",
    "list(reversed(range(huge)))", "bytes(huge)", "bytearray(huge)", "bytes(10**9)",
    "torch.nn.ModuleList([torch.nn.Linear(1,1) for _ in range(10**7)])", "torch.arange(huge).split([1]*3)",
    "torch.combinations(torch.arange(3000), 9)", "np.indices((huge, huge))", "torch.tril_indices(10**6, 10**6)",
    "torch.triu_indices(10**7, 10**7, -5)", "einops.rearrange(x, ' '.join('abc'))",
    "random.sample(range(huge), 10**9)", "random.choices(range(huge), k=10**9)", "string.ascii_letters * huge",
    "int('9' * 10**7)", "pow(3, 10**9)", "pow(3, 10**12, 7)", "divmod(10**5000, 7)", "hash('x' * 10**9)",
    "torch.zeros(3).repeat_interleave(10**12)", "torch.nn.functional.unfold(torch.zeros(1,1,10**6,10**6), 3)",
    "torch.nn.LSTM(3, 3, num_layers=10**9)(torch.zeros(2,2,3))", "torch.nn.Transformer(num_encoder_layers=10**9)",
    "torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2), 10**9)(torch.zeros(2,2,8))",
    "keras.Sequential([keras.layers.Dense(3)] * 10**6)",
    "keras.layers.StackedRNNCells([keras.layers.LSTMCell(3) for _ in range(10**6)])", "np.random.choice(huge, 10**9)",
    "np.concatenate([a] * 10**6)", "np.pad(a, [(huge, huge)])", "np.block([[a] * 10**5] * 10)",
    "torch.block_diag(*[x] * 10**5)", "torch.zeros(3)[[0] * 10**6]", "enumerate(range(huge))",
    "list(enumerate(range(huge)))", "list(map(str, range(huge)))", "','.join(map(str, range(10**8)))",
    "[[0] * 10000 for _ in range(10000)]", "{i: i for i in range(10**8)}", "set(range(10**8))",
    "torch.Size([1] * 10**6)",
)  # fmt: skip
HEAD = """import itertools, math, random, string
import einops
import keras
import numpy as np
import tensorflow as tf
import torch
a, b, huge = np.arange(3), np.arange(900_000), 10**10
x, big = torch.ones(3), torch.ones(BIG)
"""
ASK = """if int((torch.arange(10) > 5).sum()) == 4:
    y = BOMB
    if y.sum() > 1:
        print(y)
"""
SCRIPT = """
import resource, sys
from pathlib import Path
from analyzer.tracing.tracing import trace

resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (600, 600))
root = Path(sys.argv[1])
for file in sorted(root.glob("program_*.py")):
    print(file.read_text()[-120:], flush=True)
    trace(file, root, target="t")
# `ru_maxrss` would be of no use: after `exec` it still holds the peak of the process that forked, a test worker's.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
assert int(peak.split()[1]) < 2 << 20, peak
"""


def test_hostile_sizes_take_neither_memory_nor_time(tmp_path: Path) -> None:
    """All in one process with limits, far above what they take: a few seconds and some hundred megabytes."""
    programs = [HEAD.replace("BIG", "900_000") + ASK.replace("BOMB", bomb) for bomb in COMPUTED]
    programs += [HEAD.replace("BIG", "10**10") + f"y = {bomb}\nprint(y)\n" for bomb in MADE]
    for number, program in enumerate(programs):
        (tmp_path / f"program_{number}.py").write_text(program)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-2000:]
