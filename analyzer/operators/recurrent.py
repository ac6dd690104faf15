"""Recurrent layers and cells."""

from __future__ import annotations

from analyzer.operators.declaration import BUILT_FOR_LAST_AXIS, OTHER_LAYOUT, RECURRENT, WEIGHTS, operator

OPERATORS = (
    operator(
        "RNN",
        (1, 7, 14, 22),
        torch="RNN",
        keras="SimpleRNN",
        traits=RECURRENT | WEIGHTS | BUILT_FOR_LAST_AXIS | OTHER_LAYOUT,
    ),
    operator(
        "GRU",
        (1, 3, 7, 14, 22),
        torch="GRU",
        keras="GRU",
        traits=RECURRENT | WEIGHTS | BUILT_FOR_LAST_AXIS | OTHER_LAYOUT,
    ),
    operator(
        "LSTM",
        (1, 7, 14, 22),
        torch="LSTM",
        keras="LSTM",
        traits=RECURRENT | WEIGHTS | BUILT_FOR_LAST_AXIS | OTHER_LAYOUT,
    ),
    operator(
        "FusedRecurrentCell",
        tf="LSTMBlockCell BlockLSTM BlockLSTMV2 CudnnRNN CudnnRNNV3 GRUBlockCell",
        traits=RECURRENT,
    ),
    operator("RecurrentCell", torch="LSTMCell GRUCell RNNCell", traits=WEIGHTS),
    operator("ConvLSTM", keras="ConvLSTM2D", traits=WEIGHTS),
    operator("TimeDistributed", keras="TimeDistributed", traits=WEIGHTS),
    operator("Bidirectional", keras="Bidirectional", traits=WEIGHTS),
)
