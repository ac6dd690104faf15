"""Embeddings of PyTorch and Keras: whole-number indices become vectors."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import INDEX, need_dtype, need_positive, need_rank
from analyzer.validity.terms import Term, all_of

PADDING_INDEX = Rule(
    "padding-index",
    Category.IMPROPER_VALUE,
    "`padding_idx` {index} is not one of {count} embeddings",
    ("padding_idx", "num_embeddings"),
)


@define("torch", "Embedding")
def torch_embedding(
    case: Case,
    x: TensorType,
    *,
    num_embeddings: Term,
    embedding_dim: Term,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: float = 2.0,
    dtype: str = "float32",
    **_others: Any,
) -> TensorType:
    """``nn.Embedding``: integer indices."""
    need_positive(case, num_embeddings=num_embeddings, embedding_dim=embedding_dim)
    need_dtype(case, x, INDEX)
    if padding_idx is not None:
        inside = all_of(padding_idx < num_embeddings, padding_idx >= -num_embeddings)
        case.require(PADDING_INDEX, inside, index=padding_idx, count=num_embeddings)
    return TensorType((*x.dims, embedding_dim), dtype)


@define("torch", "EmbeddingBag")
def torch_embedding_bag(
    case: Case, x: TensorType, *, num_embeddings: Term, embedding_dim: Term, mode: str = "mean", **_others: Any
) -> TensorType:
    """``nn.EmbeddingBag`` on a matrix of indices."""
    need_positive(case, num_embeddings=num_embeddings, embedding_dim=embedding_dim)
    need_dtype(case, x, INDEX)
    need_rank(case, x, 2)
    return TensorType((x.dims[0], embedding_dim), "float32")


@define("keras", "Embedding", "ReversibleEmbedding")
def keras_embedding(
    case: Case, x: TensorType, *, input_dim: Term, output_dim: Term, mask_zero: bool = False, **_others: Any
) -> TensorType:
    """``keras.layers.Embedding``, and ``keras.layers.ReversibleEmbedding`` of indices."""
    need_positive(case, input_dim=input_dim, output_dim=output_dim)
    return TensorType((*x.dims, output_dim), "float32")
