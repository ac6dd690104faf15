"""Entry points of torcharc: architectures that it builds as its documentation writes them, in small sizes."""

import torch
import torcharc


def _built(architecture, *inputs):
    return torcharc.build(architecture), inputs


def convolutions():
    layers = {"layers": [[8, 4, 2, 0, 1], [8, 4, 1, 0, 1]], "batch_norm": True, "activation": "ReLU", "dropout": 0.2}
    architecture = {"type": "Conv2d", "in_shape": [3, 20, 20], **layers, "init": "kaiming_uniform_"}
    return _built(architecture, torch.rand(4, 3, 20, 20))


def linear():
    layers = {"layers": [16, 8], "batch_norm": True, "activation": "ReLU", "dropout": 0.2}
    architecture = {"type": "Linear", "in_features": 8, **layers, "init": {"type": "normal_", "std": 0.01}}
    return _built(architecture, torch.rand(4, 8))


class _Classified(torch.nn.Module):
    def __init__(self, architecture):
        super().__init__()
        self.network = torcharc.build(architecture)

    def forward(self, inputs, labels):
        return torch.nn.functional.cross_entropy(self.network(inputs), labels)


def _perceiver(preprocessor):
    attention = {"head_dim": 8, "v_head_dim": None, "cross_attn_num_heads": 1, "cross_attn_widening_factor": 1}
    blocks = {"num_self_attn_blocks": 2, "num_self_attn_per_block": 1, "self_attn_num_heads": 2}
    return {
        "preprocessor": preprocessor,
        "encoder": {"type": "PerceiverEncoder", "latent_shape": [4, 11], **attention, **blocks},
        "decoder": {"type": "PerceiverDecoder", "out_shape": [1, 16], **attention},
        "postprocessor": {"type": "ClassificationPostprocessor", "out_dim": 3},
    }


def perceiver_of_images():
    arc = _perceiver({"type": "FourierPreprocessor", "num_freq_bands": 4, "cat_pos": True})
    architecture = {"type": "Perceiver", "in_shape": [8, 8, 3], "arc": arc}
    return _Classified(architecture), (torch.rand(2, 8, 8, 3), torch.tensor([0, 2]))


def perceiver_of_texts():
    arc = _perceiver({"type": "TextPreprocessor", "vocab_size": 20, "embed_dim": 8, "max_seq_len": 10})
    architecture = {"type": "Perceiver", "in_shape": [10], "arc": arc}
    return _Classified(architecture), (torch.randint(0, 20, (2, 10)), torch.tensor([0, 2]))
