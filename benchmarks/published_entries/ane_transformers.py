"""Entry points of ane-transformers: its reference layers of channels first, small, with losses of their training."""

import torch
from ane_transformers.reference.ffn import PreNormResidualFFN
from ane_transformers.reference.layer_norm import LayerNormANE
from ane_transformers.reference.multihead_attention import MultiHeadAttention, PreNormResidualSelfAttention
from ane_transformers.reference.transformer import AppleNeuralEngineTransformer


class _Pair(torch.nn.Module):
    """A sequence is written while another is read."""

    def __init__(self):
        super().__init__()
        self.model = AppleNeuralEngineTransformer(
            embed_dim=16, ffn_dim=32, nb_enc_layers=2, nb_dec_layers=2, nb_attention_heads=2
        )
        self.words, self.places, self.head = (
            torch.nn.Embedding(20, 16),
            torch.nn.Embedding(8, 16),
            torch.nn.Linear(16, 20),
        )

    def embedded(self, words):
        return self.words(words).transpose(1, 2).unsqueeze(2)

    def forward(self, source, target, following):
        places = self.places(torch.arange(source.shape[1])).T[None, :, None].expand(len(source), -1, -1, -1)
        length = target.shape[1]
        later = torch.full((length, length), -1e4).tril(-1)[None, :, None].expand(len(target), -1, -1, -1)
        output, _ = self.model(
            self.embedded(source),
            self.embedded(target),
            encoder_pos_embed=places,
            decoder_pos_embed=places[..., :length],
            decoder_qk_mask=later,
        )
        logits = self.head(output.squeeze(2).transpose(1, 2))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())


def pair():
    source = torch.tensor([[3, 7, 2, 9, 14], [5, 12, 11, 4, 19]])
    return _Pair(), (source, torch.tensor([[1, 8, 6], [1, 10, 13]]), torch.tensor([[8, 6, 2], [10, 13, 2]]))


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.norm, self.head = torch.nn.Embedding(20, 16), LayerNormANE(16), torch.nn.Conv2d(16, 3, 1)
        self.attention = PreNormResidualSelfAttention(16, n_head=2)
        self.feedforward = PreNormResidualFFN(16, ffn_dim=32)

    def forward(self, words, labels):
        hidden = self.words(words).transpose(1, 2).unsqueeze(2)
        mask = torch.where(words != 0, 0.0, -1e4)[..., None, None]
        hidden = self.norm(self.feedforward(self.attention(hidden, k_mask=mask)[0]))
        return torch.nn.functional.cross_entropy(self.head(hidden)[:, :, 0, 0], labels)


def padded_texts():
    return _Classified(), (torch.tensor([[3, 7, 2, 9, 14], [5, 12, 0, 0, 0]]), torch.tensor([2, 0]))


def attention():
    sequence = torch.randn(2, 16, 1, 5)
    return MultiHeadAttention(16, n_head=2), (sequence, sequence, sequence)
