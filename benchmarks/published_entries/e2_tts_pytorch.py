"""Entry points of e2-tts-pytorch: text to speech by flow matching, and the length of the speech, with their losses."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("vocos", "g2p_en", "e2_tts_pytorch.trainer"):
    sys.modules[_name] = MagicMock()  # a vocoder, phonemes and the training loop, which nothing here needs
sys.modules["torchaudio"] = MagicMock()  # spectrograms of raw sounds: those here are spectrograms already
sys.modules["torchaudio"].transforms.MelSpectrogram = torch.nn.Identity
sys.modules["torchaudio.functional"] = MagicMock()

from e2_tts_pytorch import E2TTS, DurationPredictor, Transformer  # noqa: E402
from e2_tts_pytorch.e2_tts import list_str_to_tensor  # noqa: E402

SMALL = {"dim": 16, "depth": 2, "heads": 2, "dim_head": 8, "max_seq_len": 32, "num_registers": 4}


class _Loss(torch.nn.Module):
    """The loss of a model, of a spectrogram and its text, and of lengths where they are given."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, mel, text, lens=None):
        result = self.model(mel, text=text, lens=lens)
        return result if isinstance(result, torch.Tensor) else result.loss


class _Duration(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, mel, text):
        return self.model(mel, text=text, return_loss=False)


def _speech():
    return torch.randn(2, 16, 20), list_str_to_tensor(["Hello", "Goodbye"])


def _model(**options):
    return E2TTS(transformer=dict(SMALL), num_channels=20, use_vocos=False, **options)


def _lengths():
    lengths = {"min_value": 0.0, "max_value": 32.0, "num_bins": 16}
    return DurationPredictor(transformer=dict(SMALL), num_channels=20, hl_gauss_loss=lengths)


def transformer():
    model = Transformer(**SMALL)
    return model, (torch.randn(2, 12, 16), torch.rand(2), torch.ones(2, 12, dtype=torch.bool), torch.randn(2, 12, 8))


def duration():
    return _Duration(_lengths()), _speech()


def duration_loss():
    return _Loss(_lengths()), _speech()


def flow_matching():
    return _Loss(_model()), (*_speech(), torch.tensor([16, 12]))


def interpolated_text():
    return _Loss(_model(interpolated_text=True)), _speech()


def frequencies():
    return _Loss(_model(num_freq_tokens=2)), _speech()
