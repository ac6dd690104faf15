"""Entry points of contrastive-rl-pytorch: its contrastive losses of states and those that follow, behind an encoder."""

import torch
from contrastive_rl_pytorch.action_distr import CategoricalActionAdapter
from contrastive_rl_pytorch.contrastive_rl import (
    ContrastiveLearning,
    ContrastiveWrapper,
    SigmoidContrastiveLearning,
    TemporalDistanceLearning,
)


def _encoder(features=5):
    return torch.nn.Sequential(torch.nn.Linear(features, 8), torch.nn.SiLU(), torch.nn.Linear(8, 6))


class _Wrapped(torch.nn.Module):
    def __init__(self, learning, **options):
        super().__init__()
        self.wrapped = ContrastiveWrapper(_encoder(), learning, **options)

    def forward(self, past, future):
        return self.wrapped(past, future)


class _Timed(_Wrapped):
    def forward(self, past, future, delta_times, raw_discount):
        return self.wrapped(past, future, delta_times=delta_times, raw_discount=raw_discount)


def _states():
    return torch.randn(4, 5), torch.randn(4, 5)


def _times():
    return torch.tensor([[1], [4], [2], [7]]), torch.full((4, 1), 0.95)


def contrastive():
    return _Wrapped(ContrastiveLearning(learned_temp=True)), _states()


def rotated():
    learning = ContrastiveLearning(symmetric=False, lse_reg_weight=0.1, rotation_dim=6)
    return _Wrapped(learning, state_decoder=torch.nn.Linear(6, 5)), _states()


def sigmoid_of_distances():
    return _Wrapped(SigmoidContrastiveLearning(bias=-2.0, learned_scale=True, use_euclidean=True)), _states()


def temporal_distance():
    return _Timed(TemporalDistanceLearning()), (*_states(), *_times())


def chords_of_time():
    return _Timed(ContrastiveLearning(time_weight=1.0, sep_weight=1.0)), (*_states(), *_times())


class _Acted(torch.nn.Module):
    """The actor's loss: how near its action comes to the goal, less a bonus of entropy."""

    def __init__(self):
        super().__init__()
        self.actor, self.encoder, self.goals = torch.nn.Linear(10, 3), _encoder(8), _encoder()
        self.adapter, self.learning = CategoricalActionAdapter(3), ContrastiveLearning()

    def forward(self, states, goals):
        logits = self.actor(torch.cat((states, goals), dim=-1))
        encoded = self.encoder(torch.cat((states, self.adapter.to_critic(logits)), dim=-1))
        score = self.learning(encoded, self.goals(goals), return_contrastive_score=True)
        return -(score + 0.01 * self.adapter.entropy(logits)).mean()


def acted():
    return _Acted(), _states()
