"""`Graph`: an ``onnx_ir`` model with what Assay needs to talk about it to a person.

Conventions that every loader and exporter keeps:

- ONNX operators stand in the domain ``""``; TensorFlow operators keep their names under the domain ``tf``
  (``Conv2D``, ``Placeholder``…), their attributes under TensorFlow's names. Node names are those of the source.
- What a run feeds is a graph input with role ``input``. What training changes is either an initializer (its value is
  known) or a graph input with role ``parameter`` (TensorFlow 1 variables: only an initial value may be known, as the
  value named in the metadata key ``assay.initial_value``, computed by nodes of the same graph).
  Counters, moving averages and queues are ``state``.
- TensorFlow 1 loop frames, and While v2, are nodes ``tf::While`` with graph attributes ``cond`` and ``body``; ``If`` is
  ``tf::If`` with ``then_branch`` and ``else_branch``. Every graph is a DAG.
- Metadata survives serialisation to ONNX bytes, so a graph can cross from a sandbox.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import onnx_ir as ir

from analyzer.findings import Location

NAME = "assay.name"
LAYER = "assay.layer"
LAYER_CLASS = "assay.layer_class"
FRAMEWORK_LAYER = "assay.framework_layer"
PATH = "assay.path"
LINE = "assay.line"
CALL_SITE = "assay.call"
ROLE = "assay.role"
INITIAL_VALUE = "assay.initial_value"
TRUTHS = "assay.truths"  # of an input: the example holds zeros and ones and nothing else
BINARY = "assay.binary"  # of a floating-point input: the same, of fewer numbers, and no covariances
SPAN = "assay.span"  # of an input: the smallest and the largest number that the example shows
TRAINED = "assay.trained"  # of a model: its file holds training information
ORDER = "assay.order"  # of an input: the axis along which its example runs in order, and 1 (rising) or -1 (falling)
EVEN = "assay.even"  # of an input: the axis along which the steps of its example are equal, and how large these are
UNLIKE = "assay.unlike"  # of an input: the rows of its example along the first axis all differ
DEFINITE = "assay.definite"  # of an input: its example holds symmetric matrices with eigenvalues above 0
FX_NODE = "pkg.torch.onnx.fx_node"  # the traced call that a node was translated from, as the Torch exporter notes it
ONE_HOT = "assay.onehot"  # of an input: along one axis of its example each row holds a single one
SHOWN = "assay.shown"  # of an input: the smallest and the largest number of its example, and how many there are
WHOLE = "assay.whole"  # of a floating-point input: its example holds whole numbers, more than zeros and ones
COLUMNS = "assay.columns"  # of an input: the ends of each feature of its example, where these differ in size
FILLED = "assay.filled"  # of an input of zeros and ones: which of them each row of its example holds (last axis)
UNTRAINED = "assay.untrained"  # of a weight: training leaves it as it is
OF_BATCHES = "assay.of_batches"  # of a running mean: training normalises each batch by its own statistics instead
UNDEFINED = "assay.undefined"  # of a model: the gradient or loss that PyTorch finds to be no number on its example
FROZEN = "assay.frozen"
APART = "apart"  # of a frozen node: what was read rests on inputs that nothing else in the graph uses
SIGNATURE = "assay.signature"  # of the model: all inputs of the entry point, one a line, those it does not use included


class Role(StrEnum):
    INPUT = "input"
    PARAMETER = "parameter"
    STATE = "state"


@dataclass(frozen=True, eq=False)
class Graph:
    """A model as Assay sees it.

    `framework` is ``onnx``, ``tensorflow``, ``torch`` or ``keras``: whose names a user expects.
    `versions` names the framework and exporter versions that made it.
    `losses` names output values that are losses (training graphs), in case analyses want gradients.
    `ran`: PyTorch ran the module on the example that it was exported with.
    `training` is the same with the loss that the model was compiled with, where no result of its own is one.
    `opened` names the project's files that its export read and that its sources do not tell, relative to the root.
    """

    model: ir.Model
    framework: str = "onnx"
    versions: dict[str, str] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    ran: bool = False
    training: Graph | None = None

    @property
    def graph(self) -> ir.Graph:
        return self.model.graph

    def nodes(self) -> Iterator[ir.Node]:
        """All nodes in topological order, those of subgraphs after their owner."""
        yield from ir.traversal.RecursiveGraphIterator(self.model.graph)

    def __len__(self) -> int:
        return sum(1 for _ in self.nodes())


def display_name(node: ir.Node) -> str:
    """The name a user of the source framework knows the node by."""
    return node.metadata_props.get(NAME) or node.name or node.op_type


def set_display_name(node: ir.Node, name: str) -> None:
    node.metadata_props[NAME] = name


def layer_of(node: ir.Node) -> str:
    """What a person calls the layer: torch module path, Keras layer name, TensorFlow name scope; may be empty."""
    return node.metadata_props.get(LAYER, "")


def layer_class_of(node: ir.Node) -> str:
    """The layer's class in its framework (``Conv2d``), or empty."""
    return node.metadata_props.get(LAYER_CLASS, "")


def in_framework_layer(node: ir.Node) -> bool:
    """Whether the node is a step inside a layer that the framework itself defines, so far as its origin is known."""
    return FRAMEWORK_LAYER in node.metadata_props


def in_torch_attention(node: ir.Node) -> bool:
    """Whether the node is a step of PyTorch's own attention, of which the exporter wrote several."""
    return "aten.scaled_dot_product_attention" in node.metadata_props.get(FX_NODE, "")


def set_layer(node: ir.Node, layer: str, layer_class: str = "", *, of_framework: bool = False) -> None:
    node.metadata_props[LAYER] = layer
    if layer_class:
        node.metadata_props[LAYER_CLASS] = layer_class
    if of_framework:
        node.metadata_props[FRAMEWORK_LAYER] = "1"


def is_frozen(node: ir.Node) -> bool:
    """Whether the node may rest on numbers that the model read from its own values, fixed as the example gave them."""
    return FROZEN in node.metadata_props


def fails_as_recorded(node: ir.Node) -> bool:
    """Whether a run of the graph is a run of the model: what it read is decided by inputs that stay as in the example.

    Nothing in the graph computes with these inputs, so a run may give all others any value.
    """
    return node.metadata_props.get(FROZEN, APART) == APART


def set_frozen(node: ir.Node, *, apart: bool = False) -> None:
    node.metadata_props[FROZEN] = APART if apart else "1"


def torch_function(node: ir.Node) -> str:
    """The function of PyTorch that made the node: ``std`` also for the quotient inside it; empty where not known."""
    called = node.metadata_props.get("namespace", "").rpartition(": aten.")[2]
    return called.partition(".")[0].removesuffix("_")


def location_of(node: ir.Node) -> Location | None:
    """The source line that made the node: repository-relative, never inside an installed package."""
    path, line = node.metadata_props.get(PATH), node.metadata_props.get(LINE)
    return Location(path, int(line)) if path and line else None


def set_location(node: ir.Node, location: Location) -> None:
    node.metadata_props[PATH] = location.path
    node.metadata_props[LINE] = str(location.line)


def call_site_of(node: ir.Node) -> str:
    """``file:line`` of the call through which the project's code came to the node's line; empty where not known."""
    return node.metadata_props.get(CALL_SITE, "")


def set_call_site(node: ir.Node, location: Location) -> None:
    node.metadata_props[CALL_SITE] = f"{location.path}:{location.line}"


def role_of(value: ir.Value) -> Role:
    """Initializers are parameters unless marked otherwise; graph inputs are inputs unless marked otherwise."""
    stated = value.metadata_props.get(ROLE)
    if stated:
        return Role(stated)
    return Role.PARAMETER if value.is_initializer() else Role.INPUT


def set_role(value: ir.Value, role: Role) -> None:
    value.metadata_props[ROLE] = str(role)
