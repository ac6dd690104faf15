"""Entry points of torchdtcc: series and what was changed in them, clustered by the losses of the package."""

import torch
from torchdtcc.dtcc.dtcc import DTCC


class _Clustering(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = DTCC(2, 2, 3, [3, 2], [1, 2], **options)


class _Reconstructing(_Clustering):
    def forward(self, series, changed):
        _, _, given, given_changed = self.model(series, changed)
        return self.model.compute_reconstruction_loss(series, given, changed, given_changed)


class _Contrasting(_Clustering):
    def forward(self, series, changed):
        latent, other, given, given_changed = self.model(series, changed)
        loss = self.model.compute_reconstruction_loss(series, given, changed, given_changed)
        return loss + self.model.compute_instance_contrastive_loss(latent, other)


class _Together(_Clustering):
    """The losses of a training step."""

    def forward(self, series, changed):
        latent, other, given, given_changed = self.model(series, changed)
        loss = self.model.compute_reconstruction_loss(series, given, changed, given_changed)
        means, clusters, other_clusters = self.model.compute_cluster_distribution_loss(latent, other)
        contrast = self.model.compute_instance_contrastive_loss(latent, other)
        return loss + contrast + self.model.compute_cluster_contrastive_loss(clusters, other_clusters) + means


class _Clusters(_Clustering):
    """The contrast of clusters that one layer gives."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 3)

    def forward(self, features, changed):
        clusters = self.layer(features).softmax(1), self.layer(changed).softmax(1)
        return self.model.compute_cluster_contrastive_loss(*clusters)


def _series():
    series = torch.randn(5, 6, 2)
    return series, series + 0.1 * torch.randn(5, 6, 2)


def reconstruction():
    return _Reconstructing(), _series()


def instances():
    return _Contrasting(), _series()


def clusters():
    return _Clusters(), (torch.randn(5, 5), torch.randn(5, 5))


def together():
    return _Together(stable_svd=True), _series()
