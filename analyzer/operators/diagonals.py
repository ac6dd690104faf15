"""Diagonals and triangles of matrices."""

from __future__ import annotations

from analyzer.operators.declaration import OTHER_LAYOUT, POLYNOMIAL, operator

OPERATORS = (
    operator("Trilu", (14,), torch="triu tril", traits=POLYNOMIAL),
    operator("MatrixBandPart", tf="MatrixBandPart"),
    operator("MatrixDiag", tf="MatrixDiag MatrixDiagV2 MatrixDiagV3 Diag"),
    operator("MatrixSetDiag", tf="MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3"),
    operator(
        "MatrixDiagPart",
        tf="MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 DiagPart",
        torch="diagonal",
        traits=OTHER_LAYOUT,
    ),
)
