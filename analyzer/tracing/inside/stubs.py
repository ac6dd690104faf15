"""Stand-ins for what a first training step does not need: loggers, progress bars, plots, trackers.

`Anything` takes every call and attribute; going through its elements, or using it as a number, is not answered: what
hangs on that cannot be reached.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterator
from typing import Any

# Trackers talk to servers and write logs: always replaced. The others only where they are not installed.
TRACKERS = (
    "wandb", "mlflow", "comet_ml", "neptune", "clearml", "aim", "visdom", "dvclive", "swanlab", "trackio",
    "tensorboard", "tensorboardX", "torch.utils.tensorboard",
)  # fmt: skip
OPTIONAL = (
    "tqdm", "matplotlib", "seaborn", "torchinfo",
    "torchsummary", "thop", "GPUtil", "colorama", "termcolor", "prettytable", "setproctitle", "psutil", "ipdb",
    "pytorch_model_summary", "livelossplot", "progressbar", "prefetch_generator", "pynvml", "nvidia_smi", "fvcore",
    "loguru", "rich", "tabulate", "coloredlogs", "torchviz", "codecarbon", "dotenv", "pyfiglet", "icecream",
    "google.colab",
)  # fmt: skip


class Finished(BaseException):
    """The first training step is over, and what comes after it repeats it."""


class NotReached(BaseException):
    """The script needs something that is not here; `args[0]` says what, in a few words."""


class Anything:
    """An object of a package that was left out."""

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    def __call__(self, *args: Any, **options: Any) -> Any:
        if len(args) == 1 and not options and isinstance(args[0], (types.FunctionType, type)):
            return args[0]  # used as a decorator
        return Anything()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *rest: Any) -> None:
        return None

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __getitem__(self, key: Any) -> Any:
        return Anything()

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        raise NotReached("what a package that was left out would give")

    def __array__(self, *args: Any, **options: Any) -> Any:
        return iter(self)

    __len__ = __int__ = __float__ = __index__ = __iter__


class GivenConfig(Anything):
    """The configuration of a run that a tracker keeps: what the script has given it, and nothing that it has not."""

    def __init__(self, given: Any = None) -> None:
        self._given: dict[str, Any] = {}
        self._missed = False  # it was asked for what nobody has given it
        self.update(given)

    def update(self, given: Any = None, *args: Any, **options: Any) -> None:
        values = given if isinstance(given, dict) else getattr(given, "__dict__", {})
        if not isinstance(given, Anything):
            self._given.update({**values, **options.get("params", {})})

    setdefaults = update

    def __getattr__(self, name: str) -> Any:
        return self[name] if not name.startswith("_") else super().__getattr__(name)

    def __getitem__(self, key: Any) -> Any:
        if key not in self._given:
            self._missed = True
            return Anything()
        return self._given[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._given)

    def __len__(self) -> Any:
        return len(self._given)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self._given[name] = value

    __setitem__ = __setattr__

    def __contains__(self, key: Any) -> bool:
        return key in self._given

    def get(self, key: Any, default: Any = None) -> Any:
        return self._given.get(key, default)

    def keys(self) -> Any:
        return self._given.keys()

    def items(self) -> Any:
        return self._given.items()

    def as_dict(self) -> dict[str, Any]:
        return dict(self._given)


class TrackedRun(Anything):
    """What `wandb.init` gives: a run with the configuration that it was given."""

    def __init__(self, config: GivenConfig) -> None:
        self.config = config


class AbsentFile(Anything):
    """What a file holds that is not here, such as a checkpoint.

    `pending` holds what somebody has of it that was not loaded into a model: what hangs on that is not known.
    """

    def __init__(self, path: str, pending: list[Any]) -> None:
        self._path, self._pending, self._gone_through = path, pending, False
        pending.append(self)

    def loaded(self) -> None:
        """It was loaded into a model, or something was taken out of it."""
        self._pending[:] = [other for other in self._pending if other is not self]

    def _part(self) -> AbsentFile:
        self.loaded()
        return AbsentFile(self._path, self._pending)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._part()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._part()

    def __getitem__(self, key: Any) -> Any:
        return self._part()

    def __contains__(self, key: Any) -> bool:
        return True

    def items(self) -> Any:
        """None: a dictionary that is made of them is loaded into a model as the file would be."""
        self._gone_through = True
        return ()

    keys = values = items

    @staticmethod
    def emptied(pending: list[Any]) -> bool:
        """Whether the parts of such a file were asked for, one after the other; then they count as loaded."""
        found = [file for file in pending if file._gone_through]
        for file in found:
            file.loaded()
        return bool(found)

    def __iter__(self) -> Iterator[Any]:
        raise NotReached(f"a file ({self._path})")

    __len__ = __int__ = __float__ = __index__ = __iter__


class ProgressBar:
    """`tqdm` without the bar: the elements as they are."""

    def __init__(self, iterable: Any = None, *args: Any, **options: Any) -> None:
        self.iterable = options.get("iterable", iterable)
        self.total = options.get("total")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable)

    def __len__(self) -> int:
        return len(self.iterable)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *rest: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        return Anything()

    @staticmethod
    def write(*args: Any, **options: Any) -> None:
        return None


class _Module(types.ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if self.__name__.partition(".")[0] == "tqdm" and name in ("tqdm", "tqdm_notebook", "auto"):
            return ProgressBar
        if self.__name__.partition(".")[0] == "tqdm" and name == "trange":
            return lambda *a, **o: ProgressBar(range(*a))
        if self.__name__ == "matplotlib.pyplot" and name == "subplots":
            return lambda *args, **options: (Anything(), Anything())
        return Anything if name[:1].isupper() else Anything()


def stands_in(value: Any) -> bool:
    if isinstance(value, GivenConfig):
        return value._missed
    return isinstance(value, (Anything, ProgressBar, _Module)) or value is Anything


def _asked_below(root: str) -> bool:
    """Whether the import that a finder is asked for stands in a file below `root`."""
    frame: Any = sys._getframe(2)
    while frame is not None and ("importlib" in frame.f_code.co_filename or "assay_dry" in frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(root)


class AbsentFinder(importlib.abc.MetaPathFinder):
    """The last to be asked: finds nothing, and notes the packages that the project's code asked for in vain."""

    def __init__(self, absent: list[str], root: str) -> None:
        self.absent, self.root = absent, root

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if path is None and _asked_below(self.root):
            self.absent.append(name)
        return None


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers imports of the packages above by files below `root`: libraries know by themselves what to do without."""

    def __init__(self, names: tuple[str, ...], used: list[str], root: str) -> None:
        self.names, self.used, self.root = names, used, root

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if any(name == n or name.startswith(n + ".") for n in self.names) and _asked_below(self.root):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        self.used.append(next(n for n in self.names if f"{spec.name}.".startswith(f"{n}.")))
        return _Module(spec.name)

    def exec_module(self, module: Any) -> None:
        if module.__name__ in ("wandb", "trackio", "swanlab"):  # whose `init` takes the configuration and hands it out
            _keep_configuration(module)


def _keep_configuration(module: Any) -> None:
    module.config = GivenConfig()

    def init(*args: Any, **options: Any) -> Any:
        module.config.update(options.get("config"))
        module.run = TrackedRun(module.config)
        return module.run

    module.init = init


class PatchFinder(importlib.abc.MetaPathFinder):
    """Lets an adapter change a module as soon as it is imported; to ask whether a module is there is no import."""

    def __init__(self, adapters: dict[str, Any]) -> None:
        self.adapters = adapters

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.adapters:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is None or spec.loader is None or isinstance(finder, StubFinder):
                continue
            run = spec.loader.exec_module

            def exec_module(module: Any, run: Any = run) -> None:
                run(module)
                adapter = self.adapters.pop(name, None)
                if adapter is not None:
                    adapter(module)

            setattr(spec.loader, "exec_module", exec_module)  # noqa: B010
            return spec
        return None
