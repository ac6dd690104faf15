import math

import keras
import numpy as np
from keras import layers

ROWS, BATCH = 500, 32


class Mixed(keras.utils.PyDataset):
    """A picture and a vector for each label."""

    def __init__(self, rows, **options):
        super().__init__(**options)
        self.rows = rows

    def __len__(self):
        return math.ceil(self.rows / BATCH)

    def __getitem__(self, index):
        size = min(BATCH, self.rows - index * BATCH)
        rng = np.random.default_rng(index)
        pictures = rng.random((size, 48, 48, 1), dtype="float32")
        return {"picture": pictures, "vector": rng.random((size, 10), dtype="float32")}, rng.integers(0, 7, size)


picture, vector = keras.Input((48, 48, 1), name="picture"), keras.Input((10,), name="vector")
x = layers.Conv2D(16, 3, strides=2, activation="relu")(picture)
x = layers.Conv2D(32, 3, strides=2, activation="relu")(x)
x = layers.Flatten()(x)
gate = layers.Dense(11 * 11 * 32, activation="sigmoid")(vector)
x = layers.Multiply()([x, gate])
model = keras.Model([picture, vector], layers.Dense(7)(x))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(Mixed(ROWS), validation_data=Mixed(100), epochs=3)
