"""One attempt: the script executed as `__main__` until its first training step is over, and what came of it."""

from __future__ import annotations

import builtins
import os
import random
import re
import sys
import traceback
import warnings
from typing import Any

from .absent_files import SEARCHES, FileSearches, made_up_files, of_nothing, texts_made_up
from .argument_adapters import arguments_made_up
from .autograph import in_user_code
from .beginning import as_notebook, names_of_main, packages_above
from .fallbacks import does_without
from .fits import RANKS
from .lacks import FRAMEWORKS, HERE, lack
from .loops import ROUNDS, Loops, change_loops, compiled
from .made_up import Inventions
from .process_adapters import locks_of_threads
from .shapes import ShapeRecorder
from .stubs import OPTIONAL, TRACKERS, AbsentFinder, Finished, NotReached, PatchFinder, StubFinder, stands_in

WHOLE_BATCHES = 2  # of a loader; then comes its last batch if that one is shorter
MOST_TEXT = 20_000  # of an exception, in which another one may be quoted
MOST_FRAMES = 12  # of a traceback that a person reads


class RunProgress:
    """What happened so far; adapters count here and end the run when everything has been seen once."""

    def __init__(self, request: dict[str, Any], root: str, fake_mark: str) -> None:
        mode, script = request["mode"], request["script"]
        varied, filled = request.get("varied", False), request.get("filled", False)
        self.mode = mode
        self.root = root
        self.fake = False  # tensors without values are in use
        self._fake_mark = fake_mark  # a file that says so to the process which waits
        self.asked_for: list[str] = []  # addresses in the network
        self.made_up = 0  # values that a fake tensor was asked for and that were invented
        self.decided = False  # one of them may have decided a size or an index
        self.steps = 0  # of optimizers
        self.trained = 0  # steps, and gradients that were asked for
        self.batches = 0
        self.stubs: list[str] = []
        self.absent: list[str] = []  # packages that the project's code asked for and does not have here
        self.data: list[str] = []  # data sets that were replaced by zeros of their sizes
        self.whole_batches = WHOLE_BATCHES + varied  # what hangs on how much was left out comes out otherwise then
        self.rounds = ROUNDS + varied
        self.inventions = Inventions(
            root,
            script,
            varied,
            filled,
            request.get("rank", RANKS[0]),
            request.get("labels", True),
            request.get("fits"),
        )
        self.searches = FileSearches(root)
        self.pending: list[Any] = []  # what was taken out of files that are not here, and not loaded into a model
        self.trainers = False  # a library's own trainer was told to make a few steps and to write nothing
        self.cut = False  # batches or rounds of a loop were left out, and the program went on behind them

    def left_out(self) -> None:
        self.cut = True

    def asked_by_project(self, depth: int = 2) -> bool:
        """Whether the function that asks was called by the project's own code, not by a library for itself."""
        return _inside(sys._getframe(depth).f_code.co_filename, self.root)

    def missed_by_project(self, depth: int = 2) -> bool:
        """Whether the project's own code asks for a file that is not here, and has no other way where it misses it."""
        frame = sys._getframe(depth)
        return _inside(frame.f_code.co_filename, self.root) and not does_without(frame, self.root)

    def without_values(self) -> None:
        self.fake = True
        with open(self._fake_mark, "w", encoding="utf-8"):
            pass

    def heard(self, event: str, given: tuple[Any, ...]) -> None:
        """An audit hook: addresses in the network that somebody asks for; a library may pass over that in silence."""
        if event == "socket.getaddrinfo":
            asked = given[0]
        elif event == "socket.connect" and isinstance(given[1], tuple):
            asked = given[1][0]
        else:
            if event in SEARCHES:  # to ask for a frame is an event too
                self.searches.heard(event, given, sys._getframe(1))
            return
        name = asked.decode("utf-8", "replace") if isinstance(asked, bytes) else str(asked or "")
        if name not in _HERE and name not in _ASKED_WHETHER_ONLINE and not name.startswith("127."):
            self.asked_for.append(name)

    def step(self, most: int = 60) -> None:
        self.steps += 1
        self.trained += 1
        if self.steps >= most:
            raise Finished


_HERE = ("", "localhost", "::1", "0.0.0.0", "::")  # addresses of this machine itself
# Public name servers: who connects to them learns whether there is a network, and loads nothing (Ultralytics, at its
# import).
_ASKED_WHETHER_ONLINE = ("1.1.1.1", "1.0.0.1", "one.one.one.one", "8.8.8.8", "8.8.4.4", "dns.google")


def run_script(request: dict[str, Any], fake_mark: str) -> dict[str, Any]:
    root = os.path.realpath(request["root"])
    script = os.path.join(root, request["script"])
    progress = RunProgress(request, root, fake_mark)
    sys.addaudithook(progress.heard)
    _prepare(root, script, request, progress)
    recorder = ShapeRecorder(root)
    result: dict[str, Any] = {"status": "finished"}
    try:
        with open(script, "rb") as file:
            source = file.read()
        code = compile(source, script, "exec") if progress.mode == "plain" else compiled(source, script)
        main = type(sys)("__main__")
        main.__dict__.update(names_of_main(source, script, root))
        sys.modules["__main__"] = main
        as_notebook(source, main.__dict__, progress.stubs)
        if progress.mode != "plain":
            recorder.start()
        try:
            packages_above(main.__package__)
            exec(code, main.__dict__)
        finally:
            recorder.stop()
    except Finished:
        pass
    except SystemExit as ending:
        if ending.code not in (0, None):
            result = _unreachable(f"it ends with `{str(ending.code)[:80]}`: it may need arguments")
    except NotReached as need:
        reason = str(need.args[0]) if need.args else "something that is not here"
        seen = progress.steps and progress.mode != "plain"  # then the training itself was
        result = {"status": "finished", "reason": reason} if seen else _unreachable(reason)
    except KeyboardInterrupt:
        result = _unreachable("it was interrupted")
    except BaseException as error:
        result = _failure(error, root, progress)
    result.update(
        fake=progress.fake, made_up=progress.made_up, decided=progress.decided, steps=progress.steps,
        contents=progress.inventions.contents, arrays=progress.inventions.arrays, sizes=progress.inventions.sizes,
        labelled=progress.inventions.labelled,
        optional=progress.inventions.optional,
        batches=progress.batches, invented=progress.inventions.told, stubs=sorted(set(progress.stubs)),
        data=progress.data, shapes=recorder.shapes, calls=recorder.calls, mode=progress.mode,
    )  # fmt: skip
    return result


def _prepare(root: str, script: str, request: dict[str, Any], progress: RunProgress) -> None:
    from . import (
        array_adapters,
        command_adapters,
        hub_adapters,
        table_adapters,
        tensorflow_adapters,
        torch_adapters,
        trainer_adapters,
    )

    sys.argv = [script, *request.get("arguments", [])]
    sys.path[:] = [os.path.dirname(script), root, *[p for p in sys.path if os.path.realpath(p or ".") != os.getcwd()],
                   *request.get("packages", ())]  # fmt: skip
    os.chdir(root)
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if request.get("launched") and request["mode"] != "plain":
        for name, value in _LAUNCHED.items():
            os.environ.setdefault(name, value)
    builtins.input = lambda *a: _ask(progress)
    sys.meta_path.insert(0, StubFinder(TRACKERS, progress.stubs, root))
    sys.meta_path += [StubFinder(OPTIONAL, progress.stubs, root), AbsentFinder(progress.absent, root)]
    if request["mode"] == "plain":
        return
    change_loops(root, Loops(lambda: progress.trained, progress.left_out, request["seconds"], progress.rounds))
    warnings.simplefilter("ignore")
    random.seed(0)
    adapters = {**torch_adapters.adapters(progress), **tensorflow_adapters.adapters(progress)}
    adapters.update(trainer_adapters.adapters(progress))
    adapters.update({**made_up_files(progress), **hub_adapters.adapters(progress)})
    tables, arrays = table_adapters.adapters(progress), array_adapters.adapters(progress)
    adapters.update({**tables, **arrays, "numpy": lambda numpy: [each["numpy"](numpy) for each in (tables, arrays)]})
    texts_made_up(progress)
    adapters["multiprocessing"] = locks_of_threads
    if not request.get("arguments"):
        adapters["argparse"] = lambda argparse: arguments_made_up(argparse, progress.inventions)
        adapters.update(command_adapters.adapters(progress.inventions))
    sys.meta_path.insert(1, PatchFinder(adapters))
    for name in [name for name in adapters if name in sys.modules]:  # imported before the project's own code
        adapters.pop(name)(sys.modules[name])


# What a launcher of several processes tells the first of one.
_LAUNCHED = {
    "RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": "29500",
}  # fmt: skip


def _ask(progress: RunProgress) -> Any:
    if progress.mode == "plain":
        raise NotReached("an answer typed by a person")
    return progress.inventions.answer()


def _unreachable(reason: str) -> dict[str, Any]:
    return {"status": "unreachable", "reason": reason}


_FAKE_LIMITS = (
    "DataDependentOutputException", "DynamicOutputShapeException", "UnsupportedFakeTensorException",
    "UnsupportedOperatorException", "GuardOnDataDependentSymNode", "DataDependentError", "ValuesNeeded",
)  # fmt: skip
_FAKE_WORDS = (
    "faketensor", "fake tensor", "meta tensor", "data pointer", "fake mode", "symint", "meta device", "couldn't swap",
)  # fmt: skip


def _failure(error: BaseException, root: str, progress: RunProgress) -> dict[str, Any]:
    """A failure of the program, or what it lacks here."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not _passes_through(f)]
    own = [f for f in frames if _inside(f.filename, root)]
    last = frames[-1] if frames else None
    text = (str(error) or type(error).__name__).replace(root + os.sep, "")  # each attempt has another folder
    kind = type(error).__name__
    if progress.fake and (kind in _FAKE_LIMITS or any(w in text.lower() for w in _FAKE_WORDS)):
        return {"status": "values", "reason": "it asks for values that only a real run has"}
    if progress.cut and (isinstance(error, StopIteration) or "generator raised StopIteration" in text):
        return {"status": "finished"}  # it asks by hand for batches that were left out
    reason = lack(error, own, last, nothing_left_out=progress.mode == "plain")
    within = last is not None and any(part in last.filename for part in FRAMEWORKS)
    if reason is None and progress.absent and isinstance(error, (NameError, AttributeError, TypeError)) and not within:
        reason = f"the package `{progress.absent[0]}`, without which it fails ({kind}: {text[:120]})"
    if reason is None and progress.searches.nothing and of_nothing(text):
        reason = f"files ({progress.searches.nothing[0][:80]}), without which it fails ({kind}: {text[:120]})"
    if reason is None and progress.asked_for:
        reason = f"the network ({progress.asked_for[0][:80]}), without which it fails ({kind}: {text[:120]})"
    if reason is not None and progress.fake and not isinstance(error, (ImportError, OSError, EOFError)):
        return {"status": "values", "reason": reason}  # the numbers that it was shown are invented
    if reason is not None and progress.steps and progress.mode != "plain":
        return {"status": "finished", "reason": reason}  # the training itself was seen
    if reason is not None:
        return _unreachable(reason)
    if not own:
        return _unreachable(f"it fails outside the repository's own code ({kind})")
    doubt = _doubt(error, kind, last, own[-1], progress)
    own, text = in_user_code(own, text, root)
    place = own[-1]
    return {
        "status": "failed",
        "cut": progress.cut,
        "text": " ".join(text.split())[:MOST_TEXT],
        "doubt": doubt,
        "passed_on": _passed_on(error, text),
        "error": {
            "type": kind,
            "message": " ".join(text.split())[:400],
            "path": _relative(place.filename, root),
            "line": place.lineno,
            "frames": [
                {"path": _relative(f.filename, root), "line": f.lineno, "name": f.name, "text": (f.line or "")[:160]}
                for f in own[-MOST_FRAMES:]
            ],
        },
    }


_OF_VALUES = ("ZeroDivisionError", "FloatingPointError", "ValueError", "IndexError", "KeyError", "AssertionError")


def _doubt(error: BaseException, kind: str, last: Any, own: Any, progress: RunProgress) -> str | None:
    """What was left out or replaced and may have a part in the failure; None where nothing has."""
    trace = error.__traceback__
    names: dict[str, Any] = {}
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == own.filename and trace.tb_lineno == own.lineno:
            names = {**trace.tb_frame.f_globals, **trace.tb_frame.f_locals}
        trace = trace.tb_next
    used = set(re.findall(r"[A-Za-z_]\w*", own.line or ""))
    if "Anything" in str(error) or any(stands_in(names[name]) for name in used & names.keys()):
        return "what a package that was left out would give"
    if progress.trainers and _of_a_trainer(kind, str(error), traceback.extract_tb(error.__traceback__)):
        return "what a trainer gives that has made all its steps"
    if progress.pending:
        return f"a file ({progress.pending[0]._path})"
    if progress.data and kind in _OF_VALUES and not any(part in last.filename for part in FRAMEWORKS):
        return "the data set itself, which is replaced by zeros here"
    return None


# What a trainer says, or has not made, where it writes no checkpoints and makes a few steps.
_TRAINERS = ("/lightning/", "/pytorch_lightning/", "/transformers/", "/accelerate/")
_OF_TRAINERS = re.compile(
    r"NoneType|not '?(function|method)|fast_dev_run|checkpoint|ckpt|best.?model|(save|eval\w*|logging)_strateg",
    re.IGNORECASE,
)


def _of_a_trainer(kind: str, text: str, frames: Any) -> bool:
    """Whether a failure may be for what a trainer would have given at its end: its best weights, metrics, logs."""
    within = any(part in frame.filename for frame in frames for part in _TRAINERS)
    return _OF_TRAINERS.search(text) is not None or (kind in _OF_VALUES and not within)


# What runs a function elsewhere, or compiles it, and raises an error of its own for one that arose there.
_PASS_ON = ("torch._dynamo", "torch._inductor", "torch.multiprocessing", "multiprocessing", "concurrent", "joblib")


def _passed_on(error: BaseException, text: str) -> bool:
    """Whether the error speaks of another one, which arose on another line than where this one was raised."""
    return type(error).__module__.startswith(_PASS_ON) or "Traceback (most recent call last)" in text


def _passes_through(frame: Any) -> bool:
    """Whether a frame of ours only hands on what an operator is given."""
    return frame.filename.startswith(HERE) and frame.name in ("__torch_function__", "__torch_dispatch__", "run_script")


def _inside(name: str, root: str) -> bool:
    path = os.path.realpath(name)
    return (
        not name.startswith("<")
        and not path.startswith(HERE)
        and path.startswith(root + os.sep)
        and "site-packages" not in path
    )


def _relative(name: str, root: str) -> str:
    return os.path.relpath(os.path.realpath(name), root).replace(os.sep, "/")
