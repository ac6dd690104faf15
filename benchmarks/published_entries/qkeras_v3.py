"""Entry points of qkeras-v3: networks whose weights and activations its layers quantize."""

import keras
from qkeras import (
    QLSTM,
    QActivation,
    QBatchNormalization,
    QConv2D,
    QDense,
    QDepthwiseConv2D,
    quantized_bits,
    quantized_relu,
    ternary,
)


def convolutions():
    """As the example of its documentation."""
    images = keras.Input((8, 8, 1))
    bits = {"kernel_quantizer": quantized_bits(4, 0, 1), "bias_quantizer": quantized_bits(4, 0, 1)}
    hidden = QConv2D(4, (3, 3), **bits)(images)
    hidden = QActivation("quantized_relu(3)")(hidden)
    hidden = QDepthwiseConv2D((3, 3), depthwise_quantizer=quantized_bits(4, 0, 1))(hidden)
    hidden = QActivation(quantized_relu(4, 2))(hidden)
    hidden = QDense(3, **bits)(keras.layers.Flatten()(hidden))
    return keras.Model(images, keras.layers.Activation("softmax")(hidden))


def ternary_weights():
    features = keras.Input((6,))
    hidden = QDense(8, kernel_quantizer=ternary(), bias_quantizer=quantized_bits(4, 0, 1))(features)
    hidden = QActivation("quantized_tanh(4)")(QBatchNormalization()(hidden))
    return keras.Model(features, QDense(1, kernel_quantizer="stochastic_ternary('auto')")(hidden))


def binary_weights():
    features = keras.Input((6,))
    hidden = QActivation("quantized_sigmoid(4)")(QDense(8, kernel_quantizer="binary(alpha='auto')")(features))
    return keras.Model(features, QDense(2, kernel_quantizer="binary(alpha=1)")(hidden))


def powers_of_two():
    features = keras.Input((6,))
    hidden = QDense(8, kernel_quantizer="quantized_po2(4)", bias_quantizer="quantized_po2(4)")(features)
    hidden = QActivation("quantized_relu_po2(4)")(hidden)
    return keras.Model(features, QDense(2, kernel_quantizer="quantized_po2(4)")(hidden))


def recurrent():
    series = keras.Input((4, 3))
    quantizers = {f"{part}_quantizer": quantized_bits(8, 0, 1, alpha=1.0) for part in ("kernel", "recurrent", "bias")}
    hidden = QLSTM(4, **quantizers, activation="quantized_tanh(6)", recurrent_activation="quantized_sigmoid(6)")(series)
    return keras.Model(series, QDense(1, kernel_quantizer=quantized_bits(8, 0, 1))(hidden))
