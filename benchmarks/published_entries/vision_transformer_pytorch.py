"""Entry points of vision-transformer-pytorch: small transformers of images and their parts, with their loss."""

import torch
from vision_transformer_pytorch.model import Encoder, SelfAttention, VisionTransformer
from vision_transformer_pytorch.resnet import ResNetV2, StdConv2d
from vision_transformer_pytorch.utils import Params


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        fields = {
            "image_size": (16, 16),
            "patch_size": (4, 4),
            "emb_dim": 8,
            "mlp_dim": 16,
            "num_heads": 2,
            "num_layers": 2,
            "num_classes": 5,
            "attn_dropout_rate": 0.0,
            "dropout_rate": 0.1,
            "resnet": None,
        }
        self.model = VisionTransformer(Params(**{**fields, **options}))

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def images():
    return _Classified(), (torch.rand(2, 3, 16, 16), torch.tensor([0, 4]))


class _Hybrid(torch.nn.Module):
    """Standardized convolutions before the encoder, as its hybrid networks have them."""

    def __init__(self):
        super().__init__()
        self.stem, self.norm = StdConv2d(3, 8, 4, stride=4), torch.nn.GroupNorm(2, 8)
        self.encoder = Encoder(16, 8, 16, num_layers=1, num_heads=2)

    def forward(self, images):
        hidden = self.norm(self.stem(images)).flatten(2).transpose(1, 2)
        return self.encoder(torch.cat([hidden.mean(1, keepdim=True), hidden], 1))[:, 0]


def standardized():
    return _Hybrid(), (torch.rand(2, 3, 16, 16),)


def attention():
    return SelfAttention(8, heads=2), (torch.randn(2, 5, 8),)


def residual():
    return ResNetV2(block_units=(1, 1, 1), width_factor=1), (torch.rand(1, 3, 32, 32),)
