"""TensorFlow and Keras for a dry run: `fit` on two whole batches and the last, shorter one; nothing is downloaded."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from .stubs import Finished

WHOLE_BATCHES = 2  # and the last, shorter one: the first step and one with carried state
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
        if rounds[key] > 2 and progress.steps > steps.get(key, 0):
            raise Finished
        steps.setdefault(key, progress.steps)
        yield from plain(self.take(WHOLE_BATCHES))
        count = int(self.cardinality())
        if rounds[key] == 1 and WHOLE_BATCHES < count <= MOST_ELEMENTS:
            yield from plain(self.skip(count - 1))

    if tf.executing_eagerly():
        for kind in {dataset, *_below(dataset)}:
            if "__iter__" in vars(kind):
                kind.__iter__ = lambda self: (
                    iterate(self) if tf.executing_eagerly() and progress.asked_by_project() else plain(self)
                )
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


def _below(kind: Any) -> set[Any]:
    found = set(kind.__subclasses__())
    return found.union(*(_below(k) for k in found)) if found else found


def _keras(keras: Any, progress: Any) -> None:
    model = keras.Model
    if "_assay_dry" in vars(model):  # patched already under another name
        return
    model._assay_dry = True
    _data(keras, progress)
    fit, evaluate, predict = model.fit, model.evaluate, model.predict

    @functools.wraps(fit)  # programs look at its parameters
    def fit_once(self: Any, x: Any = None, y: Any = None, batch_size: Any = None, **options: Any) -> Any:
        options = _quiet(options)
        options.update(epochs=1, initial_epoch=0, verbose=0)
        held = options.pop("validation_split", 0.0) or 0.0
        count = _rows(x)
        size = batch_size or 32
        if count is None:
            options["steps_per_epoch"] = min(options.get("steps_per_epoch") or WHOLE_BATCHES, WHOLE_BATCHES)
            if options.get("validation_data") is not None:
                options["validation_steps"] = WHOLE_BATCHES
            result = fit(self, x, y, **options)
        else:
            options.pop("steps_per_epoch", None)
            options.pop("validation_steps", None)
            train = count - int(count * held)
            kept = _kept(train, size)
            if held and train < count:
                options["validation_data"] = (_rows_of(x, train, count), _rows_of(y, train, count))
            options["validation_data"] = _cut(options.get("validation_data"), size)
            weights = options.get("sample_weight")
            if weights is not None:
                options["sample_weight"] = weights[kept]
            result = fit(self, _at(x, kept), _at(y, kept), batch_size=size, **options)
        progress.batches += 1
        progress.step()
        result.history = _History(result.history)
        return result

    @functools.wraps(evaluate)
    def evaluate_few(self: Any, x: Any = None, y: Any = None, batch_size: Any = None, **options: Any) -> Any:
        options = dict(_quiet(options), verbose=0)
        count = _rows(x)
        if count is None:
            options["steps"] = WHOLE_BATCHES
            return evaluate(self, x, y, **options)
        kept = _kept(count, batch_size or 32)
        return evaluate(self, _at(x, kept), _at(y, kept), batch_size=batch_size or 32, **options)

    @functools.wraps(predict)
    def predict_few(self: Any, x: Any, batch_size: Any = None, **options: Any) -> Any:
        import numpy

        count = _rows(x)
        if count is None:
            return predict(self, x, steps=WHOLE_BATCHES, verbose=0)
        found = predict(self, _at(x, _kept(count, batch_size or 32)), batch_size=batch_size, verbose=0)

        def all_rows(part: Any) -> Any:
            return numpy.zeros((count, *part.shape[1:]), part.dtype)

        return [all_rows(p) for p in found] if isinstance(found, list) else all_rows(found)

    model.fit, model.evaluate, model.predict = fit_once, evaluate_few, predict_few
    for name in ("save", "save_weights", "export"):
        if hasattr(model, name):
            setattr(model, name, lambda self, *args, **options: None)
    if hasattr(keras.utils, "plot_model"):
        keras.utils.plot_model = lambda *args, **options: None
    _count_steps(keras, progress)


class _History(dict):  # type: ignore[type-arg]
    def __missing__(self, name: str) -> Any:
        return [0.0]


def _count_steps(keras: Any, progress: Any) -> None:
    """A training loop of the script's own ends after a few steps; inside `fit` the graph is traced once."""
    optimizer = keras.optimizers.Optimizer
    plain = optimizer.apply_gradients

    def apply_gradients(self: Any, *args: Any, **options: Any) -> Any:
        result = plain(self, *args, **options)
        progress.step()
        return result

    optimizer.apply_gradients = apply_gradients


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


def _kept(count: int, size: int) -> Any:
    """The places of two whole batches and of the last one if it is shorter."""
    import numpy

    whole = min(count, WHOLE_BATCHES * size)
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


def _cut(data: Any, size: int) -> Any:
    if isinstance(data, (tuple, list)) and data and _rows(data[0]) is not None:
        kept = _kept(_rows(data[0]) or 0, size)
        return tuple(_at(part, kept) for part in data)
    return data


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
