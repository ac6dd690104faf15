from tensorflow import keras
from tensorflow.keras import layers

num_tags = 12
num_words = 10000
num_departments = 4

title_input = keras.Input(shape=(None,), name="title")
body_input = keras.Input(shape=(None,), name="body")
tags_input = keras.Input(shape=(num_tags,), name="tags")

title_features = layers.Embedding(num_words, 64)(title_input)
body_features = layers.Embedding(num_words, 64)(body_input)
title_features = layers.LSTM(128)(title_features)
body_features = layers.LSTM(32)(body_features)
x = layers.concatenate([title_features, body_features, tags_input])
hidden = layers.Dense(96, activation="relu")(x)
shortcut = layers.Dense(64)(tags_input)
hidden = layers.add([hidden, shortcut])  # <- expected
priority_pred = layers.Dense(1, name="priority")(hidden)
department_pred = layers.Dense(num_departments, name="department")(hidden)

model = keras.Model(inputs=[title_input, body_input, tags_input], outputs=[priority_pred, department_pred])
model.compile(
    optimizer=keras.optimizers.RMSprop(1e-3),
    loss=[keras.losses.BinaryCrossentropy(from_logits=True), keras.losses.CategoricalCrossentropy(from_logits=True)],
    loss_weights=[1.0, 0.2],
)
model.summary()
