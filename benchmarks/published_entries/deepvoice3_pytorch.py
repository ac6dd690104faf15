"""Entry points of deepvoice3-pytorch: its parts from texts to spectra, small, with their losses."""

import torch
from deepvoice3_pytorch import AttentionSeq2Seq
from deepvoice3_pytorch.deepvoice3 import Converter, Decoder, Encoder
from deepvoice3_pytorch.modules import Conv1dGLU, HighwayConv1d

LAYERS = [(8, 3, 1), (8, 3, 3)]


class _Spoken(torch.nn.Module):
    """The error of the spectra, and of where speech ends."""

    def __init__(self, speakers=1, **settings):
        super().__init__()
        told = {"n_speakers": speakers, "speaker_embed_dim": 4, "dropout": 0.05}
        encoder = Encoder(12, 8, padding_idx=0, convolutions=LAYERS, **told)
        sizes = {"max_positions": 32, "preattention": LAYERS[:1], "attention": [True, False], "convolutions": LAYERS}
        self.model = AttentionSeq2Seq(encoder, Decoder(8, in_dim=6, r=2, padding_idx=0, **sizes, **told, **settings))

    def forward(self, texts, mel, done, speakers=None):
        places = torch.arange(1, texts.shape[1] + 1).repeat(len(texts), 1) * (texts > 0)
        frames = torch.arange(1, mel.shape[1] // 2 + 1).repeat(len(texts), 1)
        found, _, ended, _ = self.model(texts, mel, speakers, places, frames)
        loss = (found.reshape(mel.shape) - mel).abs().mean()
        return loss + torch.nn.functional.binary_cross_entropy(ended.squeeze(-1), done)


def _speech():
    texts = torch.tensor([[3, 7, 2, 9, 1], [5, 8, 1, 0, 0]])
    return texts, torch.rand(2, 8, 6), torch.tensor([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]])


def spoken():
    return _Spoken(), _speech()


def spoken_with_projections():
    return _Spoken(key_projection=True, value_projection=True), _speech()


def spoken_by_several():
    return _Spoken(3), (*_speech(), torch.randn(2, 4))


def spectra():
    model = Converter(n_speakers=1, speaker_embed_dim=4, in_dim=6, out_dim=10, convolutions=LAYERS, time_upsampling=2)
    return model, torch.rand(2, 7, 6)


def gated():
    return Conv1dGLU(1, 4, 6, 6, 3, dropout=0.05, causal=True, residual=True), torch.randn(2, 6, 9)


def highway():
    return HighwayConv1d(6, 6, kernel_size=3, dilation=3, causal=True), torch.randn(2, 6, 9)
