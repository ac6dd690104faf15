"""Fourier transforms and decompositions."""

from __future__ import annotations

from analyzer.operators.declaration import operator

OPERATORS = (
    operator("DFT", (17, 20)),
    operator("STFT", (17,)),
    operator("Det", (11, 22), tf="MatrixDeterminant"),
    operator("Cholesky", tf="Cholesky MatrixInverse MatrixSolve MatrixTriangularSolve SelfAdjointEigV2 Qr Svd"),
)
