import numpy as np
import tensorflow as tf

BATCH = 16
STEPS = 10


def attention_decoder(decoder_inputs, encoder_states, size):
    """Attend over the encoder's states at every step of the decoder."""
    batch = tf.shape(encoder_states)[0]
    outputs = []
    state = tf.zeros([BATCH, size])
    for step in decoder_inputs:
        scores = tf.reduce_sum(encoder_states * tf.expand_dims(state, 1), axis=2)
        weights = tf.nn.softmax(scores)
        context = encoder_states * tf.expand_dims(weights, 2)
        joined = tf.concat([step, context], axis=1)  # <- expected
        state = tf.layers.dense(joined, size, activation=tf.nn.tanh)
        outputs.append(state)
    return outputs, batch


inputs = tf.placeholder(tf.float32, [BATCH, STEPS, 8])
states = tf.placeholder(tf.float32, [BATCH, 12, 32])
outputs, _ = attention_decoder(tf.unstack(inputs, axis=1), states, 32)
total = tf.reduce_mean(outputs[-1])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(total, {inputs: np.zeros([BATCH, STEPS, 8]), states: np.zeros([BATCH, 12, 32])}))
