"""Entry points of tianshou: the losses that its algorithms compute on a batch, on its own networks."""

import torch
from tianshou.algorithm.modelfree.sac import correct_log_prob_gaussian_tanh
from tianshou.utils.net.common import Net
from tianshou.utils.net.continuous import VAE, ContinuousActorProbabilistic
from tianshou.utils.net.discrete import DiscreteActor, FractionProposalNetwork, FullQuantileFunction
from torch.distributions import Categorical, Independent, Normal


class _Squashed(torch.nn.Module):
    def __init__(self, conditioned):
        super().__init__()
        net = Net(state_shape=(6,), hidden_sizes=[8])
        self.actor = ContinuousActorProbabilistic(
            preprocess_net=net, action_shape=(2,), unbounded=True, conditioned_sigma=conditioned
        )

    def forward(self, obs, noise):
        (location, scale), _ = self.actor(obs)
        action = location + scale * noise
        chance = Independent(Normal(location, scale), 1).log_prob(action).unsqueeze(-1)
        return correct_log_prob_gaussian_tanh(chance, torch.tanh(action)).mean()


def squashed_policy():
    return _Squashed(True), (torch.randn(5, 6), torch.randn(5, 2))


class _Proximal(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = DiscreteActor(preprocess_net=Net(state_shape=(6,), hidden_sizes=[8]), action_shape=3)

    def forward(self, obs, act, logp_old, adv):
        dist = Categorical(self.actor(obs)[0])
        ratios = (dist.log_prob(act) - logp_old).exp()
        clipped = torch.min(ratios * adv, ratios.clamp(0.8, 1.2) * adv).mean()
        return -clipped - 0.01 * dist.entropy().mean()


def proximal_policy():
    log_probabilities = torch.log_softmax(torch.randn(5, 3), -1)[:, 0]
    return _Proximal(), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]), log_probabilities, torch.randn(5))


class _Continuous(torch.nn.Module):
    def __init__(self):
        super().__init__()
        net = Net(state_shape=(6,), hidden_sizes=[8])
        self.actor = ContinuousActorProbabilistic(preprocess_net=net, action_shape=(2,))

    def forward(self, obs, act, adv):
        (location, scale), _ = self.actor(obs)
        dist = Independent(Normal(location, scale), 1)
        return -(dist.log_prob(act) * adv).mean() - 0.01 * dist.entropy().mean()


def actor_critic():
    return _Continuous(), (torch.randn(5, 6), torch.randn(5, 2), torch.randn(5))


class _Fractions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        net = Net(state_shape=(6,), hidden_sizes=[8])
        self.quantiles = FullQuantileFunction(preprocess_net=net, action_shape=(3,), num_cosines=4)
        self.propose = FractionProposalNetwork(4, 8)

    def forward(self, obs, returns):
        embedded = self.quantiles.preprocess(obs)[0]
        taus, tau_hats, entropies = self.propose(embedded)
        distance = returns - tau_hats
        huber = torch.nn.functional.smooth_l1_loss(returns.expand_as(tau_hats), tau_hats, reduction="none")
        weighed = (huber * (taus[:, 1:] - (distance.detach() < 0).float()).abs()).mean()
        return weighed - 0.01 * entropies.mean()


def quantile_fractions():
    return _Fractions(), (torch.randn(5, 6), torch.randn(5, 1))


class _Encoding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        encoder, decoder = torch.nn.Linear(8, 8), torch.nn.Linear(9, 2)
        self.vae = VAE(encoder=encoder, decoder=decoder, hidden_dim=8, latent_dim=3, max_action=1.0)

    def forward(self, obs, act):
        recon, mean, std = self.vae(obs, act)
        divergence = (-torch.log(std) + (std.pow(2) + mean.pow(2) - 1) / 2).mean()
        return torch.nn.functional.mse_loss(act, recon) + divergence / 2


def batch_constrained_autoencoder():
    return _Encoding(), (torch.randn(5, 6), torch.rand(5, 2) * 2 - 1)


class _Categories(torch.nn.Module):
    """The loss of C51: cross entropy against a distribution of returns."""

    def __init__(self):
        super().__init__()
        self.net = Net(state_shape=(6,), action_shape=3, hidden_sizes=[8], softmax=True, num_atoms=5)

    def forward(self, obs, act, target_dist):
        current = self.net(obs)[0][torch.arange(5), act, :]
        return -(target_dist * torch.log(current + 1e-8)).sum(1).mean()


def categorical_returns():
    target = torch.softmax(torch.randn(5, 5), -1)
    return _Categories(), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]), target)
