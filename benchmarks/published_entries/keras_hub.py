"""Entry points of keras-hub: small models of several tasks, with the losses that train them."""

import keras
import keras_hub


class _Loss(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, wanted, given):
        return self.function(wanted, given)


def _with_loss(given, scores, labels):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return keras.Model([*given, labels], _Loss(loss)(labels, scores))


def _labels(*shape):
    return keras.Input(shape, 2, dtype="int32", name="labels")


SMALL = {"vocabulary_size": 13, "num_layers": 1, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 16}


def bert_classifier():
    backbone = keras_hub.models.BertBackbone(**SMALL, max_sequence_length=6, dropout=0)
    names = ("token_ids", "segment_ids", "padding_mask")
    given = {name: keras.Input((6,), 2, dtype="int32", name=name) for name in names}
    scores = keras.layers.Dense(3)(backbone(given)["pooled_output"])
    return _with_loss(given.values(), scores, _labels())


def gpt2_language():
    backbone = keras_hub.models.GPT2Backbone(**SMALL, max_sequence_length=6, dropout=0)
    names = ("token_ids", "padding_mask")
    given = {name: keras.Input((6,), 2, dtype="int32", name=name) for name in names}
    scores = backbone.token_embedding(backbone(given), reverse=True)
    return _with_loss(given.values(), scores, _labels(6))


def masked_words():
    encoded, positions = keras.Input((6, 8), 2, name="encoded"), keras.Input((2,), 2, dtype="int32", name="positions")
    head = keras_hub.layers.MaskedLMHead(vocabulary_size=13, intermediate_activation="gelu")
    return _with_loss([encoded, positions], head(encoded, mask_positions=positions), _labels(2))


def transformer_decoder():
    tokens = keras.Input((6,), 2, dtype="int32", name="tokens")
    embedded = keras_hub.layers.TokenAndPositionEmbedding(13, 6, 8)(tokens)
    hidden = keras_hub.layers.TransformerDecoder(16, 2, normalize_first=True)(embedded)
    return _with_loss([tokens], keras.layers.Dense(13)(hidden), _labels(6))


def vision_transformer():
    backbone = keras_hub.models.ViTBackbone((8, 8, 3), 4, 1, 2, 8, 16)
    image = keras.Input((8, 8, 3), 2, name="image")
    scores = keras.layers.Dense(3)(keras.layers.GlobalAveragePooling1D()(backbone(image)))
    return _with_loss([image], scores, _labels())
