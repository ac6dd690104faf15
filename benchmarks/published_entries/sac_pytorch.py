"""Entry points of sac-pytorch: its actors and critics of continuous actions, with the losses that train them."""

import torch
from SAC_pytorch import Actor, Critic, MultipleCritics, MultipleQuantileCritics
from SAC_pytorch.SAC import LearnedEntropyTemperature, MultipleCriticsWithClassificationLoss


class _Critics(torch.nn.Module):
    def __init__(self, critics):
        super().__init__()
        self.critics = critics

    def forward(self, states, actions, wanted):
        return self.critics(states, cont_actions=actions, target_values=wanted).mean()


def _critic(**options):
    return Critic(dim_state=5, num_cont_actions=2, mlp_depth=2, dim_hidden=8, **options)


def _acted(*outputs):
    return torch.randn(4, 5), torch.rand(4, 2), torch.randn(4, 2, *outputs)


def critics():
    return _Critics(MultipleCritics(_critic(), _critic())), _acted()


def expectile_critics():
    return _Critics(MultipleCritics(_critic(), _critic(), expectile_l2_loss_tau=0.7)), _acted()


def quantile_critics():
    return _Critics(MultipleQuantileCritics(_critic(dim_out=5), _critic(dim_out=5))), _acted(5)


def classifying_critics():
    bins = {"min_value": -3.0, "max_value": 3.0, "num_bins": 8}
    critics = MultipleCriticsWithClassificationLoss(_critic(dim_out=8), _critic(dim_out=8), hl_gauss_loss=bins)
    return _Critics(critics), _acted()


class _Acted(torch.nn.Module):
    """The actor's loss by two critics, and that of the temperature, which the entropy of what it draws trains."""

    def __init__(self, **options):
        super().__init__()
        self.actor = Actor(dim_state=5, num_cont_actions=2, mlp_depth=2, dim_hidden=8, **options)
        self.critics = MultipleCritics(_critic(), _critic())
        self.temperature = LearnedEntropyTemperature(num_discrete_actions=(), num_cont_actions=2)

    def forward(self, states):
        drawn = self.actor(states, sample=True, cont_reparametrize=True)
        (values,) = self.critics(states, cont_actions=drawn.continuous)
        acted = (self.temperature.alpha.detach() * drawn.continuous_log_prob - values).mean()
        return acted + self.temperature(cont_entropy=drawn.continuous_entropy)


def acted():
    return _Acted(), (torch.randn(4, 5),)


def acted_by_beta():
    return _Acted(use_beta=True), (torch.randn(4, 5),)
