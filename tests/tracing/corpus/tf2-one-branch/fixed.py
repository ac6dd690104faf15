import argparse

import tensorflow as tf
from tensorflow.keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("--loss", choices=["mae", "logloss"], default="logloss")
args = parser.parse_args()

inputs = tf.keras.Input(shape=(24,))
hidden = layers.Dense(48, activation="relu")(inputs)
scores = layers.Dense(4)(hidden)
model = tf.keras.Model(inputs, scores)

x = tf.random.normal([32, 24])
labels = tf.random.uniform([32], maxval=4, dtype=tf.int32)
predictions = model(x)

if args.loss == "mae":
    wanted = tf.one_hot(labels, 4)
    loss = tf.reduce_mean(tf.abs(wanted - predictions))
else:
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=predictions))
print(args.loss, float(loss))
