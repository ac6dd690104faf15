"""Entry points of resemblyzer: the pretrained encoder of voices, and the similarity of two speakers."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("webrtcvad", "librosa"):
    sys.modules[_name] = MagicMock()  # sounds from files, which nothing here needs
sys.modules["resemblyzer.audio"] = MagicMock()

from resemblyzer.voice_encoder import VoiceEncoder  # noqa: E402


class _Similarity(torch.nn.Module):
    """How alike two speakers are, of several utterances each, as the package's demonstrations compare them."""

    def __init__(self):
        super().__init__()
        self.encoder = VoiceEncoder("cpu", verbose=False)

    def forward(self, first, second):
        first, second = self.encoder(first).mean(0), self.encoder(second).mean(0)
        return torch.dot(first / torch.norm(first, 2), second / torch.norm(second, 2))


def voices():
    return VoiceEncoder("cpu", verbose=False), (torch.rand(2, 16, 40) * 0.01,)


def similarity():
    return _Similarity(), (torch.rand(2, 16, 40) * 0.01, torch.rand(3, 16, 40) * 0.01)
