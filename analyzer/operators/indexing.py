"""Elements chosen, placed or counted by indices."""

from __future__ import annotations

from analyzer.operators.declaration import (
    DENSE,
    DETACHED,
    FROM_SIZES,
    OTHER_LAYOUT,
    SELECTS,
    SHAPE_ONLY,
    TAKES_ROWS,
    WEIGHTS,
    operator,
)

OPERATORS = (
    operator(
        "Gather",
        (1, 11, 13),
        tf="GatherV2 Gather ResourceGather EmbeddingLookup",
        torch="index_select select",
        traits=SELECTS | DENSE | TAKES_ROWS,
    ),
    operator("Embedding", torch="Embedding embedding", keras="Embedding", traits=SELECTS | DENSE | WEIGHTS),
    operator("EmbeddingBag", torch="EmbeddingBag", traits=WEIGHTS),
    operator("ReversibleEmbedding", keras="ReversibleEmbedding", traits=WEIGHTS),
    operator("Subscript", torch="getitem", keras="getitem"),
    operator("GatherElements", (11, 13), torch="gather take_along_dim", traits=SELECTS | DENSE | TAKES_ROWS),
    operator("GatherND", (11, 12, 13), tf="GatherNd ResourceGatherNd", traits=SELECTS | TAKES_ROWS),
    operator("ScatterElements", (11, 13, 16, 18), torch="scatter scatter_add", traits=TAKES_ROWS),
    operator("Scatter", (9, 11)),
    operator("ScatterND", (11, 13, 16, 18)),
    operator("TensorScatter", (24,), lacks="references"),
    operator("ScatterNdOfShape", tf="ScatterNd"),
    operator(
        "TensorScatterAdd",
        tf="""
    TensorScatterAdd TensorScatterUpdate TensorScatterSub TensorScatterMax TensorScatterMin ScatterUpdate
    ScatterAdd ScatterSub
""",
    ),
    operator("OneHot", (9, 11, 28), tf="OneHot", torch="one_hot", traits=DETACHED | DENSE),
    operator("TopK", (1, 10, 11, 24), tf="TopKV2 TopK", torch="topk kthvalue", traits=OTHER_LAYOUT),
    operator("SearchSorted", tf="LowerBound UpperBound", aten="searchsorted"),
    operator("Sort", torch="sort argsort", traits=OTHER_LAYOUT),
    operator("NonZero", (9, 13), tf="Where", traits=DETACHED),
    operator("Compress", (9, 11, 28), lacks="references"),
    operator("MaskedSelect", aten="masked_select"),
    operator("BooleanMask", tf="BooleanMask"),
    operator("DynamicPartition", tf="DynamicPartition"),
    operator("Unique", (11, 28), tf="Unique UniqueV2 UniqueWithCounts", lacks="references"),
    operator("DynamicStitch", tf="DynamicStitch ParallelDynamicStitch"),
    operator("EyeLike", (9, 22), traits=SHAPE_ONLY),
    operator("Eye", tf="Eye", traits=DENSE | FROM_SIZES, torch="eye"),
    operator("SparseToDense", tf="SparseToDense"),
    operator("TfIdfVectorizer", (9,), lacks="types references"),
)
