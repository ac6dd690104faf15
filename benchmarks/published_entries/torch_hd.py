"""Entry points of torch-hd: its classifiers, after they have seen few samples, and embeddings with centroids."""

import torch
from torchhd import classifiers, embeddings, functional, models


def _samples():
    return 2 * torch.rand(6, 5) - 1, torch.tensor([0, 2, 1, 1, 0, 2])


def _fitted(classifier):
    classifier.fit([_samples()])
    return classifier, (_samples()[0],)


def vanilla():
    return _fitted(classifiers.Vanilla(5, 64, 3))


def online():
    return _fitted(classifiers.OnlineHD(5, 64, 3, epochs=2))


def compressed():
    return _fitted(classifiers.CompHD(5, 64, 3))


def quantized():
    return _fitted(classifiers.QuantHD(5, 64, 3, epochs=2))


class _Learned(torch.nn.Module):
    """Centroids by gradient, as LeHDC has them."""

    def __init__(self):
        super().__init__()
        self.classifier = classifiers.LeHDC(5, 64, 3)
        torch.nn.init.normal_(self.classifier.model.weight)

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.classifier(samples), labels)


def learned():
    return _Learned(), _samples()


class _Embedded(torch.nn.Module):
    """Samples by position and level, as its examples encode images."""

    def __init__(self):
        super().__init__()
        self.position, self.value = embeddings.Random(5, 64), embeddings.Level(10, 64, low=-1, high=1)
        self.centroid = models.Centroid(64, 3, requires_grad=True)
        torch.nn.init.normal_(self.centroid.weight)

    def forward(self, samples, labels):
        encoded = functional.multiset(functional.bind(self.position.weight, self.value(samples)))
        return torch.nn.functional.cross_entropy(self.centroid(functional.hard_quantize(encoded)), labels)


def embedded():
    return _Embedded(), _samples()
