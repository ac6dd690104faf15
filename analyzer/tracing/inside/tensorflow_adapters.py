"""TensorFlow and Keras for a dry run: `fit` on two whole batches and the last, shorter one; nothing is downloaded."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Iterator
from typing import Any

from .stubs import Finished

MOST_EPOCHS = 40  # of a loop over a data set that could not be cut short
MOST_ELEMENTS = 10_000  # of a tf.data set that are skipped to see the last one
MOST_RUNS = 3  # of the same fetches in a session
WRITERS = ("ModelCheckpoint", "TensorBoard", "CSVLogger", "BackupAndRestore", "RemoteMonitor", "ProgbarLogger")


def adapters(progress: Any) -> dict[str, Any]:
    return {
        "keras": lambda keras: _keras(keras, progress),  # `tf.keras` loads it too, at its first use
        "tf_keras": lambda keras: _keras(keras, progress),
        "tensorflow": lambda tf: _tensorflow(tf, progress),
    }


def _tensorflow(tf: Any, progress: Any) -> None:
    dataset = tf.data.Dataset
    plain = dataset.__iter__
    rounds: dict[int, int] = {}
    steps: dict[int, int] = {}

    def iterate(self: Any) -> Iterator[Any]:
        key = id(self)
        rounds[key] = rounds.get(key, 0) + 1
        if rounds[key] > MOST_EPOCHS and progress.steps > steps.get(key, 0):
            raise Finished
        steps.setdefault(key, progress.steps)
        wanted = progress.whole_batches if rounds[key] == 1 else 1
        for batch in plain(self.take(wanted)):
            yield batch
            if progress.steps:
                progress.step()  # of a function whose graph exists already
        count = int(self.cardinality())
        if rounds[key] == 1 and wanted < count <= MOST_ELEMENTS:
            yield from plain(self.skip(count - 1))
        if not 0 <= count <= wanted:
            progress.left_out()

    if tf.executing_eagerly():
        for kind in {dataset, *_below(dataset)}:
            if "__iter__" in vars(kind):
                kind.__iter__ = lambda self: (
                    iterate(self) if tf.executing_eagerly() and progress.asked_by_project() else plain(self)
                )
    _globs(tf, progress)
    if hasattr(tf.debugging, "disable_traceback_filtering"):
        tf.debugging.disable_traceback_filtering()  # who refused something is asked of the traceback
    if hasattr(tf, "summary") and hasattr(tf.summary, "create_noop_writer"):
        tf.summary.create_file_writer = lambda *args, **options: tf.summary.create_noop_writer()
    session = tf.compat.v1.Session
    run = session.run
    seen: dict[str, int] = {}

    def run_few(self: Any, fetches: Any, *args: Any, **options: Any) -> Any:
        key = repr(fetches)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > MOST_RUNS:
            raise Finished
        progress.batches += 1
        return run(self, fetches, *args, **options)

    session.run = run_few


def _globs(tf: Any, progress: Any) -> None:
    plain = tf.io.gfile.glob

    def glob(pattern: Any, *args: Any, **options: Any) -> Any:
        found = plain(pattern, *args, **options)
        if not found and progress.asked_by_project():
            progress.searches.nothing.append(str(pattern))
        return found

    tf.io.gfile.glob = glob


def _below(kind: Any) -> set[Any]:
    found = set(kind.__subclasses__())
    return found.union(*(_below(k) for k in found)) if found else found


def _keras(keras: Any, progress: Any) -> None:
    model = keras.Model
    if "_assay_dry" in vars(model):  # patched already under another name
        return
    model._assay_dry = True
    if hasattr(getattr(keras, "config", None), "disable_traceback_filtering"):
        keras.config.disable_traceback_filtering()  # who refused something is asked of the traceback
    _data(keras, progress)
    fit, evaluate, predict = model.fit, model.evaluate, model.predict
    few = functools.partial(_few, keras, progress)

    @functools.wraps(fit)  # programs look at its parameters
    def fit_once(self: Any, *args: Any, **options: Any) -> Any:
        options = dict(_quiet(_named(fit, self, args, options)), epochs=1, initial_epoch=0, verbose=0)
        held = options.pop("validation_split", 0.0) or 0.0
        size = options.pop("batch_size", None) or 32
        x, y = options.pop("x", None), options.pop("y", None)
        count = _rows(x)
        for name in ("steps_per_epoch", "validation_steps"):
            asked = options.pop(name, None)
            given = x if name == "steps_per_epoch" else options.get("validation_data")
            if not _counted(given):
                options[name] = min(asked or progress.whole_batches, progress.whole_batches)
        if count is None and held:
            options["validation_split"] = held  # which is refused
        elif held and count is not None:
            train = count - int(count * held)
            if train < count:
                options["validation_data"] = (_rows_of(x, train, count), _rows_of(y, train, count))
            x, y, weights = (_rows_of(v, 0, train) for v in (x, y, options.get("sample_weight")))
            if weights is not None:
                options["sample_weight"] = weights
        if options.get("validation_data") is not None:
            options["validation_data"] = few(options["validation_data"], size)
        if options.get("sample_weight") is not None:
            x, y, options["sample_weight"] = few((x, y, options["sample_weight"]), size)
        elif count is not None:
            x, y = few((x, y), size)
        else:
            x = few(x, size)
        progress.left_out()
        result = fit(self, x, y, **options, **({} if count is None else {"batch_size": size}))
        progress.batches += 1
        progress.step()
        result.history = _History(result.history)
        return result

    @functools.wraps(evaluate)
    def evaluate_few(self: Any, *args: Any, **options: Any) -> Any:
        options = dict(_quiet(_named(evaluate, self, args, options)), verbose=0)
        size, x, y = options.pop("batch_size", None), options.pop("x", None), options.pop("y", None)
        options.pop("steps", None)
        if _rows(x) is not None:
            options["batch_size"] = size or 32
            weights = options.pop("sample_weight", None)
            x, y, options["sample_weight"] = few((x, y, weights), size or 32)
        elif _counted(x):
            x = few(x, 32)
        else:
            options["steps"] = progress.whole_batches
        return evaluate(self, x, y, **options)

    @functools.wraps(predict)
    def predict_few(self: Any, *args: Any, **options: Any) -> Any:
        import numpy

        options = _named(predict, self, args, options)
        size, x = options.get("batch_size"), options["x"]
        count = _rows(x)
        if count is None:
            counted = _counted(x)
            steps = None if counted else progress.whole_batches
            return predict(self, few(x, 32) if counted else x, steps=steps, verbose=0)
        found = predict(self, few(x, size or 32), batch_size=size, verbose=0)

        def all_rows(part: Any) -> Any:
            if isinstance(part, dict):
                return {name: all_rows(value) for name, value in part.items()}
            if isinstance(part, (list, tuple)):
                return type(part)(all_rows(value) for value in part)
            return part if len(part) == count else numpy.zeros((count, *part.shape[1:]), part.dtype)

        return all_rows(found)

    model.fit, model.evaluate, model.predict = fit_once, evaluate_few, predict_few
    plain_batch = model.train_on_batch

    @functools.wraps(plain_batch)
    def train_on_batch(self: Any, *args: Any, **options: Any) -> Any:
        result = plain_batch(self, *args, **options)
        progress.batches += 1
        progress.step()
        return result

    model.train_on_batch = train_on_batch
    for name in ("save", "save_weights", "export"):
        if hasattr(model, name):
            setattr(model, name, lambda self, *args, **options: None)
    if hasattr(keras.utils, "plot_model"):
        keras.utils.plot_model = lambda *args, **options: None
    _count_steps(keras, progress)
    name = f"{keras.__name__.partition('.')[0]}.src"
    folders(sys.modules.get(f"{name}.utils.dataset_utils"), "index_directory", progress.inventions)
    legacy = sys.modules.get(f"{name}.legacy.preprocessing.image")
    folders(getattr(legacy, "DirectoryIterator", None), "__init__", progress.inventions)
    _untrained(sys.modules.get(f"{name}.utils.file_utils"), model)


def folders(place: Any, name: str, inventions: Any) -> None:
    """A folder of pictures, or of texts, that is not here is a made-up one, of the classes that are named."""
    if not hasattr(place, name):
        return
    plain = getattr(place, name)
    parameters = inspect.signature(plain)

    @functools.wraps(plain)
    def read(*args: Any, **options: Any) -> Any:
        given = parameters.bind(*args, **options).arguments
        folder = given.get("directory")
        if isinstance(folder, (str, os.PathLike)) and not os.path.exists(folder):
            classes = given.get("class_names") or given.get("classes")
            texts = ".txt" in (given.get("formats") or ())
            given["directory"] = inventions.texts(classes) if texts else inventions.pictures(classes)
        return plain(*given.pop("args", ()), **{**given.pop("kwargs", {}), **given})

    setattr(place, name, read)


def _untrained(files: Any, model: Any) -> None:
    """Weights of `keras.applications` that would be downloaded are left out; the layers are the same."""
    if not hasattr(files, "get_file") or not hasattr(model, "load_weights"):
        return
    plain, plain_load = files.get_file, model.load_weights

    @functools.wraps(plain)
    def get_file(fname: Any = None, origin: Any = None, *args: Any, **options: Any) -> Any:
        if isinstance(origin, str) and "keras-applications" in origin:
            return _Untrained(fname or origin)
        return plain(fname, origin, *args, **options)

    @functools.wraps(plain_load)
    def load_weights(self: Any, filepath: Any, *args: Any, **options: Any) -> Any:
        return None if isinstance(filepath, _Untrained) else plain_load(self, filepath, *args, **options)

    files.get_file, model.load_weights = get_file, load_weights


class _Untrained(str):
    """The path of a file of weights that is not here."""


class _History(dict):  # type: ignore[type-arg]
    def __missing__(self, name: str) -> Any:
        return [0.0]


def _count_steps(keras: Any, progress: Any) -> None:
    """A training loop of the script's own ends after a few steps; inside `fit` the graph is traced once."""
    optimizer = keras.optimizers.Optimizer
    name = "apply" if hasattr(optimizer, "apply") else "apply_gradients"  # which calls the other
    plain = getattr(optimizer, name)

    def apply(self: Any, *args: Any, **options: Any) -> Any:
        result = plain(self, *args, **options)
        progress.step()
        return result

    setattr(optimizer, name, apply)


def _named(function: Any, self: Any, args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names; those that a version does not know stay as they are given."""
    names = [p for p in inspect.signature(function).parameters if p != "self"]
    return {**dict(zip(names, args)), **options}  # noqa: B905


def _counted(x: Any) -> bool:
    """Whether it is known which batch of it is the last: arrays, `tf.data` of known size, sequences of batches."""
    if _rows(x) is not None or (isinstance(x, (tuple, list)) and x and _rows(x[0]) is not None):
        return True
    if hasattr(x, "cardinality"):
        return int(x.cardinality()) > 0
    return hasattr(x, "__getitem__") and hasattr(x, "__len__")


def _few(keras: Any, progress: Any, x: Any, size: int) -> Any:
    """Two whole batches and the last one, shorter or not, of what is `_counted`; what is not stays."""
    wanted = progress.whole_batches
    if _rows(x) is not None or (isinstance(x, (tuple, list)) and x and _rows(x[0]) is not None):
        rows = _rows(x) if _rows(x) is not None else _rows(x[0])
        kept = _kept(rows or 0, size, wanted)
        return tuple(_at(part, kept) for part in x) if isinstance(x, tuple) else _at(x, kept)
    if not _counted(x):
        return x
    if hasattr(x, "cardinality"):
        count = int(x.cardinality())
        return x.take(wanted).concatenate(x.skip(count - 1)) if count > wanted else x
    base = getattr(keras.utils, "PyDataset", None) or keras.utils.Sequence
    places = [*range(min(wanted, len(x))), *([len(x) - 1] if len(x) > wanted else [])]

    class Few(base):  # type: ignore[misc,valid-type]
        def __len__(self) -> int:
            return len(places)

        def __getitem__(self, index: int) -> Any:
            return x[places[index]]

        def on_epoch_end(self) -> None:
            x.on_epoch_end()

    return Few() if isinstance(x, base) else x


def _quiet(options: dict[str, Any]) -> dict[str, Any]:
    found = options.get("callbacks")
    if isinstance(found, (list, tuple)):
        options = dict(options, callbacks=[c for c in found if type(c).__name__ not in WRITERS])
    for name in ("workers", "use_multiprocessing", "max_queue_size"):
        options.pop(name, None)
    return options


def _rows(x: Any) -> int | None:
    """How many examples an array, or a structure of arrays, holds; None for a generator."""
    if isinstance(x, dict):
        return _rows(next(iter(x.values()), None))
    if isinstance(x, (list, tuple)) and x and hasattr(x[0], "shape"):
        return _rows(x[0])
    shape = getattr(x, "shape", None)
    return int(shape[0]) if shape is not None and len(shape) else None


def _kept(count: int, size: int, whole_batches: int) -> Any:
    """The places of so many whole batches and of the last one if it is shorter."""
    import numpy

    whole = min(count, whole_batches * size)
    rest = count % size if count > whole else 0
    return numpy.concatenate([numpy.arange(whole), numpy.arange(count - rest, count)]).astype("int64")


def _at(x: Any, kept: Any) -> Any:
    if isinstance(x, dict):
        return {k: _at(v, kept) for k, v in x.items()}
    if isinstance(x, (list, tuple)) and x and hasattr(x[0], "shape"):
        return type(x)(_at(v, kept) for v in x)
    if x is None or not hasattr(x, "shape"):
        return x
    if type(x).__module__.startswith("tensorflow"):
        import tensorflow as tf

        return tf.gather(x, kept)
    rows = kept if not hasattr(x, "shape") or len(x) > (kept[-1] if len(kept) else 0) else kept[kept < len(x)]
    return x.iloc[rows] if hasattr(x, "iloc") else x[rows]


def _rows_of(x: Any, start: int, end: int) -> Any:
    import numpy

    return _at(x, numpy.arange(start, end))


# -------------------------------------------------------------------------------------------------------- data

_IMAGES = {
    "mnist": (60000, 10000, (28, 28), 10), "fashion_mnist": (60000, 10000, (28, 28), 10),
    "cifar10": (50000, 10000, (32, 32, 3), 10), "cifar100": (50000, 10000, (32, 32, 3), 100),
}  # fmt: skip


def _data(keras: Any, progress: Any) -> None:
    """Data sets that would be downloaded are zeros, as many and as large as theirs."""
    import numpy

    def images(name: str) -> Any:
        train, test, sizes, classes = _IMAGES[name]

        def load_data(*args: Any, **options: Any) -> Any:
            progress.data.append(name)

            def part(rows: int) -> Any:
                labels = (numpy.arange(rows) % classes).astype("uint8")
                return numpy.zeros((rows, *sizes), "uint8"), labels[:, None] if "cifar" in name else labels

            return part(train), part(test)

        return load_data

    def texts(name: str, train: int, test: int, classes: int) -> Any:
        def load_data(path: Any = None, num_words: Any = None, maxlen: Any = None, **options: Any) -> Any:
            progress.data.append(name)
            top = min(num_words or 1000, 1000)

            def part(rows: int) -> Any:
                x = numpy.empty(rows, dtype=object)
                for i in range(rows):
                    x[i] = [1 + (i + j) % (top - 1) for j in range(5 + i % 40)]
                return x, numpy.arange(rows) % classes

            return part(train), part(test)

        return load_data

    def housing(*args: Any, **options: Any) -> Any:
        progress.data.append("boston_housing")
        rng = numpy.random.RandomState(0)
        return (rng.rand(404, 13), rng.rand(404)), (rng.rand(102, 13), rng.rand(102))

    datasets: Any = getattr(keras, "datasets", None)
    for name in _IMAGES:
        if hasattr(datasets, name):
            getattr(datasets, name).load_data = images(name)
    if hasattr(datasets, "imdb"):
        datasets.imdb.load_data = texts("imdb", 25000, 25000, 2)
    if hasattr(datasets, "reuters"):
        datasets.reuters.load_data = texts("reuters", 8982, 2246, 46)
    if hasattr(datasets, "boston_housing"):
        datasets.boston_housing.load_data = housing
