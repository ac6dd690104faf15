"""Entry points of bert4keras3: its transformers of words in small, and a pointer of spans."""

import keras
from bert4keras3.layers import GatedAttentionUnit, GlobalPointer
from bert4keras3.models import build_transformer_model

SMALL = {
    "vocab_size": 20,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "hidden_act": "gelu",
    "max_position_embeddings": 16,
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "type_vocab_size": 2,
}


def _transformer(model, **options):
    made = build_transformer_model(config_path=None, checkpoint_path=None, model=model, **{**SMALL, **options})
    inputs = [keras.Input((8,), 2, name=f"words_{place}", dtype="int32") for place in range(len(made.inputs))]
    return keras.Model(inputs, made(inputs if len(inputs) > 1 else inputs[0]))


def rotary():
    return _transformer("roformer")


def rotary_without_biases():
    return _transformer("roformer_v2")


def relative():
    return _transformer("nezha")


def shared_layers():
    return _transformer("albert", num_hidden_layers=2)


def text_to_text():
    return _transformer("t5.1.1")


def spans():
    steps = keras.Input((8, 6), 2, name="steps")
    return keras.Model(steps, GlobalPointer(3, 4)(keras.layers.Dense(8, activation="relu")(steps)))


def gated():
    steps = keras.Input((8, 6), 2, name="steps")
    return keras.Model(steps, GatedAttentionUnit(12, 4)(keras.layers.Dense(8)(steps)))
