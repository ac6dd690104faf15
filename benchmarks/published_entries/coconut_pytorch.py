"""Entry points of coconut-pytorch: language models that reason in steps of latent tokens, as its README trains them."""

import torch
from coconut_pytorch import Coconut


def _model(**options):
    return Coconut(transformer={"num_tokens": 32, "dim": 16, "depth": 2, "dim_head": 8, "heads": 2}, **options)


def _tokens():
    return torch.randint(0, 32, (2, 8)), torch.randint(0, 32, (2, 5))


def one_latent():
    return _model(num_reasoning_steps=2, num_latents_per_step=1), _tokens()


def several_latents():
    return _model(num_reasoning_steps=3, num_latents_per_step=2), _tokens()


class _Padded(torch.nn.Module):
    """Prompts and answers of several lengths."""

    def __init__(self):
        super().__init__()
        self.model = _model(num_reasoning_steps=2)

    def forward(self, first, second, answer):
        return self.model([first, second], [answer, answer[:3]])


def padded():
    return _Padded(), (torch.randint(0, 32, (8,)), torch.randint(0, 32, (5,)), torch.randint(0, 32, (5,)))
