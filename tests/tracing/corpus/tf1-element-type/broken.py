import numpy as np
import tensorflow as tf

ids = tf.placeholder(tf.int32, [None, 20])
lengths = tf.placeholder(tf.int32, [None])
targets = tf.placeholder(tf.float32, [None, 1])

embedding = tf.get_variable("embedding", [5000, 64])
words = tf.nn.embedding_lookup(embedding, ids)
total = tf.reduce_sum(words, axis=1)
mean = total / tf.expand_dims(lengths, 1)  # <- expected: tracing/incompatible-element-type

weights = tf.get_variable("weights", [64, 1])
logits = tf.matmul(mean, weights)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits))
train = tf.train.AdamOptimizer(1e-3).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    batch = np.zeros([32, 20], np.int32)
    feed = {ids: batch, lengths: np.full([32], 20), targets: np.zeros([32, 1])}
    print(sess.run([train, loss], feed_dict=feed))
