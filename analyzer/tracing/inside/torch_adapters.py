"""PyTorch and what is built on it, for a dry run: fake tensors, no devices, loaders cut short, nothing written."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from collections.abc import Iterator
from typing import Any

from .graphs import known_graphs
from .made_up import InventedNumber
from .stubs import AbsentFile, Finished

MOST_LISTED = 20_000  # batches of a sampler of the project's own that are listed to find the last one
MOST_EPOCHS = 40  # of one batch each but the first, in a loop that could not be cut short


def adapters(progress: Any) -> dict[str, Any]:
    """What to do with each module as soon as it is imported."""
    return {
        "torch": lambda torch: _torch(torch, progress),
        "torch.utils.data": lambda data: _loaders(data, progress),
        "torch.utils.data.dataloader": lambda module: None,
        "torchvision.datasets": lambda datasets: _vision(datasets, progress),
        "torchvision.datasets.folder": lambda folder: _folders(folder, progress),
        "torch_geometric.datasets": lambda datasets: known_graphs(datasets, progress),
        "timm": _untrained,
    }


def _torch(torch: Any, progress: Any) -> None:
    from torch.optim.optimizer import register_optimizer_step_post_hook

    register_optimizer_step_post_hook(lambda *rest: progress.step())
    plain_backward = torch.Tensor.backward

    def backward(self: Any, *args: Any, **options: Any) -> None:
        plain_backward(self, *args, **options)
        progress.trained += 1

    torch.Tensor.backward = backward
    torch.manual_seed(0)
    _checkpoints(torch, progress)
    torch.compile = lambda model=None, *args, **options: model if model is not None else (lambda f: f)
    torch.jit.script = lambda model, *args, **options: model
    _alone(torch)
    _no_devices(torch)
    if progress.mode == "fake":
        _fake(torch, progress)


def _checkpoints(torch: Any, progress: Any) -> None:
    """What is saved is kept, not written, and loaded again from there; weights of a file that is not here are left out.

    A model keeps its own sizes then; whatever else is asked of such a file is not reached.
    """
    plain_load = torch.load
    kept: dict[str, Any] = {}

    def save(obj: Any, f: Any, *args: Any, **options: Any) -> None:
        if not isinstance(f, (str, os.PathLike)):
            return
        path = os.path.abspath(os.fspath(f))
        kept[path] = obj
        with contextlib.suppress(OSError), open(path, "wb"):  # the script may ask whether it is there
            pass

    def load(f: Any, *args: Any, **options: Any) -> Any:
        path = os.path.abspath(os.fspath(f)) if isinstance(f, (str, os.PathLike)) else ""
        if path and path not in kept and not os.path.exists(path):
            progress.inventions.tell(f"the weights of {os.fspath(f)}")
            return AbsentFile(os.fspath(f), progress.pending)
        return kept[path] if path in kept else plain_load(f, *args, **options)

    torch.save, torch.load = save, load
    torch.hub.load_state_dict_from_url = lambda url, *args, **options: AbsentFile(url, progress.pending)

    def loads(kind: Any, result: Any) -> None:
        plain = kind.load_state_dict

        @functools.wraps(plain)
        def load_state_dict(self: Any, state: Any, *args: Any, **options: Any) -> Any:
            if type(state) is dict and not state and AbsentFile.emptied(progress.pending):
                return result  # made of the parts of a file that is not here
            if not isinstance(state, AbsentFile):
                loaded = plain(self, state, *args, **options)
                AbsentFile.emptied(progress.pending)
                return loaded
            state.loaded()
            return result

        kind.load_state_dict = load_state_dict

    loads(torch.nn.Module, torch.nn.modules.module._IncompatibleKeys([], []))
    loads(torch.optim.Optimizer, None)
    loads(torch.optim.lr_scheduler.LRScheduler, None)


def _alone(torch: Any) -> None:
    """Of several processes that would train together this is the first, and the only one."""
    distributed = torch.distributed
    if distributed.is_available():
        plain = distributed.init_process_group

        def init_process_group(*args: Any, **options: Any) -> None:
            from torch.testing._internal.distributed.fake_pg import FakeStore

            plain("fake", rank=0, world_size=1, store=FakeStore())  # whose collectives leave all as it is

        distributed.init_process_group = init_process_group

    def spawn(function: Any, args: Any = (), *rest: Any, **options: Any) -> None:
        function(0, *args)

    torch.multiprocessing.spawn = spawn

    class Replica(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, module: Any, *args: Any, **options: Any) -> None:
            super().__init__()
            self.module = module

        def forward(self, *args: Any, **options: Any) -> Any:
            return self.module(*args, **options)

        def no_sync(self) -> Any:
            return contextlib.nullcontext()

        join = no_sync

    Replica.__name__ = "DistributedDataParallel"
    torch.nn.parallel.DistributedDataParallel = torch.nn.parallel.distributed.DistributedDataParallel = Replica


def _no_devices(torch: Any) -> None:
    """Whatever is to live on another device stays where it is."""
    from torch.overrides import TorchFunctionMode

    def moved(value: Any) -> Any:
        if isinstance(value, torch.device) or (isinstance(value, str) and value.partition(":")[0] in _DEVICES):
            return torch.device("cpu") if str(value) != "meta" else value
        return value

    class OnProcessor(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            options = dict(kwargs or {})
            if function in (torch.Tensor.cuda, torch.Tensor.xpu):
                return args[0]
            if function is torch.Tensor.pin_memory:
                return args[0]
            if options.get("device") is not None:
                options["device"] = moved(options["device"])
            if function is torch.Tensor.to and len(args) > 1:
                if isinstance(args[1], int) and not isinstance(args[1], bool):
                    args = (args[0], "cpu", *args[2:])  # the number of a device
                args = (args[0], *(moved(a) for a in args[1:]))
            return function(*args, **options)

    OnProcessor().__enter__()
    nothing: Any = lambda self, *args, **options: self  # noqa: E731
    torch.nn.Module.cuda = nothing
    plain_to = torch.nn.Module.to

    def to(self: Any, *args: Any, **options: Any) -> Any:
        given = [*args, *options.values()]
        kinds = [a for a in given if isinstance(a, torch.dtype)]
        kinds += [a.dtype for a in given if isinstance(a, torch.Tensor)]
        return plain_to(self, kinds[0]) if kinds else self

    torch.nn.Module.to = to
    for name in ("synchronize", "empty_cache", "set_device", "manual_seed_all", "reset_peak_memory_stats"):
        setattr(torch.cuda, name, lambda *args, **options: None)
    for name in ("max_memory_allocated", "memory_allocated", "max_memory_reserved", "memory_reserved"):
        setattr(torch.cuda, name, lambda *args, **options: 0)
    parallel = torch.nn.DataParallel

    class Alone(parallel):  # type: ignore[misc,valid-type]
        def __init__(self, module: Any, *args: Any, **options: Any) -> None:
            super().__init__(module)

    torch.nn.DataParallel = torch.nn.parallel.DataParallel = Alone


_DEVICES = ("cuda", "xpu", "mps", "hip", "npu")


# ------------------------------------------------------------------------------------------------ fake tensors


def _fake(torch: Any, progress: Any) -> None:
    """Every tensor has a shape and no elements. A number that the script asks for is invented and counted."""
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    scalar = torch.ops.aten._local_scalar_dense.default

    def invented(dtype: Any) -> Any:
        progress.made_up += 1
        progress.decided = True
        if dtype is torch.bool:
            return True
        return 0.5 if dtype.is_floating_point else 1

    class Shapes(FakeTensorMode):  # type: ignore[misc]
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function is scalar and isinstance(args[0], FakeTensor):
                return invented(args[0].dtype)
            return super().__torch_dispatch__(function, types, args, kwargs)

    def as_array(tensor: Any, *args: Any, **options: Any) -> Any:
        import numpy

        if not isinstance(tensor, FakeTensor):
            return plain_numpy(tensor, *args, **options)
        progress.made_up += 1
        progress.decided = True
        kind = str(tensor.dtype).rpartition(".")[2].replace("bfloat16", "float32")
        return numpy.zeros(tuple(int(n) for n in tensor.shape), dtype=kind)

    def item(tensor: Any) -> Any:
        if not isinstance(tensor, FakeTensor) or not tensor.dtype.is_floating_point or tensor.numel() != 1:
            return plain_item(tensor)
        progress.made_up += 1
        return InventedNumber(0.5).of(progress)

    plain_item = torch.Tensor.item
    torch.Tensor.item = item
    plain_numpy, plain_list = torch.Tensor.numpy, torch.Tensor.tolist
    torch.Tensor.numpy = as_array
    torch.Tensor.tolist = lambda t: as_array(t).tolist() if isinstance(t, FakeTensor) else plain_list(t)
    torch.Tensor.__array__ = lambda t, dtype=None, **options: (
        as_array(t) if dtype is None else as_array(t).astype(dtype)
    )
    mode = Shapes(allow_non_fake_inputs=True)
    torch.set_num_threads(1)  # only data are computed, in small pieces
    progress.without_values()
    mode.__enter__()


# ----------------------------------------------------------------------------------------------------- loaders


def _loaders(data: Any, progress: Any) -> None:
    """Two whole batches and the last one if it is shorter; in later epochs one batch; in the end all has been seen."""
    loader = data.DataLoader
    plain_init, plain_iter = loader.__init__, loader.__iter__
    rounds: dict[Any, int] = {}
    steps: dict[Any, int] = {}
    seen: list[Any] = []  # keeps data sets alive, so that an id stands for one of them

    @functools.wraps(plain_init)
    def init(self: Any, *args: Any, **options: Any) -> None:
        for name in ("num_workers", "pin_memory", "persistent_workers", "prefetch_factor", "multiprocessing_context",
                     "timeout", "pin_memory_device"):  # fmt: skip
            options.pop(name, None)
        plain_init(self, *args[:5], **options)

    def iterate(self: Any) -> Iterator[Any]:
        key = (id(self.dataset), self.batch_size)  # a loader may be made anew for each epoch
        seen.append(self.dataset)
        rounds[key] = rounds.get(key, 0) + 1
        if rounds[key] > MOST_EPOCHS and progress.steps > steps.get(key, 0):
            raise Finished
        if rounds[key] == 1:
            steps[key] = progress.steps
        for batch in _batches(self, plain_iter, rounds[key] == 1, progress):
            progress.batches += 1
            yield batch

    loader.__init__, loader.__iter__ = init, iterate


_OVER = object()  # in place of a batch


def _batches(loader: Any, plain_iter: Any, first: bool, progress: Any) -> Iterator[Any]:
    from torch.utils._python_dispatch import _disable_current_modes

    wanted = progress.whole_batches if first else 1
    dataset = loader.dataset
    if not hasattr(dataset, "__getitem__") or not hasattr(dataset, "__len__"):
        with _disable_current_modes():
            batches = iter(plain_iter(loader))
        for number in itertools.count():
            with _disable_current_modes():
                batch = next(batches, _OVER)
            if batch is _OVER:
                return
            if number >= wanted:
                progress.left_out()
                return
            yield batch
    with _disable_current_modes():
        other = int(progress.inventions.arrays and progress.inventions.varied)  # so that no batch is taken for an axis
        chosen, whole = _indices(loader, wanted, first, other)
    for indices in chosen:
        with _disable_current_modes():  # what a data set computes has numbers, and transforms ask for them
            many = getattr(dataset, "__getitems__", None)
            if loader.batch_size is None and not isinstance(indices, (list, tuple)):
                examples = dataset[indices]
            else:
                examples = many(indices) if many is not None else [dataset[i] for i in indices]
            batch = loader.collate_fn(examples)
        yield batch
    if not whole:
        progress.left_out()


def _indices(loader: Any, wanted: int, first: bool, other: int = 0) -> tuple[list[Any], bool]:
    """Those of the batches, and whether they are all that the loader has."""
    from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler

    sampler = loader.batch_sampler if loader.batch_sampler is not None else loader.sampler
    inner: Any = getattr(sampler, "sampler", None)  # that of a sampler of batches which somebody gave, too
    if type(sampler) is BatchSampler and type(inner) in (RandomSampler, SequentialSampler):
        count, size = len(inner), sampler.batch_size + other
        starts = list(range(0, count, size))
        batches = [list(range(s, min(s + size, count))) for s in (*starts[:wanted], *starts[wanted:][-1:])]
        shorter = batches and len(batches[-1]) < size
        if (shorter and sampler.drop_last) or (len(batches) > wanted and not (shorter and first)):
            batches.pop()
        kept = batches if first else batches[:1]
        return kept, len(kept) == len(loader)
    found: list[Any] = []
    last, whole = None, True
    for number, batch in enumerate(sampler):
        if number < wanted:
            found.append(batch)
        elif not first or number >= MOST_LISTED:
            return found, False
        else:
            last, whole = batch, number == wanted
    if last is not None and isinstance(last, list) and found and len(last) < len(found[0]):
        found.append(last)
        return found, whole
    return found, last is None


# -------------------------------------------------------------------------------------------- data

_SIZES = {  # rows of training and test set, sizes of an image, classes
    "MNIST": (60000, 10000, (28, 28), 10), "FashionMNIST": (60000, 10000, (28, 28), 10),
    "KMNIST": (60000, 10000, (28, 28), 10), "CIFAR10": (50000, 10000, (32, 32, 3), 10),
    "CIFAR100": (50000, 10000, (32, 32, 3), 100), "SVHN": (73257, 26032, (32, 32, 3), 10),
    "USPS": (7291, 2007, (16, 16), 10), "STL10": (5000, 8000, (96, 96, 3), 10),
}  # fmt: skip


def _vision(datasets: Any, progress: Any) -> None:
    """Data sets that would be downloaded are images of zeros, as many and as large as theirs."""
    from torch.utils.data import Dataset

    def made(name: str, train: int, test: int, sizes: tuple[int, ...], classes: int) -> Any:
        class Zeros(Dataset):  # type: ignore[misc]
            def __init__(self, root: Any = None, *args: Any, **options: Any) -> None:
                import numpy

                train_set = options.get("train", args[0] if args and isinstance(args[0], bool) else True)
                train_set = train_set and options.get("split", "train") == "train"
                rest = [a for a in args if not isinstance(a, (bool, str))]
                self.transform = options.get("transform", rest[0] if rest else None)
                self.target_transform = options.get("target_transform", rest[1] if len(rest) > 1 else None)
                self.rows = train if train_set else test
                self.data = numpy.zeros((self.rows, *sizes), dtype="uint8")
                self.targets = [i % classes for i in range(self.rows)]
                self.classes = [str(i) for i in range(classes)]
                progress.data.append(name)

            def __len__(self) -> int:
                return self.rows

            def __getitem__(self, index: int) -> Any:
                from PIL import Image  # type: ignore[import-not-found,unused-ignore]

                image: Any = Image.fromarray(self.data[index])
                target: Any = self.targets[index]
                image = self.transform(image) if self.transform is not None else image
                return image, self.target_transform(target) if self.target_transform is not None else target

        Zeros.__name__ = name
        return Zeros

    for name, (train, test, sizes, classes) in _SIZES.items():
        if hasattr(datasets, name):
            setattr(datasets, name, made(name, train, test, sizes, classes))


def _folders(folder: Any, progress: Any) -> None:
    """A folder of pictures that is not here is a made-up one."""
    kind = folder.DatasetFolder
    plain = kind.__init__

    @functools.wraps(plain)
    def init(self: Any, root: Any, loader: Any, extensions: Any = None, *args: Any, **options: Any) -> None:
        absent = isinstance(root, (str, os.PathLike)) and not os.path.exists(root)
        if absent and ".jpg" in (extensions or ()):
            root = progress.inventions.pictures()
        plain(self, root, loader, extensions, *args, **options)

    kind.__init__ = init


def _untrained(timm: Any) -> None:
    """Weights that would be downloaded are left out; the layers are the same."""
    plain = timm.create_model

    @functools.wraps(plain)
    def create_model(name: Any, pretrained: bool = False, *args: Any, **options: Any) -> Any:
        return plain(name, False, *args, **options)

    timm.create_model = create_model
