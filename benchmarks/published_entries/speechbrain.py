"""Entry points of speechbrain: losses of speech behind a small head."""

import functools

import torch
from speechbrain.nnet import losses


class _Separating(torch.nn.Module):
    """Sounds (length, batch, sources), two of them found in a mixture."""

    def __init__(self, loss):
        super().__init__()
        self.head, self.loss = torch.nn.Conv1d(1, 2, 5, padding=2), loss

    def forward(self, mixture, sources):
        return self.loss(sources, self.head(mixture).permute(2, 0, 1)).mean()


def _sounds():
    return torch.randn(2, 1, 32), torch.randn(32, 2, 2)


def scale_invariant_ratio():
    return _Separating(losses.cal_si_snr), _sounds()


def ratio():
    return _Separating(losses.cal_snr), _sounds()


class _Speakers(torch.nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.encoder, self.centres = torch.nn.Linear(6, 4), torch.nn.Parameter(torch.randn(3, 4))
        self.loss = losses.LogSoftmaxWrapper(margin)

    def forward(self, x, labels):
        normalize = torch.nn.functional.normalize
        cosine = torch.nn.functional.linear(normalize(self.encoder(x)), normalize(self.centres))
        return self.loss(cosine.unsqueeze(1), labels)


def angular_margin():
    return _Speakers(losses.AngularMargin(margin=0.2, scale=30)), (torch.randn(6, 6), torch.randint(3, (6, 1)))


def additive_angular_margin():
    margin = losses.AdditiveAngularMargin(margin=0.2, scale=30)
    return _Speakers(margin), (torch.randn(6, 6), torch.randint(3, (6, 1)))


class _Recognizing(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, x, wanted, lengths):
        return self.loss(torch.log_softmax(self.head(x), -1), wanted, length=lengths)


def masked_likelihood():
    wanted = torch.randint(4, (2, 5))
    return _Recognizing(losses.nll_loss), (torch.randn(2, 5, 6), wanted, torch.tensor([1.0, 0.6]))


def smoothed_divergence():
    loss = functools.partial(losses.kldiv_loss, label_smoothing=0.1)
    return _Recognizing(loss), (torch.randn(2, 5, 6), torch.randint(4, (2, 5)), torch.tensor([1.0, 0.6]))
