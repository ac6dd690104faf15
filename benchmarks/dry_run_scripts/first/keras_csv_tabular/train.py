import os

import numpy as np
import pandas as pd
import tensorflow as tf

DATA = os.environ.get("DATA_DIR", "data")
NUMERIC = ["age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
CATEGORIES = {"workclass": 9, "education": 16, "occupation": 15}


def frame_to_dataset(frame, batch_size, shuffle):
    labels = frame["income"].to_numpy(dtype=np.float32).reshape(-1, 1)
    inputs = {"numeric": frame[NUMERIC].to_numpy(dtype=np.float32)}
    for name, size in CATEGORIES.items():
        inputs[name] = (frame[name].to_numpy(dtype=np.int32) % size).reshape(-1, 1)
    data = tf.data.Dataset.from_tensor_slices((inputs, labels))
    if shuffle:
        data = data.shuffle(len(frame))
    return data.batch(batch_size).prefetch(1)


def make_model():
    numeric = tf.keras.Input((len(NUMERIC),), name="numeric")
    inputs, parts = {"numeric": numeric}, [tf.keras.layers.BatchNormalization()(numeric)]
    for name, size in CATEGORIES.items():
        inputs[name] = tf.keras.Input((1,), name=name, dtype="int32")
        embedded = tf.keras.layers.Embedding(size, 4)(inputs[name])
        parts.append(tf.keras.layers.Flatten()(embedded))
    x = tf.keras.layers.Concatenate()(parts)
    for units in (64, 32):
        x = tf.keras.layers.Dense(units, activation="relu")(x)
        x = tf.keras.layers.Dropout(0.2)(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(x))


if __name__ == "__main__":
    train = pd.read_csv(os.path.join(DATA, "adult_train.csv"))
    test = pd.read_csv(os.path.join(DATA, "adult_test.csv"))
    print(train.describe())
    model = make_model()
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["AUC"])
    model.fit(frame_to_dataset(train, 64, True), validation_data=frame_to_dataset(test, 256, False), epochs=5)
    print(model.evaluate(frame_to_dataset(test, 256, False)))
