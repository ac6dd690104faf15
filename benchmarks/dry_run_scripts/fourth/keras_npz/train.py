import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

NUM_CLASSES = 6
with np.load("activity.npz") as data:
    x_train, y_train = data["x_train"], data["y_train"]
    x_test, y_test = data["x_test"], data["y_test"]

inputs = layers.Input(shape=x_train.shape[1:])
x = layers.Conv1D(64, 3, padding="same", activation="relu")(inputs)
x = layers.Conv1D(64, 3, padding="same", activation="relu")(x)
skip = layers.Conv1D(64, 1)(inputs)
x = layers.Add()([x, skip])
x = layers.Bidirectional(layers.LSTM(32))(x)
x = layers.Dropout(0.3)(x)
outputs = layers.Dense(NUM_CLASSES, activation="softmax")(x)
model = tf.keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
stop = tf.keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True)
model.fit(x_train, y_train, validation_split=0.1, epochs=30, batch_size=64, callbacks=[stop])
print(model.evaluate(x_test, y_test))
