"""Published models and data sets of the Hugging Face hub that scripts name: their sizes, and the columns of their rows.

Sizes are those of the ``config.json`` that is published with each; what is not named is the default of its family in
`transformers`.
"""

from __future__ import annotations

from typing import Any


def _bert(vocab: int = 30522, width: int = 768, layers: int = 12, heads: int = 12) -> dict[str, Any]:
    return {
        "model_type": "bert", "vocab_size": vocab, "hidden_size": width, "num_hidden_layers": layers,
        "num_attention_heads": heads, "intermediate_size": 4 * width,
    }  # fmt: skip


def _roberta(kind: str, vocab: int, width: int = 768, layers: int = 12, heads: int = 12) -> dict[str, Any]:
    return {
        **_bert(vocab, width, layers, heads), "model_type": kind, "max_position_embeddings": 514, "type_vocab_size": 1,
        "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2,
    }  # fmt: skip


def _gpt2(width: int, layers: int, heads: int) -> dict[str, Any]:
    return {"model_type": "gpt2", "vocab_size": 50257, "n_embd": width, "n_layer": layers, "n_head": heads}


def _t5(width: int, inner: int, layers: int, heads: int) -> dict[str, Any]:
    return {
        "model_type": "t5", "vocab_size": 32128, "d_model": width, "d_ff": inner, "num_layers": layers,
        "num_heads": heads, "d_kv": 64, "decoder_start_token_id": 0, "pad_token_id": 0,
    }  # fmt: skip


_LARGE = (1024, 24, 16)
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "bert-base-uncased": _bert(), "bert-base-cased": _bert(28996), "bert-base-chinese": _bert(21128),
    "bert-base-multilingual-cased": _bert(119547), "bert-large-uncased": _bert(30522, *_LARGE),
    "bert-large-cased": _bert(28996, *_LARGE), "bert-tiny": _bert(30522, 128, 2, 2),
    "all-MiniLM-L6-v2": _bert(30522, 384, 6, 12),
    "distilbert-base-uncased": {"model_type": "distilbert", "vocab_size": 30522},
    "distilbert-base-cased": {"model_type": "distilbert", "vocab_size": 28996},
    "roberta-base": _roberta("roberta", 50265), "roberta-large": _roberta("roberta", 50265, *_LARGE),
    "xlm-roberta-base": _roberta("xlm-roberta", 250002),
    "albert-base-v2": {**_bert(30000), "model_type": "albert", "embedding_size": 128},
    "electra-base-discriminator": {**_bert(), "model_type": "electra", "embedding_size": 768},
    "electra-small-discriminator": {**_bert(30522, 256, 12, 4), "model_type": "electra", "embedding_size": 128},
    "gpt2": _gpt2(768, 12, 12), "gpt2-medium": _gpt2(1024, 24, 16), "gpt2-large": _gpt2(1280, 36, 20),
    "distilgpt2": _gpt2(768, 6, 12),
    "t5-small": _t5(512, 2048, 6, 8), "t5-base": _t5(768, 3072, 12, 12),
    "bart-base": {
        "model_type": "bart", "vocab_size": 50265, "d_model": 768, "encoder_layers": 6, "decoder_layers": 6,
        "encoder_attention_heads": 12, "decoder_attention_heads": 12, "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072,
    },
    "vit-base-patch16-224": {"model_type": "vit"}, "vit-base-patch16-224-in21k": {"model_type": "vit"},
    "wav2vec2-base": {"model_type": "wav2vec2"},
}  # fmt: skip

PUBLISHERS = (
    "", "google-bert", "google", "distilbert", "FacebookAI", "facebook", "openai-community", "google-t5", "albert",
    "prajjwal1", "sentence-transformers",
)  # fmt: skip

_ALL, _TWO = ("train", "validation", "test"), ("train", "test")
_PAIR = {"sentence1": "text", "sentence2": "text", "label": 2, "idx": "id"}
# Splits, and of each column what it holds: a number is one of so many classes, a list such numbers for each word.
COLUMNS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "imdb": (("train", "test", "unsupervised"), {"text": "text", "label": 2}),
    "ag_news": (_TWO, {"text": "text", "label": 4}),
    "rotten_tomatoes": (_ALL, {"text": "text", "label": 2}),
    "emotion": (_ALL, {"text": "text", "label": 6}),
    "yelp_polarity": (_TWO, {"text": "text", "label": 2}),
    "yelp_review_full": (_TWO, {"text": "text", "label": 5}),
    "sst2": (_ALL, {"idx": "id", "sentence": "text", "label": 2}),
    "glue/sst2": (_ALL, {"sentence": "text", "label": 2, "idx": "id"}),
    "glue/cola": (_ALL, {"sentence": "text", "label": 2, "idx": "id"}),
    "glue/mrpc": (_ALL, _PAIR), "glue/rte": (_ALL, _PAIR),
    "glue/stsb": (_ALL, {**_PAIR, "label": "float"}),
    "glue/qqp": (_ALL, {"question1": "text", "question2": "text", "label": 2, "idx": "id"}),
    "wikitext": (_ALL, {"text": "text"}),
    "conll2003": (_ALL, {"id": "id", "tokens": "tokens", "pos_tags": [47], "chunk_tags": [23], "ner_tags": [9]}),
    "squad": (("train", "validation"), {
        "id": "id", "title": "text", "context": "text", "question": "text", "answers": "answers",
    }),
    "cnn_dailymail": (_ALL, {"article": "text", "highlights": "text", "id": "id"}),
}  # fmt: skip
