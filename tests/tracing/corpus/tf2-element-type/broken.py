import tensorflow as tf
from tensorflow.keras import layers


class SelfAttention(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.query = layers.Dense(width)
        self.key = layers.Dense(width)
        self.value = layers.Dense(width)

    def call(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = tf.matmul(q, k, transpose_b=True) / float(self.width) ** 0.5
        weights = tf.nn.softmax(scores, axis=-1)
        return tf.matmul(weights, v)


class Classifier(tf.keras.Model):
    def __init__(self, classes=6):
        super().__init__()
        self.attention = SelfAttention(32)
        self.pool = layers.GlobalAveragePooling1D()
        self.out = layers.Dense(classes)

    def call(self, x):
        return self.out(self.pool(self.attention(x)))


model = Classifier()
tokens = tf.random.normal([8, 20, 32])
logits = model(tokens)
probabilities = tf.nn.softmax(logits, axis=-1)
classes = tf.argmax(probabilities, axis=-1)
labels = tf.random.uniform([8], maxval=6, dtype=tf.int32)
correct = tf.reduce_mean(tf.cast(tf.equal(classes, labels), tf.float32))  # <- expected: tracing/incompatible-element-type
loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, probabilities))
print(float(loss), float(correct))
