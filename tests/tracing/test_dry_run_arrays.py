"""The dry run of scripts whose arrays, tables and records are not here: sizes are made up and fitted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.tracing.inside import fallbacks, records
from analyzer.tracing.inside.conflicts import conflict, of_ranks
from analyzer.tracing.inside.fits import fitted, of_any_split
from analyzer.tracing.inside.made_up import Inventions
from tests.tracing.dry_runs import line_of, run


def _failed(message: str, **sizes: int) -> dict[str, Any]:
    return {
        "status": "failed",
        "error": {"message": message},
        "sizes": {n.replace("_", ":"): v for n, v in sizes.items()},
    }


STRETCHED = "The size of tensor a ({}) must match the size of tensor b (24) at non-singleton dimension 1"
MATRICES = "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x64)"


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (_failed(MATRICES.format(32, 37, 24), x_1=37), _failed(MATRICES.format(33, 43, 24), x_1=43), {"x:1": 24}),
        # one column was dropped, so that one more is needed
        (_failed(MATRICES.format(32, 36, 24), x_1=37), _failed(MATRICES.format(33, 42, 24), x_1=43), {"x:1": 25}),
        # it is twice in it
        (_failed(MATRICES.format(32, 74, 24), x_1=37), _failed(MATRICES.format(32, 86, 24), x_1=43), {"x:1": 12}),
        # the program's own sizes conflict
        (_failed(MATRICES.format(32, 20, 24), x_1=37), _failed(MATRICES.format(32, 20, 24), x_1=43), {}),
        # two made-up sizes, none of which is the one in conflict
        (
            _failed(MATRICES.format(32, 80, 24), x_1=37, z_1=43),
            _failed(MATRICES.format(32, 96, 24), x_1=43, z_1=53),
            {},
        ),
        # both sides grow
        (_failed(MATRICES.format(32, 37, 41), x_1=37), _failed(MATRICES.format(32, 43, 53), x_1=43), {}),
        # either size may be stretched where it is 1, so nobody asks for another
        (
            _failed(
                "The size of tensor a (37) must match the size of tensor b (24) at non-singleton dimension 1", x_1=37
            ),
            _failed(
                "The size of tensor a (43) must match the size of tensor b (24) at non-singleton dimension 1", x_1=43
            ),
            {},
        ),
        (
            _failed("shape '[-1, 1, 28, 28]' is invalid for input of size 22940", x_1=37),
            _failed("shape '[-1, 1, 28, 28]' is invalid for input of size 30573", x_1=43),
            {"x:1": 784},
        ),
        # of an array with more axes it is not known which of them
        (
            _failed("shape '[-1, 1, 28, 28]' is invalid for input of size 986420", x_1=37, x_2=43),
            _failed("shape '[-1, 1, 28, 28]' is invalid for input of size 1620369", x_1=43, x_2=53),
            {},
        ),
        ({"status": "finished"}, _failed("", x_1=3), {}),
    ],
)
def test_a_size_that_the_program_asks_for_is_fitted(first: Any, second: Any, wanted: dict[str, int]) -> None:
    assert fitted(first, second) == wanted


@pytest.mark.parametrize(
    ("name", "other", "same"),
    [
        ("data/train_x.npy", "data/test_x.npy", True), ("a/train/x.npy", "a/val/x.npy", True),
        ("latest.npy", "l.npy", False), ("a/x.npy", "b/x.npy", False), ("0001.npy", "0002.npy", True),
        ("part1.npy", "part2.npy", False),
    ],
)  # fmt: skip
def test_only_splits_of_the_same_data_have_the_same_sizes(name: str, other: str, same: bool) -> None:
    assert (of_any_split(name) == of_any_split(other)) is same


def test_no_two_made_up_sizes_are_the_same(tmp_path: Path) -> None:
    plain, varied = (Inventions(str(tmp_path), "train.py", v) for v in (False, True))
    pairs = [(plain.size(name), varied.size(name)) for name in "abcdefgh"]
    assert len({b - a for a, b in pairs}) == len(pairs)
    assert len({n for pair in pairs for n in pair}) >= len(pairs) + 4


@pytest.mark.parametrize(
    "message",
    ["Expected 3D or 4D (batch) input to conv2d, but got input of size: [2, 3]", "expected ndim=3, found ndim=2"],
)
def test_messages_about_the_number_of_axes(message: str) -> None:
    assert of_ranks(message)
    assert not of_ranks("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")


@pytest.mark.parametrize(
    ("handler", "goes_on"),
    [
        ("except FileNotFoundError:\n    x = 1", True), ("except (OSError, KeyError):\n    pass", True),
        ("except:\n    pass", True), ("except KeyError:\n    pass", False),
        ("except OSError as e:\n    raise SystemExit from e", False),
    ],
)  # fmt: skip
def test_a_program_with_another_way_is_told(tmp_path: Path, handler: str, goes_on: bool) -> None:
    (tmp_path / "a.py").write_text(f"try:\n    x = load()\n{handler}\n")
    assert bool(fallbacks._guarded(str(tmp_path / "a.py"))) is goes_on


def test_records_have_the_keys_that_code_asks_for(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("r['text']; r.get('label'); r['x'] = 1; state['optimizer']; r[0]\n")
    assert records.named_keys(str(tmp_path)) == ("text", "label")
    for varied in (False, True):
        inventions = Inventions(str(tmp_path), "a.py", varied)
        rows = [json.loads(line) for line in records.text("a.jsonl", inventions).splitlines()]
        assert set(rows[0]) == {"text", "label"}
        assert len(json.loads(records.text("a.json", inventions))) == len(rows)
        header = records.text("a.csv", inventions).splitlines()[0].split(",")
        assert len(header) == (13 if varied else 9)


DIGITS = """
    from pathlib import Path
    import numpy as np
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset
    blob = np.load(Path(__file__).parent / "data" / "digits.npz")
    images = torch.from_numpy(blob["images"].astype(np.float32) / 255).reshape(-1, 1, 28, 28)
    labels = torch.from_numpy(blob["labels"].astype(np.int64))
    net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(WIDTH, 10))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x, y in DataLoader(TensorDataset(images, labels), 64, shuffle=True):
        loss = nn.functional.cross_entropy(net(x), y)  # fails
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
SEQUENCES = """
    import numpy as np
    import torch
    from torch import nn
    x = torch.from_numpy(np.load("windows.npy")).float()
    y = torch.from_numpy(np.load("labels.npy"))
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.head = nn.LSTM(6, 32, batch_first=True), nn.Linear(WIDTH, 3)
        def forward(self, x):
            h, _ = self.rnn(x)
            return self.head(h[:, -1])  # fails
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for start in range(0, len(x), 32):
        loss = nn.functional.cross_entropy(net(x[start : start + 32]), y[start : start + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    ("source", "width", "fails"),
    [(DIGITS, "8 * 13 * 13", False), (DIGITS, "8 * 14 * 14", True), (SEQUENCES, "32", False), (SEQUENCES, "64", True)],
)
def test_arrays_that_are_not_here_have_the_sizes_that_the_program_asks_for(
    tmp_path: Path, source: str, width: str, fails: bool
) -> None:
    source = source.replace("WIDTH", width)
    found = run(tmp_path, source)
    assert found.unreached is None, found
    assert (found.failure is not None) is fails, found
    assert found.failure is None or found.failure.frames[-1].line == line_of(source)


HEALTHY = {
    "one-hot labels": "((net(x[:32]) - y[:32]) ** 2).mean()",  # (32, 4) and (32, 4) with the data of the user
    "two arrays of other widths": "net(x[:32]).sum() + torch.nn.Linear(10, 4)(z[:32]).sum()",
    "two arrays side by side": "torch.nn.Linear(34, 4)(torch.cat([x, z], 1)[:32]).sum()",
    "one-hot labels of rows with an axis more": "(rnn(x[:40])[0][:, -1] - y[:40]).square().sum()",
    "another shape": "net(x[:32].reshape(32, 24)).sum()",
}


@pytest.mark.parametrize("line", HEALTHY.values(), ids=HEALTHY)
def test_what_works_with_some_arrays_is_no_failure(tmp_path: Path, line: str) -> None:
    source = f"""
    import numpy as np
    import torch
    x, y, z = (torch.from_numpy(np.load(f"{{n}}.npy")).float() for n in ("x", "y", "z"))
    net, rnn = torch.nn.Linear(24, 4), torch.nn.GRU(6, 4, batch_first=True)
    optimizer = torch.optim.SGD([*net.parameters(), *rnn.parameters()], 0.1)
    for _ in range(3):
        {line}.backward()
        optimizer.step()
    """
    found = run(tmp_path, source, seconds=90.0)
    assert found.failure is None, found


def test_a_script_that_makes_its_data_where_no_file_is_goes_its_own_way(tmp_path: Path) -> None:
    source = """
    import numpy as np
    import torch
    def data():
        try:
            return np.load("x.npy")
        except OSError:
            return np.zeros((90, 3, 8), "float32")
    net = torch.nn.Conv1d(3, 4, 3).to("cuda")
    net(torch.from_numpy(data()).to("cuda")).sum().backward()
    torch.optim.SGD(net.parameters(), 0.1).step()
    """
    found = run(tmp_path, source)
    assert (found.failure, found.unreached, found.invented) == (None, None, ())


@pytest.mark.parametrize("width", [16, 12])
def test_a_stream_of_tokens_that_is_not_here_is_made_up(tmp_path: Path, width: int) -> None:
    source = f"""
    import numpy as np
    import torch
    data = np.memmap("data/train.bin", dtype=np.uint16, mode="r")
    net = torch.nn.Sequential(torch.nn.Embedding(5000, 16), torch.nn.Linear({width}, 5000))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(3):
        starts = torch.randint(len(data) - 32, (4,)).tolist()
        x = torch.stack([torch.from_numpy(data[s : s + 32].astype(np.int64)) for s in starts])
        net(x).sum().backward()  # fails
        optimizer.step()
    """
    found = run(tmp_path, source)
    assert found.unreached is None, found
    assert (found.failure is not None) == (width == 12), found
    assert found.failure is None or found.failure.frames[-1].line == line_of(source)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Received shapes (37, 64) and (37, 32)", "Received shapes (43, 64) and (43, 32)", True),
        ("Received shapes (37, 64) and (12, 64)", "Received shapes (43, 64) and (12, 64)", False),
        (
            "attn_mask is torch.Size([8, 8]), but should be (64, 64).",
            "attn_mask is torch.Size([8, 8]), but should be (9, 9).",
            False,
        ),
        ("Received shapes (37, 64) and (38, 64)", "Received shapes (43, 64) and (44, 64)", False),
        (
            "Shapes (None, 37, 4) and (None, 37, 5) are incompatible",
            "Shapes (None, 43, 4) and (None, 43, 5) are incompatible",
            True,
        ),
    ],
)
def test_sizes_that_two_shapes_share_are_in_no_conflict(one: str, other: str, same: bool) -> None:
    assert conflict(one) is not None
    assert (conflict(one) == conflict(other)) is same
