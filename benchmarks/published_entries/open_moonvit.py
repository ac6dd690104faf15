"""Entry points of open-moonvit: its transformer of pictures of many sizes, joined to words and to losses."""

import torch
from open_moonvit import MLPProjector, MoonViT, MoonViTConfig


def _encoder(dropout=0.0):
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    return MoonViT(MoonViTConfig(**sizes, patch_size=4, abs_pos_embed_grid_size=5, attention_dropout=dropout))


def _pictures():
    """Their heights and widths differ, each side holds an even number of patches."""
    return [torch.rand(3, 16, 24), torch.rand(3, 8, 16)]


def features():
    return _encoder(), (_pictures(),)


class _Classifier(torch.nn.Module):
    """Means of the patches of each picture."""

    def __init__(self):
        super().__init__()
        self.encoder, self.output, self.loss = _encoder(0.1), torch.nn.Linear(16, 4), torch.nn.CrossEntropyLoss()

    def forward(self, wide, small, labels):
        encoded = self.encoder([wide, small])
        sizes = [height * width for height, width in encoded.grid_shapes]
        means = torch.stack([part.mean(0) for part in encoded.last_hidden_state.split(sizes)])
        return self.loss(self.output(means), labels)


def classified():
    return _Classifier(), (*_pictures(), torch.tensor([3, 0]))


class _Captions(torch.nn.Module):
    """What a language model would read of each picture, compared with the embeddings of its words."""

    def __init__(self):
        super().__init__()
        self.encoder, self.projector = _encoder(), MLPProjector(16, 12, intermediate_size=24)
        self.words, self.loss = torch.nn.Embedding(20, 12), torch.nn.CosineEmbeddingLoss()

    def forward(self, wide, small, words):
        encoded = self.encoder([wide, small])
        read, grids, _ = self.projector(encoded.last_hidden_state, encoded.grid_shapes, encoded.cu_seqlens)
        sizes = [height * width for height, width in grids]
        means = torch.stack([part.mean(0) for part in read.split(sizes)])
        return self.loss(means, self.words(words).mean(1), torch.ones(len(words)))


def captions():
    return _Captions(), (*_pictures(), torch.randint(0, 20, (2, 5)))
