import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
features = rng.rand(200, 13).astype(np.float32)
prices = rng.rand(200).astype(np.float32)

X = tf.placeholder(tf.float32, [200, 13])
Y = tf.placeholder(tf.float32, [200])

W = tf.Variable(tf.zeros([13, 1]))
b = tf.Variable(tf.zeros([1]))
predicted = tf.matmul(X, W) + b

loss = tf.reduce_mean(tf.square(Y - predicted))  # <- expected: tracing/suspicious-broadcast
optimizer = tf.train.GradientDescentOptimizer(0.01).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(100):
        _, value = sess.run([optimizer, loss], feed_dict={X: features, Y: prices})
    print(value)
