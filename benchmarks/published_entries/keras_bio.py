"""Entry points of keras-bio: its language model of proteins, small, with each of its heads."""

import sys
import types

import keras

for _name in ("keras_bio", "keras_bio.protein", "keras_bio.protein.esm2"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from keras_bio.protein.esm2.config import ESM2Config  # noqa: E402
from keras_bio.protein.esm2.modeling import (  # noqa: E402
    ESM2ForMaskedLM,
    ESM2ForSequenceClassification,
    ESM2ForTokenClassification,
)


def _model(kind, **settings):
    sizes = {"vocab_size": 24, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = ESM2Config(intermediate_size=32, max_position_embeddings=32, **sizes)
    residues = keras.Input((7,), 2, dtype="int32", name="residues")
    given = kind(config=config, **settings)(residues)
    return keras.Model(residues, given["logits"] if isinstance(given, dict) else given)


def masked():
    return _model(ESM2ForMaskedLM)


def classified():
    return _model(ESM2ForSequenceClassification, num_labels=3)


def tagged():
    return _model(ESM2ForTokenClassification, num_labels=4)
