"""Entry points of kerasmodels: small and narrow networks of images of its four families, with their classifiers."""

import keras
from kerasmodels import engine, mnasnet, mobilenet_v2, shufflenet_v2_x0_5, squeezenet1_1

engine.backend = keras


def narrow_mnasnet():
    return mnasnet(input_shape=(32, 32, 3), width_multiplier=0.25, num_classes=4)


def narrow_mobilenet():
    return mobilenet_v2(input_shape=(32, 32, 3), width_multiplier=0.25, num_classes=4)


def narrow_shufflenet():
    return shufflenet_v2_x0_5(input_shape=(32, 32, 3), num_classes=4)


def squeezed():
    return squeezenet1_1(input_shape=(48, 48, 3), num_classes=4)
