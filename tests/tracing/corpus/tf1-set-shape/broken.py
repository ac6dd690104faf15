import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 8])
x.set_shape([100, 8])
y = tf.identity(x)
y.set_shape([25, 4, 8])  # <- expected
total = tf.reduce_sum(y, axis=[1, 2])

X = np.random.normal(0, 1, (100, 8))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    Y = sess.run(total, feed_dict={x: X})
    print(Y.shape)
