"""Entry points of dinov2: its vision transformer, its heads, and the losses it teaches itself by."""

from functools import partial

import torch
from dinov2.layers import DINOHead, MemEffAttention
from dinov2.layers.block import Block
from dinov2.loss import DINOLoss, KoLeoLoss, iBOTPatchLoss
from dinov2.models.vision_transformer import DinoVisionTransformer


def _backbone(**settings):
    block = partial(Block, attn_class=MemEffAttention)
    sizes = {"img_size": 16, "patch_size": 4, "embed_dim": 16, "depth": 2, "num_heads": 2}
    return DinoVisionTransformer(block_fn=block, init_values=1e-5, block_chunks=0, **sizes, **settings)


class _Classified(torch.nn.Module):
    """A linear head on the token of the class and the mean of the patches."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone, self.head = backbone, torch.nn.Linear(32, 4)

    def forward(self, images, classes):
        found = self.backbone(images, is_training=True)
        joined = torch.cat([found["x_norm_clstoken"], found["x_norm_patchtokens"].mean(dim=1)], dim=1)
        return torch.nn.functional.cross_entropy(self.head(joined), classes)


def classified():
    return _Classified(_backbone(drop_path_rate=0.1)), (torch.rand(2, 3, 16, 16), torch.tensor([1, 3]))


def gated():
    return _Classified(_backbone(ffn_layer="swiglufused")), (torch.rand(2, 3, 16, 16), torch.tensor([1, 3]))


def head():
    return DINOHead(16, 24, hidden_dim=32, bottleneck_dim=8), torch.randn(4, 16)


class _Taught(torch.nn.Module):
    """A student's images and masked patches drawn to a teacher's, spread by the third loss."""

    def __init__(self):
        super().__init__()
        self.student, self.teacher = _backbone(), _backbone().requires_grad_(False)
        self.head = DINOHead(16, 24, hidden_dim=32, bottleneck_dim=8)
        self.teacher_head = DINOHead(16, 24, hidden_dim=32, bottleneck_dim=8).requires_grad_(False)
        self.images, self.patches, self.spread = DINOLoss(24), iBOTPatchLoss(24), KoLeoLoss()

    def forward(self, images, masks):
        found, wanted = self.student(images, masks=masks, is_training=True), self.teacher(images, is_training=True)
        goal = self.images.sinkhorn_knopp_teacher(self.teacher_head(wanted["x_norm_clstoken"]), 0.07)
        loss = self.images([self.head(found["x_norm_clstoken"])], [goal])
        goals = self.patches.softmax_center_teacher(self.teacher_head(wanted["x_norm_patchtokens"]), 0.07)
        loss = loss + self.patches(self.head(found["x_norm_patchtokens"]), goals, masks)
        return loss + 0.1 * self.spread(found["x_norm_clstoken"])


def taught():
    return _Taught(), (torch.rand(4, 3, 16, 16), torch.rand(4, 16) < 0.4)
