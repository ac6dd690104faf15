"""Entry points of tensorflow-probability: log-likelihoods, divergences and bijections on the outputs of one layer."""

import keras
import tensorflow_probability as tfp

tfd, tfb = tfp.distributions, tfp.bijectors


class _Likelihood(keras.layers.Layer):
    def __init__(self, made):
        super().__init__()
        self.made = made

    def call(self, given, wanted):
        return -self.made(given).log_prob(wanted)


class _Apply(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, given):
        return self.function(given)


def _likelihood(made, sizes=2):
    features, wanted = keras.Input((6,), 4, name="features"), keras.Input((1,), 4, name="target")
    return keras.Model([features, wanted], _Likelihood(made)(keras.layers.Dense(sizes)(features), wanted))


def _applied(function, sizes=3):
    features = keras.Input((6,), 4, name="features")
    return keras.Model(features, _Apply(function)(keras.layers.Dense(sizes)(features)))


def normal():
    return _likelihood(lambda p: tfd.Normal(p[:, :1], 1e-3 + keras.ops.softplus(p[:, 1:])))


def student():
    return _likelihood(lambda p: tfd.StudentT(2.0 + keras.ops.softplus(p[:, 1:]), p[:, :1], 1.0))


def laplace():
    return _likelihood(lambda p: tfd.Laplace(p[:, :1], keras.ops.softplus(p[:, 1:]) + 1e-3))


def logistic():
    return _likelihood(lambda p: tfd.Logistic(p[:, :1], keras.ops.softplus(p[:, 1:]) + 1e-3))


def cauchy():
    return _likelihood(lambda p: tfd.Cauchy(p[:, :1], keras.ops.softplus(p[:, 1:]) + 1e-3))


def bernoulli():
    return _applied(lambda p: tfd.Bernoulli(logits=p).entropy())


def categorical():
    return _applied(lambda p: tfd.Categorical(logits=p).entropy())


def one_hot():
    return _applied(lambda p: tfd.kl_divergence(tfd.OneHotCategorical(logits=p), tfd.OneHotCategorical(logits=p[::-1])))


def normals_apart():
    scale = 1e-3
    return _applied(lambda p: tfd.kl_divergence(tfd.Normal(p, scale + keras.ops.softplus(p)), tfd.Normal(0.0, 1.0)))


def mixture():
    def made(p):
        parts = tfd.Normal(p[:, None, 3:6], 0.1 + keras.ops.softplus(p[:, None, 6:]))
        return tfd.MixtureSameFamily(tfd.Categorical(logits=p[:, None, :3]), parts)

    return _likelihood(made, 9)


def softplus_bijection():
    return _applied(lambda p: tfb.Softplus().forward_log_det_jacobian(p, 0))


def sigmoid_bijection():
    return _applied(lambda p: tfb.Sigmoid().inverse(keras.ops.sigmoid(p)))


def sinh_arcsinh():
    return _applied(lambda p: tfb.SinhArcsinh(skewness=0.1, tailweight=1.2).forward_log_det_jacobian(p, 0))
