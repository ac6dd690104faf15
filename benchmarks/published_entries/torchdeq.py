"""Entry points of torchdeq: layers that are the fixed points of others, by its solvers, with its penalty and norms."""

import torch
from torchdeq import get_deq
from torchdeq.loss import jac_reg
from torchdeq.norm import apply_norm, reset_norm


class _Implicit(torch.nn.Module):
    def __init__(self, norm=None, **options):
        super().__init__()
        self.inject, self.layer, self.head = torch.nn.Linear(6, 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 3)
        self.deq, self.norm = get_deq(f_tol=1e-2, **options), norm
        if norm is not None:
            apply_norm(self.layer, norm)

    def _function(self, injected):
        return lambda state: torch.tanh(self.layer(state) + injected)

    def forward(self, samples, labels):
        if self.norm is not None:
            reset_norm(self.layer)
        injected = self.inject(samples)
        given, _ = self.deq(self._function(injected), torch.zeros_like(injected))
        return torch.nn.functional.cross_entropy(self.head(given[-1]), labels)


def _samples():
    return torch.randn(4, 6), torch.tensor([0, 2, 1, 1])


def iterated():
    return _Implicit(f_solver="fixed_point_iter", f_max_iter=5), _samples()


def anderson():
    return _Implicit(f_solver="anderson", f_max_iter=6), _samples()


def broyden():
    return _Implicit(f_solver="broyden", f_max_iter=5), _samples()


def normalised():
    return _Implicit(norm="weight_norm", f_solver="fixed_point_iter", f_max_iter=5), _samples()


class _Stable(_Implicit):
    """With the penalty of its Jacobian at the fixed point."""

    def forward(self, samples, labels):
        injected = self.inject(samples)
        function = self._function(injected)
        given, _ = self.deq(function, torch.zeros_like(injected))
        loss = torch.nn.functional.cross_entropy(self.head(given[-1]), labels)
        return loss + 0.1 * jac_reg(function(given[-1]), given[-1])


def stable():
    return _Stable(f_solver="fixed_point_iter", f_max_iter=5), _samples()
