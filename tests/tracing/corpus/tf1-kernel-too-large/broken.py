import tensorflow as tf

tf.app.flags.DEFINE_string("data_dir", "/tmp/cifar10", "Where the images are.")
FLAGS = tf.app.flags.FLAGS


def inference(images):
    conv1 = tf.layers.conv2d(images, 64, 5, padding="valid", activation=tf.nn.relu)
    pool1 = tf.layers.max_pooling2d(conv1, 3, 2)
    conv2 = tf.layers.conv2d(pool1, 64, 5, padding="valid", activation=tf.nn.relu)
    pool2 = tf.layers.max_pooling2d(conv2, 3, 2)
    conv3 = tf.layers.conv2d(pool2, 128, 5, padding="valid", activation=tf.nn.relu)  # <- expected
    flat = tf.layers.flatten(conv3)
    return tf.layers.dense(flat, 10)


def main(argv=None):
    images = tf.placeholder(tf.float32, [None, 32, 32, 3])
    labels = tf.placeholder(tf.int64, [None])
    logits = inference(images)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    tf.summary.scalar("loss", loss)
    print(loss.shape)


if __name__ == "__main__":
    tf.app.run()
