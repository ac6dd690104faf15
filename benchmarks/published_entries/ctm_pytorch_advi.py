"""Entry points of ctm-pytorch-advi: a correlated topic model, trained by the bound of its documents' likelihood."""

import torch
from ctm.model import CTM


class _Bound(torch.nn.Module):
    """The package's training step: the negative bound of a batch of documents."""

    def __init__(self, **options):
        super().__init__()
        self.model = CTM(num_topics=3, vocab_size=7, **options)
        self.mean, self.logvar = torch.nn.Linear(7, 3), torch.nn.Linear(7, 3)

    def latent(self, counts):
        return self.mean(counts), self.logvar(counts)

    def forward(self, counts):
        bound, _ = self.model.elbo_batch(counts, *self.latent(counts), scale=2.0)
        return -bound


class _Kept(_Bound):
    """With a mean and a variance that are kept for each document, as the package's own trainer does."""

    def __init__(self, documents, **options):
        super().__init__(**options)
        self.means = torch.nn.Parameter(torch.zeros(documents, 3))
        self.variances = torch.nn.Parameter(torch.full((documents, 3), -1.0))

    def latent(self, counts):
        return self.means, self.variances


def _counts():
    return (torch.randint(5, (4, 7)).float(),)


def kept():
    return _Kept(4), _counts()


def without_prior():
    return _Kept(4, beta_dirichlet_alpha=0.0), _counts()


def amortised():
    return _Bound(), _counts()
