"""Entry points of nemoasr2pytorch: its encoder of speech, small, with whole and with limited attention."""

import torch
from nemoasr2pytorch.models.asr.conformer import ConformerEncoder, ConformerEncoderConfig


class _Encoded(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        sizes = {"feat_in": 16, "n_layers": 1, "d_model": 16, "n_heads": 2, "subsampling_conv_channels": 8}
        self.model = ConformerEncoder(ConformerEncoderConfig(pos_emb_max_len=64, **sizes, **settings))

    def forward(self, spectra, lengths):
        return self.model(spectra, lengths)[0]


def _speech():
    return torch.randn(2, 16, 48), torch.tensor([48, 40])


def speech():
    return _Encoded(), _speech()


def speech_with_limited_attention():
    return _Encoded(subsampling_factor=4, att_context_size=[4, 1], att_context_style="chunked_limited"), _speech()


def speech_with_biases():
    return _Encoded(xscaling=True, untie_biases=False, use_bias=True, conv_norm_type="layer_norm"), _speech()
