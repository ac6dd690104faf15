"""Entry points of gpflow: kernels with jitter in a marginal likelihood, and likelihoods of what one layer says."""

import gpflow
import tensorflow as tf

gpflow.config.set_default_float(tf.float32)


class _Likelihood(tf.Module):
    def __init__(self, likelihood):
        super().__init__()
        self.likelihood, self.w = likelihood, tf.Variable(tf.random.normal((6, 1), seed=0))

    def __call__(self, x, y):
        return -tf.reduce_mean(self.likelihood.log_prob(x, x @ self.w, y))


def _entry(likelihood, y):
    return _Likelihood(likelihood), (tf.random.normal((5, 6)), y)


def _positive():
    return tf.random.uniform((5, 1)) * 3 + 0.1


def _counted():
    return tf.constant([[0.0], [3.0], [1.0], [7.0], [2.0]])


def gaussian():
    return _entry(gpflow.likelihoods.Gaussian(0.5), tf.random.normal((5, 1)))


def student():
    return _entry(gpflow.likelihoods.StudentT(), tf.random.normal((5, 1)))


def poisson():
    return _entry(gpflow.likelihoods.Poisson(), _counted())


def exponential():
    return _entry(gpflow.likelihoods.Exponential(), _positive())


def gamma():
    return _entry(gpflow.likelihoods.Gamma(), _positive())


def beta():
    return _entry(gpflow.likelihoods.Beta(), tf.random.uniform((5, 1)) * 0.98 + 0.01)


def bernoulli():
    return _entry(gpflow.likelihoods.Bernoulli(), tf.constant([[0.0], [1.0], [1.0], [0.0], [1.0]]))


class _Marginal(tf.Module):
    def __init__(self, kernel):
        super().__init__()
        self.kernel, self.noise = kernel, gpflow.Parameter(0.1, transform=gpflow.utilities.positive(lower=1e-6))

    def __call__(self, x, y):
        covariance = self.kernel(x) + self.noise * tf.eye(5, dtype=tf.float32)
        return -tf.reduce_sum(
            gpflow.logdensities.multivariate_normal(y, tf.zeros_like(y), tf.linalg.cholesky(covariance))
        )


def _points():
    return tf.random.normal((5, 2)), tf.random.normal((5, 1))


def smooth_process():
    return _Marginal(gpflow.kernels.SquaredExponential()), _points()


def rough_process():
    return _Marginal(gpflow.kernels.Matern32()), _points()


def periodic_process():
    return _Marginal(gpflow.kernels.Periodic(gpflow.kernels.SquaredExponential())), _points()


def rational_process():
    return _Marginal(gpflow.kernels.RationalQuadratic()), _points()
