"""The dry run of long trainings: cut after a few steps, seen to what stands behind them, one process of several."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.tracing.dry_runs import line_of, run

LONG = """
    import time
    import numpy as np
    import torch
    net = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    data = torch.randn(90, 4)
    losses, step = [], 0
    def train(x):
        global step
        loss = net(x).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        step += 1
        time.sleep(0.02)
    LOOP
    BEHIND
    """


@pytest.mark.parametrize(
    ("loop", "behind", "kind"),
    [
        ("while step < 4000: train(data[:8])", "net(torch.zeros(2, 5))", "RuntimeError"),
        ("for i in range(4000): train(data[:8]) if i % 100 != 99 else train(data.T)", "", "RuntimeError"),
        ("for i in range(0, 90000, 8): train(data[:8] if i < 89992 else data.T)", "", "RuntimeError"),
        # What hangs on the number of rounds says nothing.
        ("for i in range(4000): train(data[:8])", "torch.stack(losses) + torch.zeros(4000)", None),
        ("while step < 4000: train(data[:8])", "assert len(losses) == 4000", None),
    ],
)  # fmt: skip
def test_what_stands_behind_a_long_training_is_seen(tmp_path: Path, loop: str, behind: str, kind: str | None) -> None:
    source = dedent(LONG).replace("LOOP", loop).replace("BEHIND", behind)
    found = run(tmp_path, source, seconds=160)
    assert (found.failure.kind if found.failure else None) == kind, found


def test_a_loop_that_takes_batches_by_hand_is_not_wrong(tmp_path: Path) -> None:
    source = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    net = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    loader = DataLoader(TensorDataset(torch.randn(4000, 4)), batch_size=1)
    import time
    for epoch in range(3):
        batches = iter(loader)
        for i in range(len(loader)):
            (x,) = next(batches)
            net(x).sum().backward()
            optimizer.step()
            time.sleep(0.01)
    """
    found = run(tmp_path, source, seconds=160)
    assert (found.failure, found.unreached) == (None, None)


def test_rounds_that_only_gather_gradients_are_of_a_training(tmp_path: Path) -> None:
    source = """
    import torch
    net = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    seen = 0
    for i in range(100_000):
        net(torch.zeros(2, 4)).sum().backward()
        seen += 1
        if (i + 1) % 5000 == 0:
            optimizer.step()
    net(torch.zeros(2, 5))  # fails
    """
    found = run(tmp_path, source, seconds=160)
    assert found.failure is not None, found
    assert found.failure.frames[-1].line == line_of(source)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(
    "start", ["main(int(os.environ['LOCAL_RANK']))", "torch.multiprocessing.spawn(main, nprocs=4)"]
)
def test_of_several_processes_the_first_is_run(tmp_path: Path, start: str, fails: bool) -> None:
    source = f"""
    import os, torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel as DDP
    from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
    def main(rank):
        dist.init_process_group("nccl")
        torch.cuda.set_device(rank)
        net = DDP(torch.nn.Linear(4, 2).to(rank), device_ids=[rank])
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        data = TensorDataset(torch.randn(90, {5 if fails else 4}))
        sampler = DistributedSampler(data)
        for epoch in range(3):
            sampler.set_epoch(epoch)
            for (x,) in DataLoader(data, 16, sampler=sampler):
                loss = net(x.cuda(rank)).sum()  # fails
                loss.backward()
                optimizer.step()
                dist.all_reduce(loss.detach())
        dist.barrier()
        dist.destroy_process_group()
    if __name__ == "__main__":
        {start}
    """
    found = run(tmp_path, source, seconds=160)
    assert (found.failure is not None, found.unreached) == (fails, None), found
    assert fails or found.steps > 2
