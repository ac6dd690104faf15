import numpy as np
import tensorflow as tf

observations = tf.placeholder(tf.float32, [None, 8])
actions = tf.placeholder(tf.int32, [None])
advantages = tf.placeholder(tf.float32, [None])

hidden = tf.layers.dense(observations, 64, activation=tf.nn.tanh)
scores = tf.layers.dense(hidden, 4)
probabilities = tf.nn.softmax(scores, axis=0)  # <- expected: tracing/softmax-over-batch

chosen = tf.reduce_sum(probabilities * tf.one_hot(actions, 4), axis=1)
loss = -tf.reduce_mean(tf.log(chosen + 1e-8) * advantages)
train = tf.train.AdamOptimizer(1e-3).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for episode in range(100):
        states = np.random.randn(32, 8)
        feed = {observations: states, actions: np.zeros(32), advantages: np.ones(32)}
        print(episode, sess.run([train, loss], feed))
