"""Fourier transforms, decompositions and distances."""

from __future__ import annotations

from analyzer.operators.conditions import DIVISION_BY_ZERO
from analyzer.operators.declaration import POLYNOMIAL, PRODUCT, operator

OPERATORS = (
    operator("DFT", (17, 20), lacks="references"),
    operator("RealFourier", tf="RFFT RFFT2D"),
    operator("InverseRealFourier", tf="IRFFT IRFFT2D"),
    operator("STFT", (17,), lacks="references"),
    operator("Det", (11, 22), tf="MatrixDeterminant", traits=POLYNOMIAL, lacks="references"),
    operator("Cholesky", tf="Cholesky MatrixInverse MatrixSolve SelfAdjointEigV2 Svd"),
    operator("CholeskyFactor", aten="linalg_cholesky_ex"),
    operator("CholeskySolve", aten="cholesky_solve"),
    operator("LinearSolve", aten="_linalg_solve_ex"),
    operator("TriangularSolve", tf="MatrixTriangularSolve", aten="linalg_solve_triangular", unsafe=(DIVISION_BY_ZERO,)),
    operator("MatrixExponential", aten="linalg_matrix_exp matrix_exp", traits=PRODUCT),
    operator("PairwiseDistances", aten="_pdist_forward _cdist_forward"),
)
