"""Entry points of lightly: losses of self-supervised learning behind one projection of two views."""

import torch
from lightly import loss as losses


class _TwoViews(torch.nn.Module):
    """A projection that is trained, and a loss of the two views."""

    def __init__(self, loss):
        super().__init__()
        self.projection = torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))
        self.loss = loss

    def forward(self, first, second):
        return self.loss(self.projection(first), self.projection(second))


def _views():
    return torch.randn(6, 12), torch.randn(6, 12)


def nt_xent():
    return _TwoViews(losses.NTXentLoss()), _views()


def decoupled():
    return _TwoViews(losses.DCLLoss()), _views()


def decoupled_weighted():
    return _TwoViews(losses.DCLWLoss()), _views()


def barlow_twins():
    return _TwoViews(losses.BarlowTwinsLoss()), _views()


def vicreg():
    return _TwoViews(losses.VICRegLoss()), _views()


def negative_cosine():
    return _TwoViews(losses.NegativeCosineSimilarity()), _views()


def tico():
    return _TwoViews(losses.TiCoLoss()), _views()


def direct_clr():
    return _TwoViews(losses.DirectCLRLoss(loss_dim=4)), _views()


class _OneView(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.projection, self.loss = torch.nn.Linear(12, 8), loss

    def forward(self, x):
        return self.loss(self.projection(x))


def koleo():
    return _OneView(losses.KoLeoLoss()), (torch.randn(6, 12),)


class _Prototypes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.projection, self.prototypes = torch.nn.Linear(12, 8), torch.nn.Linear(8, 5, bias=False)
        self.loss = losses.SwaVLoss()

    def forward(self, first, second):
        normalized = [torch.nn.functional.normalize(self.projection(x), dim=1) for x in (first, second)]
        scores = [self.prototypes(x) for x in normalized]
        return self.loss(scores, [])


def swav():
    return _Prototypes(), _views()


class _Masked(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.projection, self.loss = torch.nn.Linear(12, 8), loss
        self.prototypes = torch.nn.Parameter(torch.randn(5, 8))

    def forward(self, anchors, targets):
        return self.loss(self.projection(anchors), self.projection(targets), self.prototypes)


def masked_siamese():
    return _Masked(losses.MSNLoss()), _views()


class _Heads(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.projection, self.loss = torch.nn.Linear(12, 8), losses.DINOLoss(output_dim=8)

    def forward(self, first, second):
        teacher = [self.projection(first).detach(), self.projection(second).detach()]
        return self.loss(teacher, [self.projection(first), self.projection(second)], epoch=1)


def dino():
    return _Heads(), _views()
