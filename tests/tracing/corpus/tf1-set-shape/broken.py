"""Windows of a sensor stream, summed per window."""
import numpy as np
import tensorflow as tf

WINDOWS = 25
STEPS = 4


def summaries(stream):
    """One value a window."""
    window = tf.identity(stream)
    window.set_shape([WINDOWS, STEPS, 8])  # <- expected
    return tf.reduce_sum(window, axis=[1, 2])


x = tf.placeholder(tf.float32, [None, 8])
x.set_shape([100, 8])
total = summaries(x)

X = np.random.normal(0, 1, (100, 8))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    Y = sess.run(total, feed_dict={x: X})
    print(Y.shape)
