"""Operators of classical machine learning (ai.onnx.ml)."""

from __future__ import annotations

from analyzer.operators.conditions import NORMALIZATION_BY_ZERO
from analyzer.operators.declaration import ML, operator

OPERATORS = (
    operator("TreeEnsemble", (5,), domain=ML),
    operator("TreeEnsembleClassifier", (1, 3, 5), domain=ML),
    operator("TreeEnsembleRegressor", (1, 3, 5), domain=ML),
    operator("SVMClassifier", (1,), domain=ML),
    operator("SVMRegressor", (1,), domain=ML),
    operator("LinearClassifier", (1,), domain=ML),
    operator("LinearRegressor", (1,), domain=ML),
    operator("Normalizer", (1,), domain=ML, unsafe=(NORMALIZATION_BY_ZERO,)),
    operator("Scaler", (1,), domain=ML),
    operator("Binarizer", (1,), domain=ML),
    operator("OneHotEncoder", (1,), domain=ML),
    operator("Imputer", (1,), domain=ML),
    operator("ArrayFeatureExtractor", (1,), domain=ML),
    operator("FeatureVectorizer", (1,), domain=ML),
    operator("LabelEncoder", (1, 2, 4), domain=ML),
    operator("CategoryMapper", (1,), domain=ML),
    operator("CastMap", (1,), domain=ML),
    operator("DictVectorizer", (1,), domain=ML),
    operator("ZipMap", (1,), domain=ML),
)
