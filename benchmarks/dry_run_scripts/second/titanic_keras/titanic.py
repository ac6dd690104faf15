import numpy as np
import pandas as pd
import tensorflow as tf

train = pd.read_csv("/kaggle/input/titanic/train.csv")
train["Age"] = train["Age"].fillna(train["Age"].median())
train["Family"] = train["SibSp"] + train["Parch"] + 1
columns = ["Pclass", "Age", "SibSp", "Parch", "Fare", "Family"]
x = train[columns].to_numpy(dtype="float32")
y = train["Survived"].to_numpy(dtype="float32")
x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-6)
order = np.random.default_rng(0).permutation(len(x))
x, y = x[order], y[order]

model = tf.keras.Sequential([
    tf.keras.layers.Input(shape=(6,)),
    tf.keras.layers.Dense(32, activation="relu"),
    tf.keras.layers.Dropout(0.2),
    tf.keras.layers.Dense(16, activation="relu"),
    tf.keras.layers.Dense(1, activation="sigmoid"),
])
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=40, batch_size=16, validation_split=0.2, verbose=2)
