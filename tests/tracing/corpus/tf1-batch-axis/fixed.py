import numpy as np
import tensorflow as tf

from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data", one_hot=True)

x = tf.placeholder(tf.float32, [100, 784])
y_ = tf.placeholder(tf.float32, [100, 10])

image = tf.reshape(x, [-1, 28, 28, 1])
conv = tf.layers.conv2d(image, 32, 5, padding="same", activation=tf.nn.relu)
pool = tf.layers.max_pooling2d(conv, 2, 2)
flat = tf.reshape(pool, [-1, 14 * 14 * 32])
logits = tf.layers.dense(flat, 10)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
train = tf.train.AdamOptimizer(1e-4).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(1000):
        xs, ys = mnist.train.next_batch(100)
        sess.run(train, feed_dict={x: xs, y_: ys})
