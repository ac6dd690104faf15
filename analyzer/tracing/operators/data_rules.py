"""Names that make data: data sets, loaders, transforms, readers."""

from __future__ import annotations

import itertools
import math
from typing import Any

from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import DictV, Instance, ListV, Object, Unknown, Value
from analyzer.tracing.operators.data import IMAGES, count_of, part_of
from analyzer.tracing.operators.element_types import asked_array_type, asked_type, dtype_name
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_pipelines import sliced
from analyzer.validity.terms import equal


@operator(" ".join(f"torchvision.datasets.{n}" for n in IMAGES), "root=None *rest")
def image_set(op: Op, root: Value, rest: tuple[Value, ...]) -> Value:
    channels, height, width, training, test, _ = IMAGES[op.short]
    transform = op.extra.get(
        "transform", next((r for r in rest if isinstance(r, Object) and r.kind == "transform"), None)
    )
    train = op.extra.get("train", rest[0] if rest and isinstance(rest[0], bool) else True)
    count = (training if train else test) if isinstance(train, bool) else None
    return Object(
        "dataset", data={"image": (channels, height, width), "transform": transform, "count": count}, site=op.where
    )


@operator(
    (
        "torchvision.datasets.ImageFolder torchvision.datasets.ImageNet "
        "torchvision.datasets.CelebA torchvision.datasets.LSUN"
    ),
    "root=None transform=None *rest",
)
def image_folder(op: Op, root: Value, transform: Value, rest: tuple[Value, ...]) -> Value:
    return Object("dataset", data={"image": None, "transform": transform}, site=op.where)


_TRANSFORMS = (
    "Compose Resize CenterCrop RandomCrop RandomResizedCrop Grayscale Pad ToTensor Normalize "
    "RandomHorizontalFlip RandomVerticalFlip "
    "RandomRotation ColorJitter RandomAffine GaussianBlur RandomErasing ConvertImageDtype "
    "RandomGrayscale Lambda ToPILImage Scale"
)


@operator(" ".join(f"torchvision.transforms.{n} torchvision.transforms.v2.{n}" for n in _TRANSFORMS.split()), "*args")
def transform(op: Op, args: tuple[Value, ...]) -> Value:
    if op.short == "Compose" and not args and "transforms" in op.extra:
        args = (op.extra["transforms"],)
    return Object("transform", data={"name": op.short, "args": args, "kwargs": dict(op.extra)}, site=op.where)


@operator(
    "torch.utils.data.DataLoader",
    "dataset batch_size=1 shuffle=None sampler=None batch_sampler=None num_workers=0 collate_fn=None pin_memory=False "
    "drop_last=False *rest",
)
def loader(
    op: Op, dataset: Value, batch_size: Value, shuffle: Value, sampler: Value, batch_sampler: Value, num_workers: Value,
    collate_fn: Value, pin_memory: Value, drop_last: Value, rest: tuple[Value, ...],
) -> Value:  # fmt: skip
    size = op.tr.term_of(batch_size, "batch_size") if batch_size is not None else None
    batches = batch_sampler.data if isinstance(batch_sampler, Object) and batch_sampler.kind == "sampler" else {}
    if "batch" in batches:  # of so many examples each, as the loader would make them itself
        batch_size, drop_last = batch_sampler.attrs["batch_size"], batch_sampler.attrs["drop_last"]
        sampler, batch_sampler = batch_sampler.attrs["sampler"], None
        size = op.tr.term_of(batch_size, "batch_size")
    attrs = {
        "dataset": dataset, "batch_size": batch_size, "num_workers": num_workers, "pin_memory": pin_memory,
        "drop_last": drop_last,
    }  # fmt: skip
    if sampler is not None:
        attrs["sampler"] = sampler
    known = sampler is None or (isinstance(sampler, Object) and sampler.kind == "sampler")
    return Object(
        "loader",
        attrs if batch_sampler is None else {"dataset": dataset},
        {
            "source": dataset if batch_sampler is None else None,
            "collate": collate_fn,
            "batch": size,
            "single": batch_size is None and batch_sampler is None,
            "all": (dataset if sampler is None else sampler) if known and batch_sampler is None else None,
            "drop_last": drop_last,
        },
        op.where,
    )


@operator("torch.utils.data.TensorDataset", "*tensors")
def tensor_dataset(op: Op, tensors: tuple[Value, ...]) -> Value:
    parts = [tensor_of(op.tr, t, "torch") for t in tensors]
    known = [p for p in parts if p is not None and p.dims]
    for first, other in itertools.pairwise(known):
        assert first.dims is not None
        assert other.dims is not None
        require(
            op,
            equal(first.dims[0], other.dims[0]),
            "rows",
            (
                f"the tensors have {first.dims[0]} and {other.dims[0]} rows: {show_shape(first.dims)}, "
                f"{show_shape(other.dims)}"
            ),
            (first, other),
        )
    if len(known) < len(parts) or not known or not known[0].dims:
        return op.tr.unknown("a data set", "imprecise")
    one = tuple(part_of(p, "torch") for p in known)
    return Object("dataset", data={"example": one, "count": known[0].dims[0]}, site=op.where)


@operator("torch.utils.data.random_split", "dataset lengths *rest")
def random_split(op: Op, dataset: Value, lengths: Value, rest: tuple[Value, ...]) -> Value:
    sizes = lengths.items if isinstance(lengths, ListV) else list(lengths) if isinstance(lengths, tuple) else [None] * 2
    sizes = _of_fractions(sizes, count_of(op.tr, dataset))
    return ListV([_part(op, dataset, size if type(size) is int else None) for size in sizes])


def _of_fractions(sizes: list[Value], count: int | None) -> list[Value]:
    """Fractions of a whole, whose rest goes to the parts in turn."""
    if count is None or not all(isinstance(s, float) for s in sizes) or not math.isclose(sum(sizes), 1):
        return sizes
    found = [math.floor(count * size) for size in sizes]
    for place in range(count - sum(found)):
        found[place % len(found)] += 1
    return found


def _part(op: Op, dataset: Value, count: int | None) -> Value:
    """A data set of the same examples, of so many; None: nobody knows how many."""
    if isinstance(dataset, Object) and dataset.kind == "dataset":
        return Object("dataset", dict(dataset.attrs), {**dataset.data, "count": count}, op.where)
    if isinstance(dataset, ListV) and dataset.items and isinstance(dataset.items[0], Tensor):
        return Object("dataset", data={"example": dataset.items[0], "count": count}, site=op.where)
    if isinstance(dataset, Tensor) and dataset.dims:
        return Object("dataset", data={"example": part_of(dataset), "count": count}, site=op.where)
    if isinstance(dataset, Instance) and dataset.cls.find("__getitem__") is not None:
        return Object("dataset", data={"source": dataset, "count": count}, site=op.where)
    return op.tr.unknown("a data set")


@operator("torch.utils.data.Subset torch.utils.data.ConcatDataset", "dataset *rest")
def subset(op: Op, dataset: Value, rest: tuple[Value, ...]) -> Value:
    if op.short == "ConcatDataset":
        parts = dataset.items if isinstance(dataset, ListV) and not dataset.open else []
        counts = [count_of(op.tr, p) for p in parts]
        whole = sum(c for c in counts if c is not None) if None not in counts else None
        return _part(op, parts[0], whole) if parts else op.tr.unknown("a data set")
    chosen = rest[0] if rest else op.extra.get("indices")
    made = _part(op, dataset, count_of(op.tr, chosen))
    if isinstance(made, Object):
        made.attrs |= {"dataset": dataset, "indices": chosen}
    return made


# -------------------------------------------------------------------------------------------- Keras data sets

_KERAS_IMAGES = {"mnist": ((28, 28), 60000, 10000, False), "fashion_mnist": ((28, 28), 60000, 10000, False),
"cifar10": ((32, 32, 3), 50000, 10000, True), "cifar100": ((32, 32, 3), 50000, 10000, True)}  # fmt: skip


@operator(" ".join(f"keras.datasets.{n}.load_data" for n in _KERAS_IMAGES), "*args")
def keras_images(op: Op, args: tuple[Value, ...]) -> Value:
    image, training, test, column = _KERAS_IMAGES[op.name.split(".")[2]]

    def part(count: int, name: str) -> tuple[Any, Any]:
        labels = (count, 1) if column else (count,)
        return (
            Tensor((count, *image), "uint8", "numpy", site=op.where, name=f"x_{name}"),
            Tensor(labels, "uint8", "numpy", site=op.where, name=f"y_{name}"),
        )

    return part(training, "train"), part(test, "test")


@operator("keras.datasets.boston_housing.load_data keras.datasets.california_housing.load_data", "*args")
def keras_table(op: Op, args: tuple[Value, ...]) -> Value:
    rows, test = (404, 102) if "boston" in op.name else (16512, 4128)
    width = 13 if "boston" in op.name else 8
    return (
        (Tensor((rows, width), None, "numpy", site=op.where), Tensor((rows,), None, "numpy", site=op.where)),
        (Tensor((test, width), None, "numpy", site=op.where), Tensor((test,), None, "numpy", site=op.where)),
    )


@operator("keras.datasets.imdb.load_data keras.datasets.reuters.load_data", "*args")
def keras_texts(op: Op, args: tuple[Value, ...]) -> Value:
    def part(name: str) -> tuple[Any, Any]:
        return op.tr.unknown("texts", "data", f"x_{name}"), Tensor(
            (25000 if "imdb" in op.name else op.tr.fresh("texts", "unknown"),), "int64", "numpy", site=op.where
        )

    return part("train"), part("test")


@operator(
    (
        "keras.preprocessing.sequence.pad_sequences keras.utils.pad_sequences "
        "keras.preprocessing.sequence_.pad_sequences"
    ),
    "sequences maxlen=None *rest",
)
def pad_sequences(op: Op, sequences: Value, maxlen: Value, rest: tuple[Value, ...]) -> Value:
    term = op.tr.term_of(maxlen) if maxlen is not None else None
    rows = 25000 if isinstance(sequences, Unknown) and sequences.reason == "texts" else op.tr.fresh("rows", "unknown")
    kind = op.extra.get("dtype", rest[0] if rest else None)
    length = term if term is not None else op.tr.fresh("maxlen", "unknown")
    return Tensor((rows, length), asked_array_type(kind, "int32"), "numpy", site=op.where)


@operator("tf.examples.tutorials.mnist.input_data.read_data_sets", "train_dir=None fake_data=False one_hot=False *rest")
def tutorial_mnist(op: Op, train_dir: Value, fake_data: Value, one_hot: Value, rest: tuple[Value, ...]) -> Value:
    flat = op.extra.get("reshape", True)

    def part(count: int) -> Object:
        images = Tensor((count, 784) if flat is True else (count, 28, 28, 1), "float32", "numpy", name="images")
        labels = (
            Tensor((count, 10) if one_hot is True else (count,), None, "numpy", name="labels")
            if isinstance(one_hot, bool)
            else Tensor(None, None, "numpy")
        )
        return Object("data", {"images": images, "labels": labels, "num_examples": count}, {"arrays": [images, labels]})

    return Object("data", {"train": part(55000), "test": part(10000), "validation": part(5000)}, {"arrays": []})


# --------------------------------------------------------------------------------------------------- tf.data


@operator("tf.data.Dataset.from_tensor_slices tf.data.Dataset.from_tensors", "tensors *rest")
def from_slices(op: Op, tensors: Value, rest: tuple[Value, ...]) -> Value:
    if op.short == "from_tensors":
        return Object("tfdataset", data={"element": tensors, "count": 1}, site=op.where)
    if isinstance(tensors, DictV):
        element: Value = DictV({k: sliced(op.tr, v) for k, v in tensors.items.items()})
    else:
        element = sliced(op.tr, tensors)
    first = next(iter(tensors.items.values()), None) if isinstance(tensors, DictV) else tensors
    first = first[0] if type(first) is tuple and first and isinstance(first[0], (Tensor, ListV)) else first
    count = None if type(first) is tuple else count_of(op.tr, first)
    return Object("tfdataset", data={"element": element, "count": count}, site=op.where)


@operator("tf.data.Dataset.zip", "*datasets")
def zipped(op: Op, datasets: tuple[Value, ...]) -> Value:
    """Elements side by side, in the structure in which the data sets are given."""
    given = datasets[0] if len(datasets) == 1 else op.extra.get("datasets", datasets)
    counts: list[Value] = []

    def element(value: Value) -> Value:
        if isinstance(value, Object) and value.kind == "tfdataset":
            counts.append(value.data.get("count"))
            return value.data.get("element")
        counts.append(None)
        return op.tr.unknown("an element")

    if isinstance(given, DictV):
        whole: Value = DictV({key: element(value) for key, value in given.items.items()}, given.open)
    elif isinstance(given, (tuple, ListV)):
        whole = tuple(element(value) for value in (given.items if isinstance(given, ListV) else given))
    else:
        return op.tr.unknown("a data set")
    known = bool(counts) and all(type(c) is int for c in counts)
    return Object("tfdataset", data={"element": whole, "count": min(counts) if known else None}, site=op.where)


@operator("tf.data.Dataset.range", "*args")
def numbers(op: Op, args: tuple[Value, ...]) -> Value:
    known = len(args) == 1 and type(args[0]) is int
    element = Tensor((), asked_type(op.extra.get("output_type"), "int64"), "tf", site=op.where)
    element.written = True  # the numbers are what the program says: no free choice
    data = {"element": element, "count": args[0] if known else None}
    return Object("tfdataset", data=data, site=op.where)


@operator(
    "tf.data.Dataset.sample_from_datasets tf.data.Dataset.choose_from_datasets "
    "tf.data.experimental.sample_from_datasets tf.data.experimental.choose_from_datasets",
    "datasets *rest",
)
def one_of_them(op: Op, datasets: Value, rest: tuple[Value, ...]) -> Value:
    parts = datasets.items if isinstance(datasets, ListV) else datasets if type(datasets) is tuple else ()
    first = parts[0] if parts and isinstance(parts[0], Object) and parts[0].kind == "tfdataset" else None
    element = op.tr.unknown("an element") if first is None else first.data.get("element")
    return Object("tfdataset", data={"element": element}, site=op.where)


@operator(
    ("tf.data.Dataset.list_files tf.data.TFRecordDataset tf.data.TextLineDataset"),
    "*args",
)
def other_sources(op: Op, args: tuple[Value, ...]) -> Value:
    """Texts: the names of files, their lines or their records."""
    return Object("tfdataset", data={"element": Tensor((), "string", "tf", site=op.where)}, site=op.where)


@operator("tf.TensorSpec", "shape dtype='float32' name=None")
def specification(op: Op, shape: Value, dtype: Value, name: Value) -> Value:
    return Object("tensor specification", {"shape": shape, "dtype": dtype, "name": name}, site=op.where)


@operator("tf.TensorSpec.from_tensor tf.type_spec_from_value", "tensor *rest")
def specification_of(op: Op, tensor: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor_of(op.tr, tensor, "tf")
    if found is None or found.dims is None:
        return op.tr.unknown("a specification", "imprecise")
    attrs = {"shape": Size(found.dims), "dtype": found.dtype, "name": None}
    return Object("tensor specification", attrs, site=op.where)


@operator("tf.data.Dataset.from_generator", "generator output_types=None output_shapes=None *rest")
def from_generator(
    op: Op, generator: Value, output_types: Value, output_shapes: Value, rest: tuple[Value, ...]
) -> Value:
    """Elements of the shapes that the program says; the generator is held to them when it runs."""
    signature = op.extra.get("output_signature")
    told = _specified(op, signature) if signature is not None else _shaped(op, output_types, output_shapes)
    return Object("tfdataset", data={"element": told}, site=op.where)


def _specified(op: Op, signature: Value) -> Value:
    if isinstance(signature, Object) and signature.kind == "tensor specification":
        return _element(op, signature.attrs["dtype"], signature.attrs["shape"])
    if type(signature) is tuple:
        return tuple(_specified(op, part) for part in signature)
    if isinstance(signature, DictV) and not signature.open:
        return DictV({key: _specified(op, part) for key, part in signature.items.items()})
    return op.tr.unknown("an element", "imprecise")


def _shaped(op: Op, types: Value, shapes: Value) -> Value:
    if type(types) is tuple and type(shapes) is tuple and len(types) == len(shapes):
        return tuple(_shaped(op, *pair) for pair in zip(types, shapes, strict=True))
    if type(types) is tuple or shapes is None:
        return op.tr.unknown("an element", "imprecise")
    return _element(op, types, shapes)


def _element(op: Op, dtype: Value, shape: Value) -> Value:
    """A tensor; `None` stands for a size that may be another each time."""
    sizes = plain(op.tr, shape)
    kind = dtype if isinstance(dtype, str) else dtype_name(dtype)
    if not isinstance(sizes, tuple):
        return Tensor(None, kind, "tf", site=op.where)
    dims = [op.tr.fresh("size", "unknown", 0) if size is None else op.tr.term_of(size) for size in sizes]
    return Tensor(None if None in dims else dims, kind, "tf", site=op.where)
