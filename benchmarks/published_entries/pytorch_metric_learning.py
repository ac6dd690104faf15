"""Entry points of pytorch-metric-learning: losses of embeddings that one layer makes."""

import torch
from pytorch_metric_learning import losses


class _Embedding(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.embed, self.loss = torch.nn.Linear(12, 8), loss

    def forward(self, x, labels):
        return self.loss(self.embed(x), labels)


def _batch():
    return torch.randn(6, 12), torch.tensor([0, 0, 1, 1, 2, 2])


def arc_face():
    return _Embedding(losses.ArcFaceLoss(3, 8)), _batch()


def cos_face():
    return _Embedding(losses.CosFaceLoss(3, 8)), _batch()


def sphere_face():
    return _Embedding(losses.SphereFaceLoss(3, 8)), _batch()


def normalized_softmax():
    return _Embedding(losses.NormalizedSoftmaxLoss(3, 8)), _batch()


def proxy_anchor():
    return _Embedding(losses.ProxyAnchorLoss(3, 8)), _batch()


def proxy_nca():
    return _Embedding(losses.ProxyNCALoss(3, 8)), _batch()


def soft_triple():
    return _Embedding(losses.SoftTripleLoss(3, 8, 2)), _batch()


def sub_center_arc_face():
    return _Embedding(losses.SubCenterArcFaceLoss(3, 8)), _batch()


def large_margin():
    return _Embedding(losses.LargeMarginSoftmaxLoss(3, 8)), _batch()


def supervised_contrastive():
    return _Embedding(losses.SupConLoss()), _batch()


def temperature_scaled():
    return _Embedding(losses.NTXentLoss()), _batch()


def multi_similarity():
    return _Embedding(losses.MultiSimilarityLoss()), _batch()


def circle():
    return _Embedding(losses.CircleLoss()), _batch()


def neighbours():
    return _Embedding(losses.NCALoss()), _batch()


def fast_average_precision():
    return _Embedding(losses.FastAPLoss(10)), _batch()


def smooth_average_precision():
    return _Embedding(losses.SmoothAPLoss()), _batch()


def lifted_structure():
    return _Embedding(losses.LiftedStructureLoss()), _batch()


def vicreg():
    return _Embedding(losses.VICRegLoss()), (torch.randn(6, 12), torch.randn(6, 8))
