"""Data by its documented shapes: torchvision and Keras data sets, data loaders, tf.data pipelines, transforms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.nested import Leaves, Open, rebuilt
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    DictV,
    Instance,
    ListV,
    Native,
    Object,
    SliceV,
    Unknown,
    Value,
)
from analyzer.tracing.operators.pictures import image_of_picture, is_picture
from analyzer.tracing.operators.written import mark
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.tracer import Tracer

# name -> (channels, height, width, training examples, test examples, classes)
IMAGES = {
    "MNIST": (1, 28, 28, 60000, 10000, 10), "FashionMNIST": (1, 28, 28, 60000, 10000, 10), "KMNIST": (1, 28, 28,
    60000, 10000, 10),
    "CIFAR10": (3, 32, 32, 50000, 10000, 10), "CIFAR100": (3, 32, 32, 50000, 10000, 100), "SVHN": (3, 32, 32,
    73257, 26032, 10),
    "STL10": (3, 96, 96, 5000, 8000, 10), "EMNIST": (1, 28, 28, None, None, None), "USPS": (1, 16, 16, 7291, 2007, 10),
}  # fmt: skip


MOST_INDICES = 4_096  # of a sampler that are gone through one by one


def representative(tr: Tracer, owner: Object) -> Value:
    """One element of the data, or None."""
    found = elements(tr, owner)
    return next(found[0], None) if found is not None else None


def elements(tr: Tracer, owner: Object) -> tuple[Iterator[Value], bool] | None:
    if owner.kind == "loader":
        return _batches(tr, owner)
    if owner.kind in ("dataset", "tfdataset"):
        return _forever(tr, owner), True
    if owner.kind == "state":
        return iter(owner.data["parts"]), False
    if owner.kind == "sampler":
        return _indices(tr, owner)
    return None


def _indices(tr: Tracer, owner: Object) -> tuple[Iterator[Value], bool] | None:
    """The numbers of examples in the order of a sampler, or lists of them."""
    known, count = owner.data["indices"], owner.data["count"]
    if known is not None:
        return iter(known), False
    if "batch" in owner.data:
        return None
    if count is None or count > MOST_INDICES:
        return iter(lambda: tr.unknown("an index", "imprecise", pytype="int"), None), True
    return iter([tr.unknown("an index", "imprecise", pytype="int") for _ in range(count)]), False


def _forever(tr: Tracer, owner: Object) -> Iterator[Value]:
    while True:
        yield (
            example(tr, owner)
            if owner.kind == "dataset"
            else owner.data.get("element", tr.unknown("an element", "data"))
        )


def example(tr: Tracer, owner: Object) -> Value:
    """One example of a data set, after its transform."""
    made = owner.data.get("example")
    if made is not None:
        return made
    if owner.data.get("source") is not None:
        return _example_of(tr, owner.data["source"])
    image, label = owner.data.get("image"), owner.data.get("label", ())
    if image is None:
        value: Value = tr.unknown("an image", "data")
    else:
        value = Tensor(image, None, "image", name="image")
    transform = owner.data.get("transform")
    if transform is not None:
        value = apply_transform(tr, transform, value, one=True)
    return value, Tensor(label, "int64", "torch", name="label")


_STREAM = "torch.utils.data.IterableDataset"
MOST_GATHERED = 128  # examples that a loader's own function is given one by one
MOST_BATCHES = 3  # of a loader that are followed one by one, the last shorter one too


def _batches(tr: Tracer, owner: Object) -> tuple[Iterator[Value], bool]:
    """Every round gives a batch, of many a full one; a few are those that there are. Where calls are observed,
    there is one full batch and the last one, if that may be shorter."""
    size, count = owner.data.get("batch"), count_of(tr, owner.data.get("all"))
    if owner.data.get("single"):
        return (_alone(tr, owner) for _ in iter(int, 1)), True
    if isinstance(size, int) and size > 0 and count is not None and not owner.data.get("own batches"):
        sizes = [min(size, count - first) for first in range(0, count, size)]
        last = owner.data.get("drop_last")
        if sizes and sizes[-1] < size and last is not False:
            sizes, size = (sizes[:-1], size) if last is True else (sizes, None)
        if len(sizes) <= MOST_BATCHES and size is not None:
            return iter([_gathered(tr, owner, n) for n in sizes]), False

    def batch(rows: Any) -> Value:
        return _gathered(tr, owner, tr.fresh("batch", "derived", 1) if rows is None else rows)

    def forever() -> Iterator[Value]:
        while True:
            yield batch(size)

    if tr.shared.observed is not None and isinstance(size, int) and size > 0:
        rest = count % size if count is not None and owner.data.get("drop_last") is not None else None
        if owner.data.get("drop_last") is not True and rest != 0:
            return iter([batch(size), batch(rest)]), False
    return forever(), True


def _gathered(tr: Tracer, owner: Object, rows: Any) -> Value:
    """A batch of so many examples, as the loader's own function puts them together if it has one."""
    one, own = _example_of(tr, owner.data.get("source")), owner.data.get("collate")
    if own is None:
        return collate(tr, one, rows)
    if isinstance(one, Unknown) or not isinstance(rows, int) or rows > MOST_GATHERED:
        return tr.unknown("a batch", "data")
    try:
        examples = [rebuilt(one, Leaves(), lambda leaf: leaf) for _ in range(rows)]  # which the function may change
    except Open:
        return tr.unknown("a batch", "data")
    return call(tr, own, (ListV(examples),), {})


def _alone(tr: Tracer, owner: Object) -> Value:
    """An example that no batch is made of."""
    one, own = _example_of(tr, owner.data.get("source")), owner.data.get("collate")
    return one if own is None or isinstance(one, Unknown) else call(tr, own, (one,), {})


def count_of(tr: Tracer, source: Value) -> int | None:
    """How many examples there are, if that is known."""
    if isinstance(source, Object) and source.kind in ("dataset", "sampler"):
        count: Value = source.data.get("count")
    elif isinstance(source, ListV):
        count = None if source.open else len(source.items)
    elif isinstance(source, Tensor):
        count = source.dims[0] if source.dims else None
    elif isinstance(source, Instance) and source.cls.find("__len__") is not None:
        count = call(tr, get_attribute(tr, source, "__len__"), (), {})
    else:
        count = getattr(source, "length", None)
    return count if type(count) is int else None


def _example_of(tr: Tracer, source: Value) -> Value:
    if isinstance(source, Object) and source.kind == "dataset":
        return example(tr, source)
    if isinstance(source, Instance) and source.cls.find("__getitem__"):
        return call(tr, get_attribute(tr, source, "__getitem__"), (tr.unknown("an index", "data", pytype="int"),), {})
    if isinstance(source, Instance) and source.cls.find("__iter__") and _STREAM in source.cls.library_bases:
        found = next(iterate(tr, call(tr, get_attribute(tr, source, "__iter__"), (), {}), None)[0], None)
        return tr.unknown("an example", "data") if found is None else found
    if isinstance(source, ListV) and source.items:
        return source.items[0]
    if isinstance(source, Tensor) and source.dims:
        return part_of(source)
    return tr.unknown("an example", source.origin if isinstance(source, Unknown) else "imprecise")


def part_of(source: Tensor, framework: str = "") -> Tensor:
    """A row of a tensor."""
    part = Tensor(
        (source.dims or ())[1:], source.dtype, framework or source.framework, name=source.name, site=source.site
    )
    part.written = source.written
    record("[]", (source,), {}, part)
    return part


def collate(tr: Tracer, value: Value, size: Any) -> Value:
    """The default collation: tensors and arrays gain a batch axis, numbers become vectors."""
    if isinstance(value, Tensor):
        if value.framework == "image":
            return tr.unknown("a batch of images", "data")
        dims = None if value.dims is None else (size, *value.dims)
        made = Tensor(dims, value.dtype, "torch", name=value.name, site=value.site, tags=frozenset(("batch",)))
        made.written = value.written
        return record("stack", (value,), {}, made)
    if type(value) is tuple:  # which becomes a list
        return ListV([collate(tr, v, size) for v in value])
    if isinstance(value, tuple):
        return tuple(collate(tr, v, size) for v in value)
    if isinstance(value, ListV):
        return ListV([collate(tr, v, size) for v in value.items], value.open)
    if isinstance(value, DictV):
        return DictV({k: collate(tr, v, size) for k, v in value.items.items()}, value.open)
    if isinstance(value, (bool, int, float)):
        kind = "float64" if isinstance(value, float) else "int64"
        return mark(Tensor((size,), kind, "torch", tags=frozenset(("batch",))))
    if isinstance(value, Unknown) and value.pytype in ("int", "float"):
        return Tensor((size,), "int64" if value.pytype == "int" else None, "torch", tags=frozenset(("batch",)))
    told = value.origin if isinstance(value, Unknown) else "imprecise"
    return tr.unknown("a batch", told, getattr(value, "label", ""))


def apply_transform(tr: Tracer, transform: Value, value: Value, one: bool = False) -> Value:
    """torchvision transforms on an image of known or unknown size, or on a batch of them.

    `one`: it is a single image, also where its size is unknown.
    """
    if not isinstance(transform, Object) or transform.kind != "transform":
        if isinstance(transform, (Unknown, Native)) or transform is None:
            return tr.unknown("a transformed image", "data")
        return call(tr, transform, (value,), {})
    name, args = transform.data["name"], transform.data["args"]
    if is_picture(value) and name not in ("Compose", "Lambda"):
        value, one = image_of_picture(value), True
    if name == "Compose":
        steps = args[0] if args else None
        if not isinstance(steps, ListV) or steps.open:
            return tr.unknown("a transformed image", "data")
        one = one or any(isinstance(s, Object) and s.data.get("name") == "ToTensor" for s in steps.items)
        for step in steps.items:  # `ToTensor` takes one image and no batch
            value = apply_transform(tr, step, value, one)
        return value
    if not isinstance(value, Tensor) or value.dims is None or len(value.dims) < 3:
        return value if name in ("Normalize", "RandomHorizontalFlip") else _sized(tr, name, args, value, one)
    *batch, channels, height, width = value.dims
    if name in ("Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop"):
        size = args[0] if args else transform.data["kwargs"].get("size")
        if isinstance(size, (ListV, tuple)):
            parts = size.items if isinstance(size, ListV) else list(size)
            if len(parts) == 2:
                height, width = (tr.term_of(p) for p in parts)
            else:
                return tr.unknown("a transformed image", "data")
        else:
            term = tr.term_of(size)
            if term is None:
                return tr.unknown("a transformed image", "data")
            if name == "Resize":
                if height is not width and height != width:
                    return Tensor(
                        (*batch, channels, tr.fresh("height", "unknown"), tr.fresh("width", "unknown")),
                        value.dtype,
                        value.framework,
                        name=value.name,
                    )
                height = width = term
            else:
                height = width = term
    elif name == "Grayscale":
        count = args[0] if args else transform.data["kwargs"].get("num_output_channels", 1)
        channels = count if isinstance(count, int) else tr.fresh("channels", "unknown")
    elif name == "Pad":
        amount = args[0] if args else None
        if not isinstance(amount, int):
            return tr.unknown("a transformed image", "data")
        height, width = height + 2 * amount, width + 2 * amount
    elif name == "ToTensor":
        return Tensor((*batch, channels, height, width), "float32", "torch", name="image")
    elif name == "Lambda":
        return call(tr, args[0], (value,), {}) if args else value
    elif name not in _KEEPING:
        return tr.unknown("a transformed image", "data")
    return Tensor((*batch, channels, height, width), value.dtype, value.framework, name=value.name)


def _sized(tr: Tracer, name: str, args: tuple[Value, ...], value: Value, one: bool) -> Value:
    if one and name in ("RandomCrop", "CenterCrop", "RandomResizedCrop", "Resize") and args:
        size = args[0]
        parts = (
            size.items
            if isinstance(size, ListV)
            else list(size)
            if isinstance(size, tuple)
            else [size, size]
            if name != "Resize"
            else []
        )
        if len(parts) == 2 and all(isinstance(p, int) for p in parts):
            return Tensor((3, *parts), None, "image", name="image")
    if name == "ToTensor" and isinstance(value, Tensor):
        return Tensor(value.shape, "float32", "torch", name="image")
    return tr.unknown("a transformed image", "data")


_KEEPING = {
    "Normalize", "RandomHorizontalFlip", "RandomVerticalFlip", "RandomRotation", "ColorJitter", "RandomAffine",
    "GaussianBlur", "RandomErasing",
    "ConvertImageDtype", "RandomGrayscale", "ToPILImage",
}  # fmt: skip


def item(tr: Tracer, owner: Object, index: Value) -> Value:
    if owner.kind == "dataset" and not isinstance(index, (SliceV, ListV, Tensor)):
        return example(tr, owner)
    return tr.unknown("an item")


def length(tr: Tracer, owner: Object) -> Value:
    if owner.kind == "loader":
        count, size, last = count_of(tr, owner.data.get("all")), owner.data.get("batch"), owner.data.get("drop_last")
        if count is None or type(size) is not int or size <= 0 or not isinstance(last, bool):
            return tr.fresh("len", "lost", 0)
        return count // size if last else -(-count // size)
    count = owner.data.get("count")
    return count if isinstance(count, int) else tr.fresh("len", "unknown", 0)
