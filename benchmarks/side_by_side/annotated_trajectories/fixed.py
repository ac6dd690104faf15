"""Returns and advantages of trajectories in reinforcement learning."""

from dataclasses import dataclass

import torch
import torch.nn as nn
from jaxtyping import Float, Int
from torch import Tensor


@dataclass
class Rollout:
    observations: Float[Tensor, "t n features"]
    actions: Int[Tensor, "t n"]
    rewards: Float[Tensor, "t n"]
    values: Float[Tensor, "t+1 n"]


class ActorCritic(nn.Module):
    def __init__(self, features: int, actions: int):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, 32), nn.Tanh())
        self.policy, self.value = nn.Linear(32, actions), nn.Linear(32, 1)

    def forward(self, x: Float[Tensor, "*batch features"]) -> tuple[Float[Tensor, "*batch actions"], Float[Tensor, "*batch"]]:
        h = self.body(x)
        return self.policy(h), self.value(h).squeeze(-1)


def advantages(rollout: Rollout, gamma: float = 0.99, trace: float = 0.95) -> Float[Tensor, "t n"]:
    steps = len(rollout.rewards)
    out, last = torch.zeros_like(rollout.rewards), torch.zeros(rollout.rewards.shape[1])
    for t in reversed(range(steps)):
        delta = rollout.rewards[t] + gamma * rollout.values[t + 1] - rollout.values[t]
        last = delta + gamma * trace * last
        out[t] = last
    return out


def main() -> None:
    model = ActorCritic(8, 4)
    optimizer = torch.optim.Adam(model.parameters())
    rollout = Rollout(
        torch.randn(12, 3, 8), torch.randint(0, 4, (12, 3)), torch.randn(12, 3), torch.randn(13, 3)
    )
    target = advantages(rollout)
    logits, value = model(rollout.observations)
    chosen = logits.log_softmax(-1).gather(-1, rollout.actions.unsqueeze(-1)).squeeze(-1)
    loss = -(chosen * target).mean() + (value.view_as(target) - target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    main()
