"""Entry points of sentence-transformers: losses of embeddings behind a small encoder."""

import torch
from sentence_transformers.sentence_transformer import losses


class _Embedding(torch.nn.Module):
    """An encoder whose embeddings of several texts a loss compares."""

    def __init__(self, loss):
        super().__init__()
        self.encoder = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 4))
        self.loss = loss

    def forward(self, labels, *texts):
        return self.loss.compute_loss_from_embeddings([self.encoder(text) for text in texts], labels)


def _texts(count):
    return tuple(torch.randn(6, 6) for _ in range(count))


_CLASSES = torch.tensor([0, 0, 1, 1, 2, 2])
_SCORES = torch.tensor([0.1, 0.9, 0.4, 0.3, 0.8, 0.6])


def cosent():
    return _Embedding(losses.CoSENTLoss(torch.nn.Identity())), (_SCORES, *_texts(2))


def angle():
    return _Embedding(losses.AnglELoss(torch.nn.Identity())), (_SCORES, *_texts(2))


def cosine_similarity():
    return _Embedding(losses.CosineSimilarityLoss(torch.nn.Identity())), (_SCORES, *_texts(2))


def ranking():
    return _Embedding(losses.MultipleNegativesRankingLoss(torch.nn.Identity())), (_SCORES, *_texts(3))


def contrastive():
    return _Embedding(losses.ContrastiveLoss(torch.nn.Identity())), (torch.tensor([0, 1, 0, 1, 1, 0]), *_texts(2))


def triplet():
    return _Embedding(losses.TripletLoss(torch.nn.Identity())), (_SCORES, *_texts(3))


def batch_all_triplet():
    return _Embedding(losses.BatchAllTripletLoss(torch.nn.Identity())), (_CLASSES, *_texts(1))


def batch_hard_triplet():
    return _Embedding(losses.BatchHardTripletLoss(torch.nn.Identity())), (_CLASSES, *_texts(1))


def batch_soft_margin_triplet():
    return _Embedding(losses.BatchHardSoftMarginTripletLoss(torch.nn.Identity())), (_CLASSES, *_texts(1))


def distillation():
    return _Embedding(losses.DistillKLDivLoss(torch.nn.Identity(), temperature=2.0)), (torch.randn(6, 2), *_texts(3))
