"""What TensorFlow operators do besides computing: to files, the network, processes, and Python.

TensorFlow's registry says of each operator whether it is stateful; stateless ones compute. The stateful ones are told
apart by family here: state inside of the runtime (variables, random numbers, queues, tables, iterators), effects
outside of it, and the rest, which is refused. So is what the registry does not know: it needs a library of its own.

``tensorflow_stateful.json`` holds the registry's word on each operator; it is made by
``python -m scripts.tensorflow_tables``.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import onnx_ir as ir

from analyzer.loading.tensorflow_nodes import ParsedGraphDef


class EffectKind(Enum):
    """How much an effect means."""

    ACTS = "acts"  # no model needs it: an error
    READS_RECORDS = "reads records"  # the input pipeline of a training graph: told, and not run
    UNKNOWN = "unknown"  # an operator of a library that is not part of TensorFlow: not run


@dataclass(frozen=True, slots=True)
class Effect:
    """One operator of a file that acts; `what` completes the sentence ``the node … ``."""

    node: str
    op: str
    kind: EffectKind
    what: str


_WRITES, _READS = "writes files", "reads files"
_ACTS: tuple[tuple[str, str], ...] = (
    (r"PyFunc(Stateless)?|EagerPyFunc", "calls Python code"),
    (r"WriteFile|(Experimental)?DatasetToTFRecord|SaveDataset.*|SnapshotDataset.*|DistributedSave", _WRITES),
    (r"CreateSummary(File|Db)Writer|DebugIdentity.*|DebugNanCount|DebugNumericSummary.*|DumpTensor", _WRITES),
    (r"CalibrationStatisticsSaver|StoreMinibatchStatisticsInFdo", _WRITES),
    (r"ReadFile|(Experimental)?MatchingFiles(Dataset)?|WholeFileReader.*|LoadAndRemapMatrix", _READS),
    (r"(Experimental)?(Sql|LMDB)Dataset|LoadDataset|Snapshot(Chunk|NestedDatasetReader).*", _READS),
    (r"ListSnapshotChunksDataset|LMDBReader|DTensorRestoreV2", _READS),
    (r"Rpc.*|DataService.*|RegisterDataset.*|RemoteCall|.*Grpc.*|WorkerHeartbeat", "talks to other machines"),
    (r"FileSystemSetConfiguration", "changes how files are reached"),
    (r"Abort", "ends the process"),
)

_RECORDS = (
    r"(TFRecord|TextLine|FixedLengthRecord|CSV|ExperimentalCSV)Dataset(V\d)?|(TFRecord|TextLine|FixedLengthRecord)Reader(V2)?"
    r"|RecordInput"
)

# Checkpoints are saved and restored in every training graph, to a name that whoever runs it gives.
_CHECKPOINTS = re.compile(r"Save(Slices|V2)?|Restore(Slice|V2)?|MergeV2Checkpoints")
_CACHES = re.compile(r"CacheDataset(V2)?")  # in memory, unless a file is named
_TABLES = re.compile(r"InitializeTableFromTextFile(V2)?")  # a vocabulary; SavedModels keep theirs among their assets

# State that lives and dies with the runtime, and hardware that is not there.
_INSIDE = (
    r"Variable(V2|Shape)?|VarHandleOp|VarIsInitializedOp|TemporaryVariable|DestroyResourceOp|ReadVariable.*|Assign.*Variable.*"
    r"|Resource.*|IsResourceHandleRefCounting|MakeWeakResourceHandle|GuaranteeConst|Empty|DeepCopy|DisableCopyOnRead"
    r"|.*Random.*|.*CandidateSampler|.*TruncatedNormal|Stateful(StandardNormal|Uniform).*|Multinomial|NonDeterministicInts"
    r"|Rng.*|SampleDistortedBoundingBox.*|Skipgram|NegTrain|.*Queue.*|.*TensorArray.*|Stack.*|.*Barrier.*|.*Accumulator.*"
    r"|.*HashTable.*|LookupTable.*|InitializeTable(V2|FromDataset)|(Ordered)?Map(Clear|IncompleteSize|Peek|Size|Stage|Unstage).*"
    r"|Reader.*|IdentityReader.*"
    r"|(Uns|S)tage.*|.*Iterator.*|If|While|Case|StatefulPartitionedCall|CheckNumerics.*|Assert|Print|CudnnRNN.*|.*BoostedTrees.*"
    r"|Timestamp|.*Mutex.*|ConsumeMutexLock|(Tensor|TensorSlice|SparseTensorSlice|Range|Shuffle.*|GlobalShuffle|Reduce|Generator"
    r"|List|ThreadPool|Group.*|ExperimentalGroup.*|ExperimentalThreadPool|SetStatsAggregator|ExperimentalSetStatsAggregator)"
    r"Dataset(V\d)?|DatasetToSingleElement|SummaryWriter|FlushSummaryWriter|CloseSummaryWriter|Write.*Summary|ImportEvent"
    r"|(Anonymous|Delete|Dummy)(Memory|Seed|Multi|Iteration).*|.*ThreadPoolHandle|.*StatsAggregator.*|AddManySparse.*|AddSparse.*"
    r"|TakeManySparse.*|(Get|Delete)Session.*|CacheDatasetV2|XlaCallModule|Xla.*|.*TPU.*|Collective.*|Nccl.*|(In|Out)feed.*"
    r"|CrossReplicaSum|AllToAll|Send|Recv|SyncDevice|DeviceIndex|StubResourceHandleOp|Sleep.*|GlobalIterId|RiscWhile"
)  # fmt: skip


def effects(program: ParsedGraphDef, *, assets: bool = False) -> list[Effect]:
    """Every node of `program`, functions included, that acts outside of the runtime.

    `assets`: the file is a SavedModel, whose vocabularies are put in place of the names in the graph.
    """
    found: list[Effect] = []
    bodies: list[tuple[Iterable[tuple[str, str, Sequence[str], Mapping[str, Any]]], bool]] = [
        ([(n.name, n.op, [i[0] for i in n.inputs], n.attributes) for n in program.nodes], False),
        *((function.nodes, True) for function in program.functions.values()),
    ]
    custom = set(program.functions)
    for nodes, inside in bodies:
        known = {name: (op, [i.split(":")[0] for i in inputs], attributes) for name, op, inputs, attributes in nodes}
        for name, (op, inputs, attributes) in known.items():
            if op in custom:
                continue  # a call of a function
            effect = _effect(op, attributes)
            if effect is None and _CHECKPOINTS.fullmatch(op):
                effect = (EffectKind.ACTS, "reads or writes a file that the graph itself names")
                if _given(inputs[:1], known, inside):
                    effect = None
            elif effect is None and _TABLES.fullmatch(op) and not assets and _fixed(inputs[1:2], known):
                effect = (EffectKind.ACTS, "reads a file that the graph itself names")
            elif effect is None and _CACHES.fullmatch(op) and _named(inputs[1:2], known):
                effect = (EffectKind.ACTS, "writes files")
            if effect is not None:
                found.append(Effect(name, op, *effect))
    return found


def _effect(op: str, attributes: Mapping[str, Any]) -> tuple[EffectKind, str] | None:
    for pattern, what in _ACTS:
        if re.fullmatch(pattern, op):
            return EffectKind.ACTS, what
    if re.fullmatch(_RECORDS, op):
        return EffectKind.READS_RECORDS, "reads records from files"
    if op == "PrintV2":
        stream = text_of(attributes.get("output_stream"))
        return (
            None
            if stream in ("", "stdout", "stderr") or stream.startswith("log(")
            else (EffectKind.ACTS, "writes a file")
        )
    stateful = _registry().get(op)
    if stateful is None:
        return EffectKind.UNKNOWN, "is not part of TensorFlow and needs a library of its own"
    if stateful and not (re.fullmatch(_INSIDE, op) or _CHECKPOINTS.fullmatch(op) or _TABLES.fullmatch(op)):
        return EffectKind.ACTS, "has effects that Assay does not know"
    return None


_Nodes = Mapping[str, tuple[str, list[str], Mapping[str, Any]]]


def _given(names: Sequence[str], nodes: _Nodes, inside: bool) -> bool:
    """Whether a file's name comes from outside of the graph, and no constant on the way leads elsewhere."""
    given = False
    for name in _above(names, nodes):
        if name not in nodes:
            given = given or inside  # an argument of the function
            continue
        op, _, attributes = nodes[name]
        given = given or op in ("Placeholder", "PlaceholderWithDefault", "PlaceholderV2")
        if op == "Const" and _leads_elsewhere(attributes):
            return False
    return given


def _fixed(names: Sequence[str], nodes: _Nodes) -> bool:
    above = [nodes[name] for name in _above(names, nodes) if name in nodes]
    return any(op == "Const" and _leads_elsewhere(attributes) for op, _, attributes in above)


def _named(names: Sequence[str], nodes: _Nodes) -> bool:
    above = [nodes[name] for name in _above(names, nodes) if name in nodes]
    return any(text for op, _, attributes in above if op == "Const" for text in _strings(attributes.get("value")))


def _above(names: Sequence[str], nodes: _Nodes) -> set[str]:
    seen: set[str] = set()
    stack = [name.lstrip("^").split(":")[0] for name in names]
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack += [i.lstrip("^").split(":")[0] for i in (nodes[name][1] if name in nodes else ())]
    return seen


def _leads_elsewhere(attributes: Mapping[str, Any]) -> bool:
    """Whether a constant text is a path that leaves the working directory."""
    for text in _strings(attributes.get("value")):
        if text.startswith(("/", "~", "\\")) or "://" in text or ".." in re.split(r"[/\\]", text):
            return True
    return False


def _strings(attribute: Any) -> Iterable[str]:
    tensor = getattr(attribute, "value", None)
    if isinstance(tensor, ir.StringTensor):
        for item in tensor.string_data():
            yield item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


def text_of(attribute: Any) -> str:
    """The text of an attribute that holds one; empty for others."""
    value = getattr(attribute, "value", None)
    return value if isinstance(value, str) else ""


@functools.cache
def _registry() -> dict[str, bool]:
    """Operator -> whether it is stateful."""
    data = json.loads(Path(__file__).with_name("tensorflow_stateful.json").read_text(encoding="utf-8"))
    return dict.fromkeys(data["stateless"], False) | dict.fromkeys(data["stateful"], True)
