"""Entry points of iteryne: networks that a few steps adapt to a task, with the loss after their adaptation."""

import torch
from iteryne.maml import MAML


class _Tasks(torch.nn.Module):
    def __init__(self, module, loss, **options):
        super().__init__()
        self.model, self.loss = MAML(module, **options), loss

    def forward(self, support, support_targets, query, query_targets):
        total = 0.0
        for task in range(len(support)):
            learner = self.model.clone()
            learner.adapt_on(self.loss, support[task], support_targets[task])
            total = total + self.loss(learner(query[task]), query_targets[task])
        return total / len(support)


def _layers(inputs, outputs):
    return torch.nn.Sequential(torch.nn.Linear(inputs, 16), torch.nn.ReLU(), torch.nn.Linear(16, outputs))


def waves():
    model = _Tasks(_layers(1, 1), torch.nn.functional.mse_loss, inner_lr=0.01, inner_steps=2)
    return model, (torch.randn(2, 5, 1), torch.randn(2, 5, 1), torch.randn(2, 5, 1), torch.randn(2, 5, 1))


def few_examples():
    """Classes of few examples, without second derivatives."""
    options = {"inner_lr": 0.1, "inner_steps": 1, "first_order": True}
    labels = torch.tensor([[0, 1, 2], [2, 0, 1]])
    model = _Tasks(_layers(6, 3), torch.nn.functional.cross_entropy, **options)
    return model, (torch.randn(2, 3, 6), labels, torch.randn(2, 3, 6), labels)
