"""Entry points of tf-lambda-resnet: networks of its lambda layers on small images."""

import tensorflow as tf
from tf_lambda_resnet.tf_lambda_resnet import LambdaLayer


class _Classified(tf.Module):
    def __init__(self, layer):
        super().__init__()
        self.convolution = tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu")
        self.layer, self.head = layer, tf.keras.layers.Dense(3)
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self(*_images())  # its layers are built with the first images

    def __call__(self, images, labels):
        pooled = tf.reduce_mean(self.layer(self.convolution(images)), axis=(1, 2))
        return self.loss(labels, self.head(pooled))


def _images():
    return tf.random.uniform((2, 8, 8, 3)), tf.constant([0, 2])


def local_contexts():
    return _Classified(LambdaLayer(dim_k=4, r=3, heads=2, dim_out=8)), _images()


def whole_image():
    return _Classified(LambdaLayer(dim_k=4, n=64, heads=2, dim_out=8)), _images()
