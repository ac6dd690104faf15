"""Entry points of transformer-implementations: its vision transformers with the losses of their training."""

import torch
from transformer_package.loss_functions.loss import Hard_Distillation_Loss, Soft_Distillation_Loss
from transformer_package.models.transformer import DeiT, ViT


def _sizes():
    return {"image_size": 16, "channel_size": 3, "patch_size": 4, "embed_size": 16, "num_heads": 4} | {
        "classes": 5,
        "num_layers": 2,
        "hidden_size": 32,
    }


class _Images(torch.nn.Module):
    """Its vision transformer gives the logarithms of probabilities."""

    def __init__(self):
        super().__init__()
        self.model, self.loss = ViT(**_sizes()), torch.nn.NLLLoss()

    def forward(self, images, labels):
        return self.loss(self.model(images), labels)


def images():
    return _Images(), (torch.rand(2, 3, 16, 16), torch.tensor([1, 4]))


class _Distilled(torch.nn.Module):
    def __init__(self, loss, *options):
        super().__init__()
        teacher = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 4, stride=4), torch.nn.ReLU(), torch.nn.Flatten())
        teacher.append(torch.nn.Linear(128, 5))
        self.model, self.loss, self.options = DeiT(**_sizes(), teacher_model=teacher), loss, options

    def forward(self, images, labels):
        student, teacher = self.model(images)
        return self.loss(teacher, student, labels, *self.options)


def hard_distillation():
    return _Distilled(Hard_Distillation_Loss()), (torch.rand(2, 3, 16, 16), torch.tensor([1, 4]))


def soft_distillation():
    """Divergence of its logits by a temperature, as its loss computes it."""
    return _Distilled(Soft_Distillation_Loss(0.5), 3.0), (torch.rand(2, 3, 16, 16), torch.tensor([1, 4]))
