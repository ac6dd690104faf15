import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("output_width", 28, "The width of the output images.")
flags.DEFINE_integer("batch_size", 64, "The size of batch images.")
FLAGS = flags.FLAGS


def discriminator(image):
    w = tf.get_variable("w", [5, 5, 1, 16], initializer=tf.truncated_normal_initializer(stddev=0.02))
    h = tf.nn.relu(tf.nn.conv2d(image, w, strides=[1, 1, 1, 1], padding="SAME"))
    flat = tf.reshape(h, [FLAGS.batch_size, -1])
    weights = tf.get_variable("weights", [28 * FLAGS.output_width * 16, 1])
    return tf.matmul(flat, weights)


def main(_):
    images = tf.placeholder(tf.float32, [FLAGS.batch_size, 28, FLAGS.output_width, 1])
    logits = discriminator(images)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=tf.ones_like(logits)))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(loss, {images: np.zeros([FLAGS.batch_size, 28, FLAGS.output_width, 1], np.float32)}))


if __name__ == "__main__":
    tf.app.run()
