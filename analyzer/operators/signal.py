"""Fourier transforms and decompositions."""

from __future__ import annotations

from analyzer.operators.declaration import operator

OPERATORS = (
    operator("DFT", (17, 20), lacks="references"),
    operator("STFT", (17,), lacks="references"),
    operator("Det", (11, 22), tf="MatrixDeterminant", lacks="references"),
    operator("Cholesky", tf="Cholesky MatrixInverse MatrixSolve MatrixTriangularSolve SelfAdjointEigV2 Qr Svd"),
)
