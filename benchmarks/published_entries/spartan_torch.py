"""Entry points of spartan-torch: its self-distillation, masked autoencoder and state space blocks with their losses."""

import torch
from spartan_torch.cnn.inverted_residual import InvertedResidual
from spartan_torch.selfsup.dino_head import DINOProjectionHead
from spartan_torch.selfsup.dino_loss import DINOLoss
from spartan_torch.transformers.attention.lsh_attention import ReformerAttention
from spartan_torch.transformers.block.transformer_block import TransformerBlock
from spartan_torch.transformers.ssm.mamba2 import Mamba2Mixer
from spartan_torch.vit.mae import MAEDecoderHead
from spartan_torch.vit.patch_embedding import PatchEmbedding


def _backbone():
    block = TransformerBlock(in_size=16, head_size=8, num_heads=2, out_size=16, ff_hidden_size=32)
    return torch.nn.Sequential(PatchEmbedding(3, 16, 4), block)


def _output(given):
    return given[0] if isinstance(given, tuple) else given


class _Distilled(torch.nn.Module):
    """Two views of each picture; the head of the teacher is without gradient, as the loss detaches it."""

    def __init__(self):
        super().__init__()
        self.student, self.teacher = _backbone(), _backbone()
        self.student_head, self.teacher_head = (DINOProjectionHead(16, 32, 24, bottleneck_dim=8) for _ in range(2))
        self.loss = DINOLoss(24, ent_weight=0.1)

    def forward(self, first, second):
        views = first, second
        student = [self.student_head(_output(self.student(view)).mean(1)) for view in views]
        teacher = [self.teacher_head(_output(self.teacher(view)).mean(1)) for view in views]
        self.loss.update_center(torch.cat(teacher).detach())
        return self.loss(student, teacher)


def distilled():
    return _Distilled(), (torch.rand(2, 3, 16, 16), torch.rand(2, 3, 16, 16))


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = _backbone(), MAEDecoderHead(16, 3, 4)

    def forward(self, images, mask):
        return self.head(_output(self.backbone(images)), images, mask)


def masked_autoencoder():
    return _Masked(), (torch.rand(2, 3, 16, 16), torch.arange(32).reshape(2, 16) % 4 != 0)


class _Words(torch.nn.Module):
    """The next word of padded sequences, whose mask is true where nothing is."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(20, 16, padding_idx=0)
        self.mixer = Mamba2Mixer(16, d_state=8, num_heads=4, head_dim=8, chunk_size=4, use_fast_path=False)
        self.output, self.loss = torch.nn.Linear(16, 20), torch.nn.CrossEntropyLoss(ignore_index=0)

    def forward(self, words):
        mixed, _ = self.mixer(self.words(words), mask=words == 0)
        logits = self.output(mixed)[:, :-1]
        return self.loss(logits.flatten(0, 1), words[:, 1:].flatten())


def _padded():
    return torch.tensor([[3, 7, 2, 19, 4, 4, 8, 1], [5, 6, 1, 0, 0, 0, 0, 0]])


def state_space():
    return _Words(), _padded()


class _Hashed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(20, 16)
        self.attention = ReformerAttention(16, 8, 2, 16, n_hashes=2, bucket_size=4, n_buckets=4)

    def forward(self, words):
        steps = self.words(words)
        return self.attention(steps, steps, steps)


def hashed_attention():
    return _Hashed(), torch.randint(1, 20, (2, 10))


def mobile():
    layers = InvertedResidual(3, 8, stride=2), InvertedResidual(8, 8, dropout_p=0.1)
    return torch.nn.Sequential(*layers, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()), torch.rand(2, 3, 16, 16)
