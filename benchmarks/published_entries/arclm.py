"""Entry points of arclm: its language model, smoothed and with penalties on its weights, and its adapters."""

import torch
from arclm.models.text.causal_lm import ArcLM
from arclm.peft.config import LoRAConfig
from arclm.peft.lora import LoRALinear
from arclm.training.regularization import L1Regularization, L2Regularization, LabelSmoothing


def _words():
    return torch.tensor([[3, 7, 2, 19, 4, 8, 11], [5, 6, 1, 9, 2, 11, 14]])


class _Language(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model, self.penalties = ArcLM(20, 16, 8, **options), (L1Regularization(0.0001), L2Regularization(0.001))

    def forward(self, words):
        logits = self.model(words[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), words[:, 1:])
        return loss + sum(penalty.compute_loss(self.model) for penalty in self.penalties)


def language():
    return _Language(num_blocks=2, dropout=0.1), (_words(),)


class _Smoothed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.loss = ArcLM(20, 16, 8, num_blocks=1), LabelSmoothing(20, 0.1)

    def forward(self, words):
        return self.loss(self.model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())


def smoothed():
    return _Smoothed(), (_words(),)


class _Adapted(_Smoothed):
    """Its projections are frozen and adapted."""

    def __init__(self):
        super().__init__()
        self.model.requires_grad_(False)
        for block in self.model.blocks:
            for name in ("query", "value"):
                base = getattr(block.attn, name)
                setattr(block.attn, name, LoRALinear(base, LoRAConfig(rank=2, alpha=4.0, dropout=0.1)))


def adapted():
    return _Adapted(), (_words(),)
