"""scikit-learn: made and known data sets, splits, transforms of rows, scores."""

from __future__ import annotations

import math
from typing import Any

from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Object, Unknown, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import equal


@operator("sklearn.model_selection.train_test_split", "*arrays")
def train_test_split(op: Op, arrays: tuple[Value, ...]) -> Value:
    """Two parts of each. The test part is rounded up; where a part of the sizes is not known, neither is."""
    parts = [tensor_of(op.tr, a, "numpy") if isinstance(a, (Tensor, ListV, Rows)) else None for a in arrays]
    known = _counts(parts, op.extra.get("test_size"), op.extra.get("train_size"))
    sizes = known or tuple(op.tr.fresh(name, "unknown") for name in ("train rows", "test rows"))
    result: list[Value] = []
    for array, found in zip(arrays, parts, strict=True):
        for size in sizes:
            if found is None or not found.dims:
                result.append(op.tr.unknown("a split", "imprecise"))
            elif isinstance(array, Rows):
                result.append(array.like((size, *found.dims[1:]), array.columns))
            else:
                dims = (size, *found.dims[1:])
                result.append(Tensor(dims, found.dtype, "numpy", site=op.where, name=found.name))
    return ListV(result)


def _counts(parts: list[Tensor | None], test: Value, train: Value) -> tuple[int, int] | None:
    counts = {p.dims[0] for p in parts if p is not None and p.dims}
    count = next(iter(counts), None)
    if len(counts) != 1 or not isinstance(count, int) or train is not None:
        return None
    if test is None:
        test = 0.25
    held = math.ceil(test * count) if isinstance(test, float) else test if isinstance(test, int) else None
    return (count - held, held) if held is not None and 0 < held < count else None


_TABLES = {
    "load_iris": (150, 4), "load_digits": (1797, 64), "load_wine": (178, 13), "load_breast_cancer": (569, 30),
    "load_diabetes": (442, 10),
}  # fmt: skip


@operator(" ".join(f"sklearn.datasets.{n}" for n in _TABLES), "*args")
def known_table(op: Op, args: tuple[Value, ...]) -> Value:
    if op.extra.get("as_frame") is True:
        return op.tr.unknown("a table", "data")
    x, y = _data(op, *_TABLES[op.short])
    if op.extra.get("return_X_y") is True:
        return x, y
    return Object("table", {"data": x, "target": y})


def _data(op: Op, rows: Any, width: Any, targets: Any = None) -> tuple[Tensor, Tensor]:
    """Rows of numbers, and a number to be told of each or the number of its class."""
    kind = "float64" if op.short in ("load_diabetes", "make_regression") else "int64"
    x = Tensor((rows, width), "float64", "numpy", site=op.where, name="data")
    dims = (rows,) if targets is None else (rows, targets)
    return x, Tensor(dims, kind, "numpy", site=op.where, name="target")


@operator("sklearn.datasets.make_regression sklearn.datasets.make_classification",
          "n_samples=100 n_features=None *rest")  # fmt: skip
def made_rows(op: Op, n_samples: Value, n_features: Value, rest: tuple[Value, ...]) -> Value:
    width = op.tr.term_of(n_features if n_features is not None else 100 if op.short == "make_regression" else 20)
    rows = op.tr.term_of(n_samples)
    targets = op.extra.get("n_targets", 1)
    if rows is None or width is None or rest or targets != 1 or op.extra.get("coef") is True:
        return op.tr.unknown("made data", "imprecise")
    return _data(op, rows, width)


@operator("sklearn.datasets.make_moons sklearn.datasets.make_circles", "n_samples=100 *rest")
def made_points(op: Op, n_samples: Value, rest: tuple[Value, ...]) -> Value:
    rows = op.tr.term_of(n_samples)
    return op.tr.unknown("made data", "imprecise") if rows is None else _data(op, rows, 2)


@operator("sklearn.datasets.make_blobs", "n_samples=100 n_features=2 *rest")
def made_blobs(op: Op, n_samples: Value, n_features: Value, rest: tuple[Value, ...]) -> Value:
    rows, width = op.tr.term_of(n_samples), op.tr.term_of(n_features)
    listed = isinstance(op.extra.get("centers"), (ListV, Tensor, tuple)) or op.extra.get("return_centers") is True
    return op.tr.unknown("made data", "imprecise") if None in (rows, width) or listed else _data(op, rows, width)


_SCALERS = (
    "StandardScaler MinMaxScaler MaxAbsScaler RobustScaler Normalizer QuantileTransformer PowerTransformer "
    "FunctionTransformer Binarizer OrdinalEncoder"
)


@operator(" ".join(f"sklearn.preprocessing.{n}" for n in (*_SCALERS.split(), "LabelEncoder", "OneHotEncoder")), "*rest")
def transformer(op: Op, rest: tuple[Value, ...]) -> Value:
    return Object("row transformer", data={"kind": op.short, "width": None, "sparse": op.extra.get("sparse_output")})


@operator("sklearn.decomposition.PCA sklearn.decomposition.TruncatedSVD", "n_components=None *rest")
def reduction(op: Op, n_components: Value, rest: tuple[Value, ...]) -> Value:
    width = n_components if isinstance(n_components, int) else None
    return Object("row transformer", data={"kind": op.short, "width": width, "sparse": False})


def transformed(op_tr: Any, owner: Object, name: str, args: tuple[Value, ...]) -> Value:
    """The methods of a transformer: as many rows, and for all but encoders and reductions as many columns."""
    if name == "fit":
        return owner
    given = args[0] if args else None
    if name not in ("transform", "fit_transform", "inverse_transform") or not isinstance(given, (Tensor, Rows, ListV)):
        return op_tr.unknown_call(f"{owner.data['kind']}.{name}")
    found = tensor_of(op_tr, given, "numpy")
    kind = owner.data["kind"]
    if found is None or found.dims is None or (kind == "OneHotEncoder" and owner.data["sparse"] is not False):
        return op_tr.unknown(f"{name}()", "imprecise")
    op_tr.shared.known_calls[f"{kind}.{name}"] += 1
    dims = found.dims
    changed = kind in ("OneHotEncoder", "PCA", "TruncatedSVD")
    if changed and len(dims) == 2:
        width = owner.data["width"] if name != "inverse_transform" else None
        dims = (dims[0], width if width is not None else op_tr.fresh("columns", "unknown", 1))
    return Tensor(dims, "int64" if kind == "LabelEncoder" else None, "numpy")


_SCORES = (
    "r2_score accuracy_score mean_squared_error mean_absolute_error roc_auc_score log_loss balanced_accuracy_score"
)


@operator(" ".join(f"sklearn.metrics.{n}" for n in _SCORES.split()), "y_true y_pred *rest")
def score(op: Op, y_true: Value, y_pred: Value, rest: tuple[Value, ...]) -> Value:
    return Unknown("a score", "data", pytype="float")


@operator("sklearn.utils.validation.check_array sklearn.utils.check_array", "array *rest")
def check_array(op: Op, array: Value, rest: tuple[Value, ...]) -> Value:
    """The array itself, of numbers."""
    return _checked(op, array, 2)


@operator("sklearn.utils.validation.check_X_y sklearn.utils.check_X_y", "X y *rest")
def check_x_y(op: Op, X: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    """Both arrays, with as many rows; the targets have one axis."""
    x, targets = _checked(op, X, 2), _checked(op, y, 1)
    if isinstance(x, Tensor) and isinstance(targets, Tensor) and x.dims and targets.dims:
        told = f"X has the shape {show_shape(x.dims)} and y {show_shape(targets.dims)}"
        require(op, equal(x.dims[0], targets.dims[0]), "rows", told, (x, targets))
    return x, targets


@operator("sklearn.utils.validation.check_is_fitted sklearn.utils.check_consistent_length "
          "sklearn.utils.validation.check_consistent_length sklearn.utils.assert_all_finite", "*rest")  # fmt: skip
def checked_alone(op: Op, rest: tuple[Value, ...]) -> Value:
    return None


@operator("sklearn.utils.validation.column_or_1d sklearn.utils.column_or_1d", "y *rest")
def one_column(op: Op, y: Value, rest: tuple[Value, ...]) -> Value:
    return _checked(op, y, 1)


def _checked(op: Op, value: Value, rank: int) -> Value:
    found = tensor_of(op.tr, value, "numpy") if isinstance(value, (Tensor, ListV, Rows)) else None
    if found is None or found.dims is None or op.extra.get("accept_sparse", False) is not False:
        return op.tr.unknown("a checked array", "data")
    dims = found.dims
    if rank == 1 and len(dims) == 2 and dims[1] == 1:
        dims = dims[:1]
    if len(dims) != rank:
        return op.tr.unknown("a checked array", "data")
    kind = dtype_name(op.extra.get("dtype")) if op.extra.get("dtype") is not None and rank == 2 else found.dtype
    made = Tensor(dims, kind, "numpy", site=op.where, name=found.name, sources=(found,))
    if found.dims == dims and kind == found.dtype:
        made.array, made.meaning = found.array, found.meaning
    return made


_CLUSTERINGS = "KMeans MiniBatchKMeans BisectingKMeans"


@operator(" ".join(f"sklearn.cluster.{n}" for n in _CLUSTERINGS.split()), "n_clusters=8 *rest")
def clustering(op: Op, n_clusters: Value, rest: tuple[Value, ...]) -> Value:
    return Object("clustering", data={"count": op.tr.term_of(n_clusters)}, site=op.where)


def clustered(tr: Tracer, owner: Object, name: str, args: tuple[Value, ...]) -> Value:
    """The methods of a clustering: a number for each row, and the centres, which have the rows' columns."""
    given = args[0] if args else None
    found = tensor_of(tr, given, "numpy") if isinstance(given, (Tensor, ListV, Rows)) else None
    rows = found.dims if found is not None and found.dims is not None and len(found.dims) == 2 else None
    if rows is None or owner.data["count"] is None:
        tr.forget((owner,))
        return owner if name == "fit" else tr.unknown(f"{name}()", "data")
    labels = Tensor(rows[:1], "int32", "numpy", site=tr.site())
    if name in ("fit", "fit_predict", "partial_fit"):
        tr.touch(owner)
        centres = Tensor((owner.data["count"], rows[1]), None, "numpy", site=tr.site(), name="cluster_centers_")
        inertia = Unknown("inertia_", "data", pytype="float")
        owner.attrs.update(labels_=labels, cluster_centers_=centres, inertia_=inertia)
    if name in ("fit", "partial_fit"):
        return owner
    if name in ("predict", "fit_predict"):
        return labels
    if name == "transform":
        return Tensor((rows[0], owner.data["count"]), None, "numpy", site=tr.site())
    return tr.unknown(f"{name}()", "data")
