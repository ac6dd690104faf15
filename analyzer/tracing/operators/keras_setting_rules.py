"""Keras's initialisers, regularisers and constraints, told by a name, as plain data or as an object."""

from __future__ import annotations

from analyzer.tracing.language.values import DictV, Native, Value
from analyzer.tracing.operators.keras_custom_objects import custom_objects, named
from analyzer.tracing.operators.keras_settings import (
    CLASSES,
    NAMES,
    made_of,
    names_of,
    setting_as_data,
    setting_of,
)
from analyzer.tracing.operators.table import Op, operator

_MADE = " ".join(f"keras.{home}.{name}" for home in CLASSES for name in names_of(home))
_OF_TENSORFLOW_1 = {
    "tf.random_normal_initializer": "RandomNormal", "tf.truncated_normal_initializer": "TruncatedNormal",
    "tf.constant_initializer": "Constant", "tf.zeros_initializer": "Zeros", "tf.ones_initializer": "Ones",
    "tf.glorot_uniform_initializer": "GlorotUniform", "tf.glorot_normal_initializer": "GlorotNormal",
    "tf.random_uniform_initializer": "RandomUniform", "tf.variance_scaling_initializer": "VarianceScaling",
    "tf.orthogonal_initializer": "Orthogonal", "tf.uniform_unit_scaling_initializer": "RandomUniform",
    "tf.contrib.layers.xavier_initializer": "GlorotUniform", "tf.he_normal_initializer": "HeNormal",
    "tf.contrib.layers.xavier_initializer_conv2d": "GlorotUniform",
    "tf.contrib.layers.variance_scaling_initializer": "VarianceScaling",
    "tf.initializers.random_normal": "RandomNormal", "tf.initializers.random_uniform": "RandomUniform",
    "tf.initializers.truncated_normal": "TruncatedNormal", "tf.initializers.variance_scaling": "VarianceScaling",
}  # fmt: skip


@operator(" ".join((_MADE, *_OF_TENSORFLOW_1)), "*args")
def setting(op: Op, args: tuple[Value, ...]) -> Value:
    home = op.name.split(".")[1]
    name = _OF_TENSORFLOW_1.get(op.name) or NAMES[home][op.short]
    return setting_of(home if home in CLASSES else "initializers", name, args, dict(op.extra.items()), op.where)


@operator(" ".join(f"keras.{home}.get keras.{home}.deserialize" for home in CLASSES), "identifier *rest")
def got(op: Op, identifier: Value, rest: tuple[Value, ...]) -> Value:
    """What is no name and no plain data is the setting itself."""
    return made_of(op.tr, op.name.split(".")[1], identifier, op.node)


@operator(" ".join(f"keras.{home}.serialize" for home in CLASSES), "setting *rest")
def serialized(op: Op, setting: Value, rest: tuple[Value, ...]) -> Value:
    return None if setting is None else setting_as_data(op.tr, setting, op.node)


# ------------------------------------------------------------------------------------------- registered names


@operator("keras.utils.get_custom_objects keras.saving.get_custom_objects", "")
def table_of_names(op: Op) -> Value:
    return custom_objects(op.tr)


_HOMES = ("keras.utils", "keras.saving")


@operator(" ".join(f"{home}.register_keras_serializable" for home in _HOMES), "package='Custom' name=None")
def register(op: Op, package: Value, name: Value) -> Value:
    """A decorator that gives the class or function back, and keeps it in the table."""
    table = custom_objects(op.tr)

    def keep(value: Value) -> Value:
        short = named(value) if name is None else name
        if isinstance(short, str) and isinstance(package, str):
            op.tr.touch(table)
            table.items[f"{package}>{short}"] = value
        return value

    return Native("register_keras_serializable", lambda c: keep(c.get(0)))


@operator(" ".join(f"{home}.get_registered_name" for home in _HOMES), "obj")
def registered_name(op: Op, obj: Value) -> Value:
    table = custom_objects(op.tr)
    found = next((key for key, value in table.items.items() if value is obj), None)
    return found if found is not None else (named(obj) or op.tr.unknown("a registered name", "foreign", pytype="str"))


@operator(" ".join(f"{home}.get_registered_object" for home in _HOMES), "name *rest")
def registered_object(op: Op, name: Value, rest: tuple[Value, ...]) -> Value:
    table = custom_objects(op.tr)
    found = table.items.get(name) if isinstance(name, str) else None
    return op.tr.unknown("a registered object", "foreign") if found is None else found


@operator(
    " ".join(f"{home}.{name}" for home in _HOMES for name in ("custom_object_scope", "CustomObjectScope")),
    "objects=None *rest",
)
def scope_of_names(op: Op, objects: Value, rest: tuple[Value, ...]) -> Value:
    """Names that hold inside the block; that they go on behind it does no harm, where none is looked up."""
    if isinstance(objects, DictV):
        table = custom_objects(op.tr)
        op.tr.touch(table)
        table.items.update(objects.items)
    return op.tr.unknown("a scope", "data", pytype="object")
