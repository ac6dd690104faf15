"""Entry points of keras-word-char-embd: embeddings of words and of their characters, as in its README."""

import keras
from keras_wc_embd import get_embedding_layer


def _model(**settings):
    sizes = {"word_embd_dim": 8, "char_embd_dim": 6, "char_hidden_dim": 5}
    inputs, hidden = get_embedding_layer(word_dict_len=20, char_dict_len=12, max_word_len=5, **sizes, **settings)
    hidden = keras.layers.Bidirectional(keras.layers.LSTM(6))(hidden)
    return keras.Model(inputs, keras.layers.Dense(3, activation="softmax")(hidden))


def recurrent_characters():
    return _model(char_hidden_layer_type="lstm")


def gated_characters():
    return _model(char_hidden_layer_type="gru")


def convolved_characters():
    return _model(char_hidden_layer_type="cnn")
