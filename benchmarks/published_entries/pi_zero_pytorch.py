"""Entry points of pi-zero-pytorch: its model of vision, language and actions, as its README trains it."""

import torch
from pi_zero_pytorch import PiZero
from pi_zero_pytorch.pi_zero import BinnedValueLayer


def _model(**options):
    sizes = {"dim": 16, "dim_action_input": 4, "dim_joint_state": 5, "num_tokens": 32}
    return PiZero(**sizes, depth=2, dim_head=8, heads=2, **options)


class _Loss(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, vision, commands, state, actions):
        return self.model(vision, commands, state, actions)[0]


def _batch():
    return torch.randn(1, 6, 16), torch.randint(0, 32, (1, 7)), torch.randn(1, 5), torch.randn(1, 4, 4)


def trained():
    return _Loss(_model()), _batch()


def sinusoidal_times():
    return _Loss(_model(time_sinusoidal=True, layer_time_cond=False, time_infused_action_tokens=True)), _batch()


class _Valued(torch.nn.Module):
    """Its head of values in bins with its loss."""

    def __init__(self, **options):
        super().__init__()
        self.embed, self.head = torch.nn.Linear(6, 16), BinnedValueLayer(16, num_bins=21, **options)

    def forward(self, states, returns):
        return self.head.loss_fn(self.head(self.embed(states), return_value_and_logits=True)[1], returns).mean()


def valued():
    return _Valued(), (torch.randn(4, 6), -torch.rand(4))


def valued_softly():
    return _Valued(hard_discrete_targets=False), (torch.randn(4, 6), -torch.rand(4))
