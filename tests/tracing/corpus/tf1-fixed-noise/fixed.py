import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data", one_hot=True)


class VariationalAutoencoder(object):
    def __init__(self, n_input, n_hidden, batch_size):
        self.n_input = n_input
        self.n_hidden = n_hidden
        self.batch_size = batch_size
        self.x = tf.placeholder(tf.float32, [None, n_input])
        w1 = tf.Variable(tf.random_normal([n_input, n_hidden]))
        w2 = tf.Variable(tf.random_normal([n_input, n_hidden]))
        w3 = tf.Variable(tf.random_normal([n_hidden, n_input]))
        self.z_mean = tf.matmul(self.x, w1)
        self.z_log_sigma_sq = tf.matmul(self.x, w2)
        eps = tf.random_normal(tf.stack([tf.shape(self.x)[0], n_hidden]), 0, 1, dtype=tf.float32)
        self.z = tf.add(self.z_mean, tf.multiply(tf.sqrt(tf.exp(self.z_log_sigma_sq)), eps))
        self.reconstruction = tf.matmul(self.z, w3)
        self.cost = tf.reduce_mean(tf.pow(tf.subtract(self.reconstruction, self.x), 2.0))
        self.optimizer = tf.train.AdamOptimizer(0.001).minimize(self.cost)


autoencoder = VariationalAutoencoder(784, 200, 128)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(20):
        batch_xs, _ = mnist.train.next_batch(128)
        cost, _ = sess.run([autoencoder.cost, autoencoder.optimizer], feed_dict={autoencoder.x: batch_xs})
        print(epoch, cost)
    print(sess.run(autoencoder.cost, feed_dict={autoencoder.x: mnist.test.images}))
