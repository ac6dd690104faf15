import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

title = keras.Input(shape=(None,), name="title")
body = keras.Input(shape=(None,), name="body")
tags = keras.Input(shape=(12,), name="tags")
t = layers.LSTM(32)(layers.Embedding(1000, 16)(title))
b = layers.LSTM(16)(layers.Embedding(1000, 16)(body))
x = layers.concatenate([t, b, tags])
priority = layers.Dense(1, name="priority")(x)
department = layers.Dense(4, name="department")(x)
model = keras.Model([title, body, tags], {"priority": priority, "department": department})
model.compile("rmsprop", {"priority": keras.losses.BinaryCrossentropy(from_logits=True), "department": keras.losses.CategoricalCrossentropy(from_logits=True)})
n = 32
data = {
    "title": np.random.randint(1000, size=(n, 10)),
    "body": np.random.randint(1000, size=(n, 20)),
    "tags": np.random.randint(2, size=(n, 10)).astype("float32"),
}
targets = {"priority": np.random.random((n, 1)), "department": np.random.randint(2, size=(n, 4))}
model.fit(data, targets, epochs=1, batch_size=8, verbose=0)  # <- expected
