"""Entry points of metacontroller-pytorch: a policy cloned, and latent actions found and trained on top of it."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["x_evolution"] = MagicMock()  # training by evolution, which nothing here needs

from metacontroller import MetaController, MetaControllerWithBinaryMapper, Transformer  # noqa: E402

ATTENTION = {"attn_dim_head": 8, "heads": 2}


def _policy(**options):
    return Transformer(
        dim=16,
        action_embed_readout={"num_discrete": 4},
        state_embed_readout={"num_continuous": 6},
        lower_body={"depth": 1, **ATTENTION},
        upper_body={"depth": 1, **ATTENTION},
        **options,
    )


def _controller(**options):
    return MetaController(
        dim_model=16,
        dim_meta_controller=12,
        dim_latent=8,
        hypernetwork_low_rank=4,
        dim_sequence_summary_embed=8,
        internal_sequence_embedder={"depth": 1, "polar_pos_emb": True, **ATTENTION},
        action_proposer={"depth": 1, "polar_pos_emb": True, **ATTENTION},
        **options,
    )


class _Losses(torch.nn.Module):
    """The sum of the losses of cloning, or of discovery where there is a controller."""

    def __init__(self, model, controller=None):
        super().__init__()
        self.model, self.controller = model, controller

    def forward(self, state, actions, lengths=None):
        found = self.controller is not None
        return sum(
            self.model(state, actions, meta_controller=self.controller, discovery_phase=found, episode_lens=lengths)
        )


class _Actions(torch.nn.Module):
    """The logits of actions, with the controller at work."""

    def __init__(self, model, controller):
        super().__init__()
        self.model, self.controller = model, controller

    def forward(self, state, actions):
        return self.model(state, actions, meta_controller=self.controller)


class _Reinforced(torch.nn.Module):
    def __init__(self, controller):
        super().__init__()
        self.controller = controller

    def forward(self, *episodes):
        return self.controller.policy_loss(*episodes)


def _episodes():
    return torch.randn(2, 8, 6), torch.randint(0, 4, (2, 8))


def cloning():
    return _Losses(_policy()), (*_episodes(), torch.tensor([8, 5]))


def discovery():
    return _Losses(_policy(), _controller()), _episodes()


def binary_discovery():
    controller = MetaControllerWithBinaryMapper(
        dim_model=16,
        dim_meta_controller=12,
        dim_code_bits=3,
        hypernetwork_low_rank=4,
        dim_sequence_summary_embed=8,
        internal_sequence_embedder={"depth": 1, "polar_pos_emb": True, **ATTENTION},
    )
    return _Losses(_policy(), controller), _episodes()


def control():
    return _Actions(_policy(), _controller()), _episodes()


def reinforced():
    switches = torch.tensor([[1.0, 0, 0, 1, 0, 1, 0, 0]] * 4)
    log_probabilities = -torch.rand(4, 8, 8) - 0.5
    return _Reinforced(_controller()), (
        torch.randn(4, 8, 16),
        log_probabilities,
        torch.randn(4, 8, 8),
        torch.randn(4),
        switches,
    )
