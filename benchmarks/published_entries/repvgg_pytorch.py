"""Entry points of repvgg-pytorch: narrow networks of both kinds, with the losses that train them."""

import torch
from repvgg_pytorch.repvgg import RepVGG, RepVGGBlock
from repvgg_pytorch.repvggplus import RepVGGplus


class _Classifying(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image, labels):
        return torch.nn.functional.cross_entropy(self.model(image), labels)


class _Decaying(_Classifying):
    """With the package's own penalty, of the kernels that its blocks stand for."""

    def forward(self, image, labels):
        blocks = [part for part in self.model.modules() if isinstance(part, RepVGGBlock)]
        return super().forward(image, labels) + 1e-4 / 2 * sum(block.get_custom_L2() for block in blocks)


class _Auxiliary(_Classifying):
    """The network gives scores by their names: those of the end and those of each stage."""

    def forward(self, image, labels):
        scores = self.model(image)
        losses = {name: torch.nn.functional.cross_entropy(each, labels) for name, each in scores.items()}
        return losses.pop("main") + 0.1 * sum(losses.values())


def _narrow(**options):
    return RepVGG([1, 1, 1, 1], num_classes=3, width_multiplier=[0.25, 0.125, 0.0625, 0.03125], **options)


def _data(size=32):
    return torch.randn(2, 3, size, size), torch.randint(3, (2,))


def classifier():
    return _Classifying(_narrow()), _data()


def decay():
    return _Decaying(_narrow()), _data()


def squeezed():
    return _Classifying(_narrow(use_se=True)), _data()


def auxiliary():
    model = RepVGGplus([1, 1, 2, 1], 3, [0.25, 0.125, 0.0625, 0.03125], use_post_se=True)
    return _Auxiliary(model), _data()
