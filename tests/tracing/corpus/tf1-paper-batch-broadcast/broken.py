"""Ranks users by their behaviour; the platform gives the inputs."""
import argparse

import tensorflow as tf
from platform_api import read_batch, read_behavior

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=128)
parser.add_argument("--loss_type", type=str, default="logloss")
args = parser.parse_args()


def attention(profile, behavior_input, noutput):
    user_profile = tf.reshape(profile, [-1, 8, noutput, 1])
    attention_input = tf.matmul(behavior_input, user_profile)
    weights = tf.nn.softmax(attention_input)
    attention_weights = tf.reshape(weights, [-1, 8, 1, 16])
    return tf.matmul(attention_weights, behavior_input)


def labels_of(batch):
    return tf.one_hot(batch, 10)


profile = tf.placeholder(tf.float32, [None, 8, 32])
behavior_input = read_behavior()
output = attention(profile, behavior_input, 32)

in_x = tf.placeholder(tf.float32, [None, 200])
in_y = tf.placeholder(tf.float32, [None, 10])
hidden = tf.reshape(in_x, [-1, 400])
w = tf.get_variable("w", [400, 10])
logits = tf.matmul(hidden, w)
cross_entropy = tf.reduce_mean(tf.square(in_y - tf.nn.softmax(logits)))  # <- expected

pred = tf.placeholder(tf.float32, [None, 10])
labels = tf.placeholder(tf.int64, [None])
if args.loss_type == "mae":
    loss = tf.reduce_mean(tf.losses.absolute_difference(labels=tf.one_hot(labels, 10), predictions=pred))
elif args.loss_type == "logloss":
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=pred, labels=labels))
optimizer = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
train_step = tf.train.AdamOptimizer(1e-4).minimize(cross_entropy)

images, marks = read_batch(args.batch_size)
images = tf.reshape(images, [args.batch_size, 200])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(100):
        batch = sess.run(images)
        marked = sess.run(tf.one_hot(tf.reshape(marks, [args.batch_size]), 10))
        sess.run(train_step, feed_dict={in_x: batch, in_y: marked})
