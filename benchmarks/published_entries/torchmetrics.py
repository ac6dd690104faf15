"""Entry points of torchmetrics: measures that are differentiated, behind one layer."""

import torch
from torchmetrics import functional as measures
from torchmetrics.functional import audio, image


class _Measured(torch.nn.Module):
    """An image in [0, 1] that a convolution restores, and a measure of it and the wanted one."""

    def __init__(self, measure):
        super().__init__()
        self.convolution, self.measure = torch.nn.Conv2d(3, 3, 3, padding=1), measure

    def forward(self, given, wanted):
        return self.measure(torch.sigmoid(self.convolution(given)), torch.sigmoid(wanted))


def _images():
    return torch.rand(2, 3, 24, 24), torch.rand(2, 3, 24, 24)


def structural_similarity():
    return _Measured(lambda a, b: image.structural_similarity_index_measure(a, b, data_range=1.0)), _images()


def universal_quality():
    return _Measured(image.universal_image_quality_index), _images()


def peak_signal():
    return _Measured(lambda a, b: image.peak_signal_noise_ratio(a, b, data_range=1.0)), _images()


def spectral_angle():
    return _Measured(image.spectral_angle_mapper), _images()


def relative_error():
    return _Measured(image.error_relative_global_dimensionless_synthesis), _images()


def variation():
    return _Measured(lambda a, b: image.total_variation(a - b)), _images()


class _Predicting(torch.nn.Module):
    def __init__(self, measure):
        super().__init__()
        self.head, self.measure = torch.nn.Linear(6, 4), measure

    def forward(self, x, wanted):
        return self.measure(self.head(x), wanted)


def _rows():
    return torch.randn(5, 6), torch.randn(5, 4)


def cosine():
    return _Predicting(measures.cosine_similarity), _rows()


def correlation():
    return _Predicting(measures.pearson_corrcoef), _rows()


def concordance():
    return _Predicting(measures.concordance_corrcoef), _rows()


def explained_variance():
    return _Predicting(measures.explained_variance), _rows()


def relative_squared_error():
    return _Predicting(measures.relative_squared_error), _rows()


def log_hyperbolic_cosine():
    return _Predicting(measures.log_cosh_error), _rows()


def symmetric_percentage():
    return _Predicting(measures.symmetric_mean_absolute_percentage_error), _rows()


class _Sounding(torch.nn.Module):
    def __init__(self, measure):
        super().__init__()
        self.convolution, self.measure = torch.nn.Conv1d(1, 1, 9, padding=4), measure

    def forward(self, noisy, clean):
        return self.measure(self.convolution(noisy), clean)


def _sounds():
    return torch.randn(2, 1, 64), torch.randn(2, 1, 64)


def signal_distortion():
    return _Sounding(audio.scale_invariant_signal_distortion_ratio), _sounds()


def signal_noise():
    return _Sounding(audio.signal_noise_ratio), _sounds()
