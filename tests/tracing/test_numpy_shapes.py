"""Shapes of NumPy's functions and methods, held against NumPy: each call is run and traced, and must give the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

CALLS = """
    np.expand_dims(a, 1)                          | a=6
    np.expand_dims(a, (0, -1))                    | a=6
    np.squeeze(a, axis=(0, 2))                    | a=1,3,1
    np.zeros_like(a, shape=(4, 5, 6))             | a=2,3
    np.ones_like(a, int, "K", True, (4,))         | a=2,3
    np.full_like(a, 7.0, shape=5)                 | a=2,3
    np.empty_like(a)                              | a=2,3
    np.full_like(a, 1, dtype=bool)                | a=2,3
    np.moveaxis(a, 0, -1)                         | a=2,3,4
    np.moveaxis(a, (0, 1), (-1, -2))              | a=2,3,4
    np.rollaxis(a, 2)                             | a=2,3,4
    np.rollaxis(a, 0, 3)                          | a=2,3,4
    np.swapaxes(a, 0, -1)                         | a=2,3,4
    np.swapaxes(a, axis1=0, axis2=1)              | a=2,3,4
    a.swapaxes(1, 2)                              | a=2,3,4
    np.transpose(a)                               | a=2,3,4
    np.transpose(a, axes=(1, 0, 2))               | a=2,3,4
    a.transpose(2, 0, 1)                          | a=2,3,4
    a.T                                           | a=2,3
    np.broadcast_to(a, (4, 3))                    | a=3
    np.tile(a, 3)                                 | a=2,3
    np.tile(a, (2, 1, 2))                         | a=2,3
    np.repeat(a, 2)                               | a=2,3
    np.repeat(a, 2, axis=1)                       | a=2,3
    a.repeat(3, axis=0)                           | a=2,3
    np.pad(a, 1)                                  | a=2,3
    np.pad(a, (1, 2))                             | a=2,3
    np.pad(a, ((0, 0), (1, 2)), mode="constant")  | a=2,3
    np.split(a, 3, axis=1)[0]                     | a=2,6
    np.split(a, [1, 4])[1]                        | a=6,2
    np.array_split(a, 4)[3]                       | a=6,2
    np.hsplit(a, 2)[1]                            | a=2,6
    np.vsplit(a, 2)[1]                            | a=2,6
    np.concatenate([a, b], axis=1)                | a=2,3 b=2,5
    np.concatenate((a, b), 0)                     | a=2,3 b=4,3
    np.concatenate([a, b], axis=None)             | a=2,3 b=4
    np.concat([a, b], axis=-1)                    | a=2,3 b=2,1
    np.append(a, b)                               | a=2,3 b=4
    np.append(a, b, axis=0)                       | a=2,3 b=4,3
    np.stack([a, b], axis=-1)                     | a=2,3 b=2,3
    np.vstack([a, b])                             | a=3 b=4,3
    np.hstack((a, b))                             | a=2,3 b=2,1
    np.dstack((a, b))                             | a=2,3 b=2,3
    np.column_stack((a, b))                       | a=3 b=3,2
    np.atleast_2d(a)                              | a=4
    np.atleast_3d(a)                              | a=4,5
    np.ravel(a)                                   | a=2,3
    a.ravel()                                     | a=2,3
    a.flatten()                                   | a=2,3
    a.reshape(3, -1)                              | a=2,3
    np.reshape(a, (1, -1))                        | a=2,3
    np.take(a, b.astype(int), axis=1)             | a=2,3 b=5
    np.take(a, 0, axis=0)                         | a=2,3
    np.take(a, b.astype(int))                     | a=2,3 b=5,2
    np.take_along_axis(a, b.astype(int), axis=1)  | a=2,3 b=2,1
    np.delete(a, 1, axis=1)                       | a=2,3
    np.insert(a, 0, 5.0, axis=1)                  | a=2,3
    np.diff(a)                                    | a=2,5
    np.diff(a, axis=0)                            | a=2,5
    np.flip(a, axis=1)                            | a=2,3
    np.fliplr(a)                                  | a=2,3
    np.rot90(a)                                   | a=2,3
    np.roll(a, 1, axis=0)                         | a=2,3
    np.cumsum(a)                                  | a=2,3
    np.cumsum(a, axis=1)                          | a=2,3
    a.cumsum(0)                                   | a=2,3
    np.sum(a, axis=(0, 2))                        | a=2,3,4
    np.sum(a, 1, keepdims=True)                   | a=2,3,4
    np.mean(a, axis=-1, keepdims=True)            | a=2,3,4
    a.mean(axis=(1, 2))                           | a=2,3,4
    a.max(1)                                      | a=2,3,4
    a.sum(-1, keepdims=True)                      | a=2,3,4
    np.std(a, 0)                                  | a=2,3
    np.argmax(a, axis=1)                          | a=2,3
    a.argmin(0)                                   | a=2,3
    np.nanmean(a, axis=0)                         | a=2,3
    np.ptp(a, axis=0)                             | a=2,3
    np.percentile(a, 50, axis=0)                  | a=2,3
    np.percentile(a, [5, 95], axis=1)             | a=2,3
    np.quantile(a, 0.5, axis=0, keepdims=True)    | a=2,3
    np.count_nonzero(a, axis=1)                   | a=2,3
    np.linalg.norm(a, axis=1)                     | a=2,3
    np.linalg.norm(a, 2, 1, True)                 | a=2,3
    np.average(a, axis=0, weights=b + 1)          | a=2,3 b=2
    np.sort(a, axis=0)                            | a=2,3
    np.argsort(a)                                 | a=2,3
    np.dot(a, b)                                  | a=2,3 b=3
    np.dot(a, b)                                  | a=2,3,4 b=5,4,6
    a.dot(b)                                      | a=2,3 b=3,4
    a @ b                                         | a=5,2,3 b=3,4
    np.matmul(a, b)                               | a=5,2,3 b=5,3,4
    np.inner(a, b)                                | a=2,3 b=4,3
    np.outer(a, b)                                | a=2,3 b=4
    np.kron(a, b)                                 | a=2,3 b=4,5
    np.cross(a, b)                                | a=2,3 b=2,3
    np.einsum("ij,jk->ik", a, b)                  | a=2,3 b=3,4
    np.tensordot(a, b, axes=1)                    | a=2,3 b=3,4
    np.tensordot(a, b, axes=([0], [1]))           | a=2,3 b=4,2
    np.trace(a)                                   | a=3,3
    np.diag(a)                                    | a=4
    np.diag(a)                                    | a=3,4
    np.triu(a, 1)                                 | a=3,4
    np.tril(a)                                    | a=3,4
    np.linalg.inv(a + np.eye(3))                  | a=2,3,3
    np.linalg.det(a)                              | a=2,3,3
    np.linalg.solve(a + np.eye(3), b)             | a=3,3 b=3,2
    np.linalg.svd(a)[2]                           | a=2,3
    np.linalg.svd(a, full_matrices=False)[0]      | a=5,3
    np.linalg.qr(a)[0]                            | a=5,3
    np.linalg.eigh(a)[1]                          | a=3,3
    np.linalg.cholesky(a + np.eye(3))             | a=3,3
    np.linalg.pinv(a)                             | a=2,3
    np.fft.fft(a)                                 | a=2,8
    np.fft.fft(a, n=16, axis=0)                   | a=2,8
    np.fft.rfft(a)                                | a=2,8
    np.fft.rfft(a, axis=0)                        | a=9,2
    np.fft.irfft(a)                               | a=2,5
    np.fft.irfft(a, n=9)                          | a=2,5
    np.fft.fft2(a)                                | a=2,3,4
    np.fft.fftn(a, axes=(0, 1))                   | a=2,3,4
    np.fft.rfft2(a)                               | a=2,3,4
    np.fft.fftshift(a, axes=1)                    | a=2,3
    np.fft.fftfreq(8)                             | a=1
    np.fft.rfftfreq(9, d=0.5)                     | a=1
    np.real(a)                                    | a=2,3
    np.mod(a, b)                                  | a=2,1 b=3
    np.arctan2(a, b)                              | a=2,1 b=3
    np.maximum(a, b)                              | a=2,1 b=3
    np.maximum(a, 0)                              | a=2,3
    np.minimum.reduce(a)                          | a=2,3
    np.subtract.outer(a, b)                       | a=2 b=3
    np.add.reduce(a, axis=1)                      | a=2,3
    np.maximum.accumulate(a, axis=1)              | a=2,3
    np.greater(a, b)                              | a=2,1 b=3
    np.logical_not(a)                             | a=2,3
    np.isfinite(a)                                | a=2,3
    np.hypot(a, b)                                | a=2,1 b=3
    np.sinc(a)                                    | a=2,3
    np.radians(a)                                 | a=2,3
    np.where(a > 0, b, 0.0)                       | a=2,1 b=3
    np.select([a > 0, a < 0], [a, b])             | a=2,3 b=2,3
    np.clip(a, 0, 1)                              | a=2,3
    a.clip(0, 1)                                  | a=2,3
    np.interp(a, b, b)                            | a=2,3 b=4
    np.digitize(a, b)                             | a=2,3 b=4
    np.searchsorted(b, a)                         | a=2,3 b=4
    np.convolve(a, b)                             | a=8 b=3
    np.convolve(a, b, mode="same")                | a=8 b=3
    np.convolve(a, b, "valid")                    | a=8 b=3
    np.meshgrid(a, b)[0]                          | a=3 b=4
    np.meshgrid(a, b, indexing="ij")[1]           | a=3 b=4
    np.stack(np.meshgrid(a, b), -1)               | a=3 b=4
    np.indices((2, 3))                            | a=1
    np.cov(a)                                     | a=3,7
    np.corrcoef(a)                                | a=3,7
    np.histogram(a, bins=5)[0]                    | a=9
    np.histogram(a, 5)[1]                         | a=9
    np.vander(a, 3)                               | a=4
    np.gradient(a)                                | a=5
    np.trapezoid(a, axis=0)                       | a=5,2
    np.zeros(shape=(2, 3))                        | a=1
    np.full((2, 3), 1.0)                          | a=1
    np.ones(4)                                    | a=1
    np.zeros_like(a)                              | a=2,3
    np.array([[1, 2, 3], [4, 5, 6]])              | a=1
    np.array([a, b])                              | a=2,3 b=2,3
    np.array(range(1, 7))                         | a=1
    np.array([x for x in range(5)])               | a=1
    np.arange(0, 9, 2)                            | a=1
    np.arange(0.5, 3)                             | a=1
    np.arange(0, 1, 0.25)                         | a=1
    np.linspace(0, 1, 11)                         | a=1
    np.geomspace(1, 8, 4)                         | a=1
    np.logspace(0, 1, num=7)                      | a=1
    np.eye(3, 4)                                  | a=1
    np.tri(3, 4)                                  | a=1
    np.hanning(9)                                 | a=1
    np.random.randn(2, 3)                         | a=1
    np.random.default_rng(0).normal(size=(2, 3))  | a=1
    np.random.default_rng(0).random((2, 3))       | a=1
    np.random.RandomState(0).uniform(0, 1, (2, 3)) | a=1
    np.random.randint(0, 9, (2, 3))               | a=1
    np.random.permutation(7)                      | a=1
    np.random.multivariate_normal(a, np.eye(3), 5) | a=3
    np.random.exponential(1.0, size=(2, 3))       | a=1
    np.random.beta(1.0, 2.0, (2, 3))              | a=1
    np.random.dirichlet([1.0, 1.0, 1.0], 4)       | a=1
    a[:, None] - b[None]                          | a=3 b=4
    a[..., np.newaxis]                            | a=3,4
    a[::-1]                                       | a=3,4
    a.astype(np.float32)                          | a=3,4
    torch.from_numpy(a)                           | a=3,4
    torch.from_numpy(a).permute(1, 0).numpy()     | a=3,4
    torch.tensor(np.stack([a, a]))                | a=3,4
    np.asarray(torch.zeros(2, 3))                 | a=1
    torch.as_tensor(a.mean(0))                    | a=3,4
    np.apply_along_axis(np.sum, 1, a)             | a=3,4
    np.ndarray((2, 3))                            | a=1
    np.nan_to_num(a)                              | a=2,3
    np.float32(a)                                 | a=2,3
    np.resize(a, (3, 5))                          | a=2,3
    np.block([[a, a], [a, a]])                    | a=2,3
    np.ix_(np.arange(2), np.arange(3))[1]         | a=1
    np.nonzero(a)[0].shape[0] * np.ones(3)        | a=2,3
    np.lib.stride_tricks.sliding_window_view(a, 3, 1) | a=2,7
    np.random.default_rng(0).choice(a, 4)         | a=5,3
    np.random.default_rng(0).choice(a, (4, 2), axis=-1) | a=5,3
    np.random.default_rng(0).choice(a, axis=1)    | a=5,3
    np.random.choice(a, size=(2, 6))              | a=5
    np.random.choice(5, 6)                        | a=1
""".strip().splitlines()  # fmt: skip
CASES = [tuple(part.strip() for part in line.split("|")) for line in CALLS]


def made(sizes: str) -> str:
    pairs = (pair.partition("=") for pair in sizes.split())
    return "\n".join(f"{name} = np.zeros(({size.replace(',', ', ')},))" for name, _, size in pairs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("call", "sizes"), CASES, ids=[f"{call} of {sizes}" for call, sizes in CASES])
def test_a_function_has_the_shape_that_numpy_gives(call: str, sizes: str, tmp_path: Path) -> None:
    text = f"import numpy as np\nimport torch\n{made(sizes)}\ny = {call}\n"
    scope: dict[str, object] = {}
    exec(text, scope)
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, path.name, tree, Versions())
    assert not shared.problems
    last = text.count("\n")
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert found == [tuple(scope["y"].shape)]  # type: ignore[attr-defined]


REFUSED = """
    np.expand_dims(np.zeros(3), 2)
    np.squeeze(np.zeros((2, 1)), axis=0)
    np.squeeze(np.zeros((2, 1)), axis=2)
    np.moveaxis(np.zeros((2, 3)), 2, 0)
    np.moveaxis(np.zeros((2, 3, 4)), (0, 1), (0,))
    np.swapaxes(np.zeros((2, 3)), 0, 2)
    np.transpose(np.zeros((2, 3)), (0, 1, 2))
    np.zeros((2, 3)).transpose(0, 0)
    np.sum(np.zeros((2, 3)), axis=2)
    np.zeros((2, 3)).mean(axis=(0, 2))
    np.zeros((2, 3)).max(-3)
    np.concatenate([np.zeros((2, 3)), np.zeros((2, 4))])
    np.concatenate([np.zeros(3), np.zeros(3)], axis=1)
    np.stack([np.zeros(3), np.zeros(4)])
    np.stack([np.zeros(3), np.zeros(3)], axis=2)
    np.vstack([np.zeros(3), np.zeros(4)])
    np.hstack([np.zeros((2, 3)), np.zeros((3, 3))])
    np.reshape(np.array(range(1, 7)), (1, 7))
    np.broadcast_to(np.zeros(3), (3, 4))
    np.split(np.zeros(7), 3)
    np.split(np.zeros((3, 4)), 2, axis=2)
    np.dot(np.zeros((2, 3)), np.zeros((2, 3)))
    np.matmul(np.zeros((2, 3)), np.zeros((2, 3)))
    np.einsum("ij,jk->ik", np.zeros((2, 3)), np.zeros((2, 3)))
    np.tensordot(np.zeros((2, 3)), np.zeros((2, 3)), 1)
    np.pad(np.zeros((2, 3)), ((1, 1), (1, 1), (1, 1)))
    np.pad(np.zeros((2, 3)), ((0, 0), (-1, 2)))
    np.take(np.zeros((2, 3)), 0, axis=2)
    np.repeat(np.zeros((2, 3)), 2, axis=2)
    np.cumsum(np.zeros((2, 3)), axis=2)
    np.sort(np.zeros(3), axis=1)
    np.flip(np.zeros(3), axis=1)
    np.argmax(np.zeros(3), axis=1)
    np.diff(np.zeros(3), axis=1)
    np.linalg.inv(np.zeros((2, 3)))
    np.linalg.norm(np.zeros(3), axis=1)
    np.fft.fft(np.zeros(8), axis=1)
    np.fft.fft2(np.zeros(8))
    np.zeros((2, 3)) + np.zeros((2, 4))
    np.mod(np.zeros((2, 3)), np.zeros((2, 4)))
    np.maximum(np.zeros(2), np.zeros(3))
    np.where(np.zeros(2) > 0, np.zeros(3), 0.0)
    np.zeros(3)[:, 0]
    np.ones((2, 3)) @ np.ones(2)
    np.percentile(np.zeros((2, 3)), 50, axis=2)
    torch.from_numpy(np.zeros((2, 3))).view(4, 2)
    torch.nn.Linear(4, 2)(torch.from_numpy(np.zeros((2, 3), dtype=np.float32)))
    torch.zeros(2, 3).numpy().sum(axis=2)
""".strip().splitlines()


@pytest.mark.parametrize("call", [line.strip() for line in REFUSED])
def test_what_numpy_refuses_is_an_error(call: str, tmp_path: Path) -> None:
    text = f"import numpy as np\nimport torch\ny = {call}\n"
    with pytest.raises((ValueError, IndexError, RuntimeError, TypeError)):
        exec(text, {})
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    problems = explore(tmp_path, path.name, tree, Versions()).problems.values()
    assert [p.level for p in problems if p.certain] == ["error"]


@pytest.mark.parametrize(
    ("measure", "size"), [("np.shape(x)[1]", 6), ("np.ndim(x)", 2), ("np.size(x)", 24), ("np.size([[1, 2]], 1)", 2)]
)
def test_what_an_array_says_of_itself(tmp_path: Path, measure: str, size: int) -> None:
    text = (
        f"import numpy as np\nimport torch\nx = torch.zeros(4, 6)\ntorch.zeros(2, {measure}) @ torch.zeros(SIZE, 1)\n"
    )
    for width, lines in ((size, []), (size + 1, [4])):
        shared = explore(tmp_path, "main.py", ast.parse(text.replace("SIZE", str(width))), Versions())
        assert [p.site.line for p in shared.problems.values() if p.level == "error"] == lines


@pytest.mark.parametrize(
    ("shape", "refused"), [("(3, 5)", True), ("(3, 4)", False), ("(-1, 5)", True), ("(-1, 6)", False), ("n", False)]
)
def test_a_size_that_was_asked_for_is_known_afterwards(tmp_path: Path, shape: str, refused: bool) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import numpy as np\n\n\ndef f(frame, n):\n    if frame.size == 12:\n"
        f"        return np.reshape(frame, {shape})\n    return np.reshape(frame, (7, 5))\n"
    )
    _, tree = read_source(path, tmp_path)
    problems = explore(tmp_path, path.name, tree, Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error"] == [6] * refused


@pytest.mark.parametrize(
    ("image", "shape"), [("(250, 160)", (110, 84)), ("(250, 160, 3)", (110, 84, 3)), ("(250, 160, 1)", (110, 84))]
)
def test_an_image_is_resized_to_width_and_height(tmp_path: Path, image: str, shape: tuple[int, ...]) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"import cv2\nimport numpy as np\ny = cv2.resize(np.zeros({image}), (84, 110))\n")
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, path.name, tree, Versions())
    assert [t.dims for (_, line, _), tensors in shared.assigned.items() if line == 3 for t in tensors] == [shape]
