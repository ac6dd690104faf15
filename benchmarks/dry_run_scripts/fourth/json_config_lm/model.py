import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c.n_head
        self.qkv = nn.Linear(c.n_embd, 3 * c.n_embd, bias=False)
        self.out = nn.Linear(c.n_embd, c.n_embd, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).split(d, dim=2)
        q, k, v = (z.view(b, t, self.heads, d // self.heads).transpose(1, 2) for z in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(c.n_embd), nn.LayerNorm(c.n_embd)
        self.attention = Attention(c)
        self.mlp = nn.Sequential(nn.Linear(c.n_embd, 4 * c.n_embd), nn.GELU(), nn.Linear(4 * c.n_embd, c.n_embd))

    def forward(self, x):
        x = x + self.attention(self.n1(x))
        return x + self.mlp(self.n2(x))


class LM(nn.Module):
    def __init__(self, c, vocab):
        super().__init__()
        self.tokens = nn.Embedding(vocab, c.n_embd)
        self.places = nn.Parameter(torch.zeros(1, c.block_size, c.n_embd))
        self.layers = nn.Sequential(*[Layer(c) for _ in range(c.n_layer)])
        self.norm = nn.LayerNorm(c.n_embd)
        self.head = nn.Linear(c.n_embd, vocab, bias=False)

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.places[:, : ids.size(1)]
        logits = self.head(self.norm(self.layers(x)))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
