"""Entry points of disjrnet-pytorch: a ResNet whose stages are split in two disjoint parts, without its downloads."""

import torch
import torchvision
from disjrnet.model.loss import BPMLLLoss, compute_loss
from disjrnet.model.models import DisJR_Module, DisJRNet
from torchvision.models.feature_extraction import create_feature_extractor


class _Untrained(DisJRNet):
    """Its ResNet of images before it is trained."""

    def _build_base_model(self, base_model, dimension):
        self.base_model = getattr(torchvision.models, base_model)(weights=None)
        self.names = ["maxpool", "layer1", "layer2", "layer3", "layer4"]
        self.stem_extractor = create_feature_extractor(self.base_model, {"maxpool": "s1"})
        self.layers = [64, 64, 128, 256, 512]


class _Classified(torch.nn.Module):
    """Cross entropy with what its stages lack of being unlike."""

    def __init__(self, **options):
        super().__init__()
        self.network = _Untrained(num_classes=3, base_model="resnet18", dimension=2, **options)
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, images, labels):
        return compute_loss(self.network, self.loss, self.network(images), labels)


def gated():
    return _Classified(margin=0.5), (torch.rand(2, 3, 64, 64), torch.tensor([0, 2]))


def grouped():
    return _Classified(dropout=0.0, margin=1.0, fusion_method="gconv"), (torch.rand(2, 3, 64, 64), torch.tensor([1, 2]))


def video_stage():
    return DisJR_Module(16, dimension=3), (torch.relu(torch.randn(2, 16, 4, 6, 6)),)


class _Labels(torch.nn.Module):
    """Several labels of a sample, ranked by pairs."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
        self.loss = BPMLLLoss(bias=(1, 1))

    def forward(self, samples, labels):
        return self.loss(self.layers(samples), labels)


def labels():
    wanted = torch.tensor([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 1]])
    return _Labels(), (torch.randn(3, 6), wanted)
