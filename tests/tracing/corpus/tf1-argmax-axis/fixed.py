import numpy as np
import tensorflow as tf

learning_rate = 0.01
training_epochs = 1000
n_features = 4
n_classes = 3

train_X = np.random.rand(120, 4).astype("float32")
train_Y = np.eye(3)[np.random.randint(0, 3, 120)].astype("float32")

X = tf.placeholder(tf.float32, [None, n_features], name="X")
Y = tf.placeholder(tf.float32, [None, n_classes], name="Y")
W = tf.Variable(tf.zeros([n_features, n_classes]), name="weight")
b = tf.Variable(tf.zeros([n_classes]), name="bias")

scores = tf.matmul(X, W) + b
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=Y, logits=scores))
optimizer = tf.train.GradientDescentOptimizer(learning_rate).minimize(loss)
predicted = tf.argmax(scores, 1)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(training_epochs):
        _, c = sess.run([optimizer, loss], feed_dict={X: train_X, Y: train_Y})
        if epoch % 100 == 0:
            print("Epoch:", epoch, "cost=", c)
    print(sess.run(predicted, feed_dict={X: train_X[:10]}))
