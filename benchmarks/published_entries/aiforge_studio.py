"""Entry points of aiforge-studio: models of images, words, series and tables that its specifications build."""

import torch
from aiforge.spec import LayerSpec, ModelSpec
from aiforge.trainer import lm_loss


def _built(name, shape, *layers, **options):
    spec = ModelSpec(name, list(shape), layers=[LayerSpec.new(kind, **given) for kind, given in layers], **options)
    assert not spec.validate()
    return spec.build()


class _Trained(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, x, wanted):
        return self.loss(self.model(x), wanted)


def vision_transformer():
    layers = (
        ("PatchEmbedding", {"patch_size": 4, "embed_dim": 8}),
        ("PositionalEncoding", {}),
        ("TransformerEncoder", {"num_layers": 1, "num_heads": 2, "ff_dim": 16}),
        ("SequencePool", {"mode": "mean"}),
        ("Linear", {"out_features": 3}),
    )
    model = _built("patches", (3, 8, 8), *layers, class_names=["a", "b", "c"])
    return _Trained(model, torch.nn.functional.cross_entropy), (torch.rand(2, 3, 8, 8), torch.tensor([2, 0]))


class _Words(_Trained):
    def forward(self, words, following):
        return lm_loss(self.model(words), following, self.loss)


def language_model():
    layers = (
        ("Embedding", {"num_embeddings": 20, "embedding_dim": 8}),
        ("PositionalEncoding", {"kind": "sinusoidal"}),
        ("TransformerEncoder", {"num_layers": 1, "num_heads": 2, "ff_dim": 16, "causal": True}),
        ("Linear", {"out_features": 20}),
    )
    words = torch.randint(0, 20, (2, 7))
    model = _built("words", (6,), *layers, input_dtype="long", task="language_model")
    return _Words(model, torch.nn.CrossEntropyLoss()), (words[:, :-1], words[:, 1:])


def series():
    layers = (
        ("LSTM", {"hidden_size": 6, "num_layers": 2, "bidirectional": True, "return_sequence": True, "dropout": 0.1}),
        ("LayerNorm", {}),
        ("GRU", {"hidden_size": 5}),
        ("Linear", {"out_features": 1}),
    )
    model = _built("series", (7, 3), *layers, task="regression")
    return _Trained(model, torch.nn.functional.mse_loss), (torch.randn(4, 7, 3), torch.randn(4, 1))


def convolutions():
    layers = (
        ("Conv2d", {"out_channels": 4, "bias": False}),
        ("BatchNorm", {}),
        ("LeakyReLU", {}),
        ("MaxPool2d", {}),
        ("Conv2d", {"out_channels": 6, "stride": 2}),
        ("GlobalAvgPool", {}),
        ("Dropout", {}),
        ("Linear", {"out_features": 3}),
    )
    model = _built("images", (3, 12, 12), *layers)
    return _Trained(model, torch.nn.functional.cross_entropy), (torch.rand(2, 3, 12, 12), torch.tensor([2, 0]))
