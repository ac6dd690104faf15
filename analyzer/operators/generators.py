"""Constants, random draws, and data from outside the graph."""

from __future__ import annotations

from analyzer.operators.declaration import (
    ACTS,
    CONSTANT,
    DENSE,
    DETACHED,
    FROM_SIZES,
    IMPURE,
    RANDOM,
    SAME_SHAPE,
    SHAPE_ONLY,
    SOURCE,
    STATEFUL,
    WEIGHTS,
    operator,
)

OPERATORS = (
    operator(
        "Constant",
        (1, 9, 11, 12, 13, 19, 21, 23, 24, 25),
        tf="Const HostConst",
        traits=DETACHED | CONSTANT | SOURCE,
        torch="tensor Tensor FloatTensor LongTensor",
        lacks="types",
    ),
    operator(
        "ConstantOfShape",
        (9, 20, 21, 23, 24, 25),
        torch="full zeros ones empty",
        keras="full zeros ones empty",
        traits=DENSE | FROM_SIZES,
    ),
    operator("Fill", tf="Fill"),
    operator(
        "ZerosLike",
        tf="ZerosLike",
        torch="zeros_like",
        traits=SAME_SHAPE | SHAPE_ONLY | DETACHED,
        keras="ops.zeros_like",
    ),
    operator(
        "OnesLike", tf="OnesLike", torch="ones_like", traits=SAME_SHAPE | SHAPE_ONLY | DETACHED, keras="ops.ones_like"
    ),
    operator("Range", (11, 27), tf="Range", traits=DENSE | FROM_SIZES, torch="arange", keras="arange"),
    operator("NewTensor", torch="new_empty new_zeros new_ones new_full"),
    operator("Parameter", torch="Parameter", keras="Parameter", traits=WEIGHTS),
    operator("LinSpace", tf="LinSpace", traits=DENSE | FROM_SIZES, torch="linspace"),
    operator(
        "RandomNormal",
        (1, 22),
        tf="RandomStandardNormal StatelessRandomNormal StatelessRandomNormalV2",
        traits=RANDOM | DENSE | FROM_SIZES,
        torch="randn normal normal_functional",
        keras="randn",
        lacks="references",
    ),
    operator("RandomNormalLike", (1, 22), traits=SHAPE_ONLY | RANDOM, torch="randn_like", lacks="references"),
    operator(
        "RandomUniform",
        (1, 22),
        tf="RandomUniform StatelessRandomUniform StatelessRandomUniformV2",
        traits=RANDOM | DENSE | FROM_SIZES,
        torch="rand uniform",
        keras="rand",
        lacks="references",
    ),
    operator(
        "RandomUniformLike", (1, 22), traits=SHAPE_ONLY | RANDOM, torch="rand_like randint_like", lacks="references"
    ),
    operator("TruncatedNormal", tf="TruncatedNormal StatelessTruncatedNormal", traits=RANDOM),
    operator("RandomUniformInt", tf="RandomUniformInt", traits=RANDOM | DENSE, torch="randint"),
    operator(
        "RandomGamma", tf="RandomGamma RandomPoisson RandomPoissonV2", traits=RANDOM, torch="_standard_gamma poisson"
    ),
    operator("RandomContinuous", torch="exponential cauchy geometric log_normal", traits=RANDOM),
    operator("TrainingDropout", torch="native_dropout", traits=RANDOM),  # `dropout` draws nothing where a model is used
    operator("Bernoulli", (15, 22), traits=RANDOM, torch="bernoulli", lacks="references"),
    operator(
        "Multinomial",
        (7, 22),
        tf="Multinomial StatelessMultinomial",
        traits=RANDOM | DETACHED,
        torch="multinomial",
        lacks="references",
    ),
    operator(
        "Dropout",
        (1, 6, 7, 10, 12, 13, 22),
        torch="""
    Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout dropout
    dropout_ feature_dropout
""",
        keras="Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D AlphaDropout GaussianDropout",
        traits=RANDOM,
    ),
    operator(
        "LogUniformCandidateSampler",
        tf="LogUniformCandidateSampler UniformCandidateSampler LearnedUnigramCandidateSampler",
        traits=RANDOM,
    ),
    operator("Placeholder", tf="Placeholder", traits=SOURCE),
    operator(
        "Feed",
        tf="""
    IteratorGetNext IteratorGetNextSync QueueDequeue QueueDequeueV2 QueueDequeueMany QueueDequeueManyV2
    QueueDequeueUpTo QueueDequeueUpToV2 Unstage InfeedDequeue InfeedDequeueTuple
""",
        traits=IMPURE,
    ),
    operator(
        "Decode",
        tf="""
    ParseExample ParseExampleV2 ParseSingleExample ReaderReadV2 DecodeRaw DecodeJpeg DecodePng
    DecodeImage DecodeCSV RecordInput LookupTableFindV2 StringToNumber DecodeBmp
""",
        traits=IMPURE,
    ),
    operator("ReadFile", tf="ReadFile", traits=IMPURE | ACTS),
    operator("Restore", tf="RestoreV2", traits=IMPURE | ACTS),
    operator(
        "Variable", tf="Variable VariableV2 TemporaryVariable AutoReloadVariable", traits=IMPURE | STATEFUL | SOURCE
    ),
    operator("PyFunc", tf="PyFunc EagerPyFunc", traits=IMPURE | ACTS),
    operator(
        "Dataset",
        tf="""
    AssertCardinalityDataset BatchDataset BatchDatasetV2 CacheDataset CacheDatasetV2 ConcatenateDataset
    FilterDataset FixedLengthRecordDataset FixedLengthRecordDatasetV2 FlatMapDataset GeneratorDataset
    InterleaveDataset MapAndBatchDataset MapDataset ModelDataset OptimizeDataset OptimizeDatasetV2
    OptionsDataset PaddedBatchDataset PaddedBatchDatasetV2 ParallelBatchDataset ParallelInterleaveDataset
    ParallelInterleaveDatasetV2 ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV4 ParallelMapDataset
    ParallelMapDatasetV2 PrefetchDataset RangeDataset RepeatDataset ShuffleAndRepeatDataset
    ShuffleAndRepeatDatasetV2 ShuffleDataset ShuffleDatasetV2 ShuffleDatasetV3 SkipDataset
    SparseTensorSliceDataset TFRecordDataset TFRecordDatasetV2 TakeDataset TensorDataset TensorSliceDataset
    TextLineDataset WindowDataset ZipDataset MakeIterator IteratorV2 OneShotIterator AnonymousIterator
    FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2 FIFOQueue TensorArrayCloseV3 QueueSizeV2
    IteratorToStringHandle MergeSummary ScalarSummary HistogramSummary ImageSummary
""",
        traits=IMPURE,
    ),
    operator("VariableHandle", tf="VarHandleOp VariableHandle", traits=IMPURE | STATEFUL | SOURCE),
    operator("Table", tf="HashTableV2", traits=IMPURE),
    operator("NoOp", tf="NoOp", traits=IMPURE | SOURCE),
    operator("Save", tf="SaveV2", traits=IMPURE | ACTS),
    operator("Assert", tf="Assert Abort", traits=IMPURE),
    operator("MelWeightMatrix", (17,), lacks="references"),
    operator("HannWindow", (17,), lacks="references"),
    operator("HammingWindow", (17,), lacks="references"),
    operator("BlackmanWindow", (17,), lacks="references"),
    operator("ImageDecoder", (20,), lacks="types references"),
    operator("AffineGrid", (20,), lacks="references"),
)
