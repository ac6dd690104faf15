"""Singular values, eigenvalues and orthogonal factors of matrices."""

from __future__ import annotations

from analyzer.operators.conditions import (
    GRADIENT_OF_EQUAL_EIGENVALUES,
    GRADIENT_OF_NORM_AT_ZERO,
    GRADIENT_OF_SINGULAR_MATRIX,
)
from analyzer.operators.declaration import operator

OPERATORS = (
    operator("SingularValues", aten="_linalg_svd", unsafe=(GRADIENT_OF_EQUAL_EIGENVALUES, GRADIENT_OF_NORM_AT_ZERO)),
    operator("Eigenvalues", aten="_linalg_eigh", unsafe=(GRADIENT_OF_EQUAL_EIGENVALUES,)),
    operator("ComplexEigenvalues", aten="linalg_eig", unsafe=(GRADIENT_OF_EQUAL_EIGENVALUES,)),
    operator("OrthogonalFactors", tf="Qr", aten="linalg_qr", unsafe=(GRADIENT_OF_SINGULAR_MATRIX,)),
)
