"""Entry points of slm388-torchdiff: its language model of masked words, small, with the loss of what was masked."""

import torch
from torchdiff.model import MDLMModel, MDLModelConfig, get_canvas_train_mask


def _config(**options):
    sizes = {"d": 16, "vocab_size": 20, "num_heads": 2, "head_dim": 8, "mlp_hidden_dim": 32, "mask_token_id": 19}
    return MDLModelConfig(**{**sizes, "diff_blocks_num": 2, "layers_per_block": 1, "attn_backend": "sdpa", **options})


class _Masked(torch.nn.Module):
    def __init__(self, block, **options):
        super().__init__()
        self.config, self.block = _config(**options), block
        self.model = MDLMModel(self.config)

    def forward(self, words, noise, times):
        masked = noise < times.unsqueeze(1)
        hidden, _, _ = self.model(torch.where(masked, 19, words), times, self.block)
        logits = torch.nn.functional.linear(hidden, self.model.get_vocab_projection_weight())
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.where(masked, words, -100).flatten())


def _texts():
    return torch.randint(19, (2, 8)), torch.rand(2, 8), torch.tensor([0.9, 0.6])


def first_block():
    return _Masked(0, canvas_size=0), _texts()


def last_block():
    return _Masked(1, canvas_size=0), _texts()


class _Canvas(_Masked):
    """Words that are known stand before the masked ones, which see those of earlier parts only."""

    def forward(self, words, noise, times):
        masked, length = noise < times.unsqueeze(1), words.shape[1]
        both = torch.cat([words, torch.where(masked, 19, words)], dim=1)
        places, mask = torch.arange(length).repeat(2), get_canvas_train_mask(length, 4, device=words.device)
        hidden, _, _ = self.model(both, times, self.block, pos_ids=places, attn_mask=mask, ctx_len=length)
        logits = torch.nn.functional.linear(hidden[:, length:], self.model.get_vocab_projection_weight())
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.where(masked, words, -100).flatten())


def canvas():
    return _Canvas(0, canvas_size=4), _texts()


def restored():
    """Words that a trained model is asked for: all blocks in turn, from a text with gaps."""
    config = _config(canvas_size=0, use_adapters=True, adapter_dim=16)
    return MDLMModel(config), (torch.tensor([[3, 7, 19, 9, 19, 4]]), torch.tensor([0.9]))
