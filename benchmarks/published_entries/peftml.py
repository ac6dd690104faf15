"""Entry points of peftml: adapted, quantized and distilled networks, with the losses of their training."""

import torch
from peftml import (
    LinearAdapter,
    attention_transfer_loss,
    cosine_feature_loss,
    hinton_kd_loss,
    replace_with_lsq,
    replace_with_pact,
)
from peftml.distillation import ChannelAdapter
from peftml.lora import LoRALinear


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.model(samples), labels)


def adapted():
    layers = LoRALinear(torch.nn.Linear(6, 16), r=4), torch.nn.ReLU(), LoRALinear(torch.nn.Linear(16, 3), r=4)
    return _Classified(torch.nn.Sequential(*layers)), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


def _convolutions(width=4):
    layers = torch.nn.Conv2d(3, width, 3, padding=1), torch.nn.BatchNorm2d(width), torch.nn.ReLU()
    return torch.nn.Sequential(*layers, torch.nn.Conv2d(width, width, 3, stride=2), torch.nn.ReLU())


def _network():
    return torch.nn.Sequential(
        _convolutions(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 3)
    )


def _pictures():
    return torch.rand(2, 3, 8, 8), torch.tensor([2, 0])


def quantized():
    return _Classified(replace_with_lsq(_network(), bits=4)), _pictures()


def quantized_with_activations():
    return _Classified(replace_with_pact(replace_with_lsq(_network(), bits=8), bits=8)), _pictures()


class _Distilled(torch.nn.Module):
    """A narrow network learns from the logits and features of a wide one."""

    def __init__(self):
        super().__init__()
        self.student, self.teacher = _convolutions(4), _convolutions(8).requires_grad_(False)
        self.adapter = ChannelAdapter(4, 8)
        self.student_head, self.teacher_head = torch.nn.Linear(4, 3), torch.nn.Linear(8, 3).requires_grad_(False)

    def forward(self, pictures, labels):
        small, large = self.student(pictures), self.teacher(pictures)
        logits, taught = self.student_head(small.mean((2, 3))), self.teacher_head(large.mean((2, 3)))
        loss = torch.nn.functional.cross_entropy(logits, labels) + 0.5 * hinton_kd_loss(logits, taught)
        return loss + attention_transfer_loss(self.adapter(small), large)


def distilled():
    return _Distilled(), _pictures()


class _DistilledTexts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.student, self.teacher = torch.nn.Embedding(20, 8), torch.nn.Embedding(20, 16).requires_grad_(False)
        self.adapter = LinearAdapter(8, 16)

    def forward(self, words):
        return cosine_feature_loss(self.adapter(self.student(words)), self.teacher(words))


def distilled_texts():
    return _DistilledTexts(), (torch.tensor([[3, 7, 2], [9, 14, 5]]),)
