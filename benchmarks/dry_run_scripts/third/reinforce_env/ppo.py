import argparse
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

try:
    import gymnasium as gym
except ImportError:
    gym = None


class Cart:
    """The pole on a cart, for when gymnasium is not installed."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.state, self.t = None, 0

    def reset(self):
        self.state, self.t = self.rng.uniform(-0.05, 0.05, 4), 0
        return self.state.astype(np.float32), {}

    def step(self, action):
        x, v, a, w = self.state
        force = 10.0 if action == 1 else -10.0
        acc = (force + 0.05 * w * w * np.sin(a)) / 1.1
        ang = (9.8 * np.sin(a) - np.cos(a) * acc) / (0.5 * (4 / 3 - 0.1 * np.cos(a) ** 2 / 1.1))
        self.state = np.array([x + 0.02 * v, v + 0.02 * acc, a + 0.02 * w, w + 0.02 * ang])
        self.t += 1
        fell = bool(abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21)
        return self.state.astype(np.float32), 1.0, fell, self.t >= 200, {}


class ActorCritic(nn.Module):
    def __init__(self, observations=4, actions=2, width=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(observations, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


@dataclass
class Rollout:
    obs: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    returns: torch.Tensor
    advantages: torch.Tensor


def collect(env, model, steps, gamma, lam):
    obs, _ = env.reset()
    rows = {k: [] for k in ("obs", "actions", "log_probs", "values", "rewards", "dones")}
    for _ in range(steps):
        with torch.no_grad():
            dist, value = model(torch.as_tensor(obs).unsqueeze(0))
            action = dist.sample()
        nxt, reward, terminated, truncated, _ = env.step(action.item())
        done = terminated or truncated
        for key, item in zip(rows, (torch.as_tensor(obs), action, dist.log_prob(action), value, reward, done)):
            rows[key].append(item)
        obs = env.reset()[0] if done else nxt
    values = torch.cat(rows["values"])
    advantages, gae = torch.zeros(steps), 0.0
    with torch.no_grad():
        following = model(torch.as_tensor(obs).unsqueeze(0))[1]
    for t in reversed(range(steps)):
        nxt_value = values[t + 1] if t + 1 < steps else following[0]
        keep = 1.0 - float(rows["dones"][t])
        gae = rows["rewards"][t] + gamma * nxt_value * keep - values[t] + gamma * lam * keep * gae
        advantages[t] = gae
    return Rollout(torch.stack(rows["obs"]), torch.cat(rows["actions"]), torch.cat(rows["log_probs"]),
                   advantages + values, advantages)


def update(model, optimizer, r, clip, epochs, minibatch):
    adv = (r.advantages - r.advantages.mean()) / (r.advantages.std() + 1e-8)
    for _ in range(epochs):
        for idx in torch.randperm(len(r.obs)).split(minibatch):
            dist, value = model(r.obs[idx])
            ratio = (dist.log_prob(r.actions[idx]) - r.log_probs[idx]).exp()
            surrogate = torch.min(ratio * adv[idx], ratio.clamp(1 - clip, 1 + clip) * adv[idx])
            loss = -surrogate.mean() + 0.5 * (value - r.returns[idx]).pow(2).mean() - 0.01 * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="CartPole-v1")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--steps", type=int, default=256)
    args = parser.parse_args()
    env = gym.make(args.env) if gym is not None else Cart()
    model = ActorCritic()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    for i in range(args.iterations):
        rollout = collect(env, model, args.steps, 0.99, 0.95)
        update(model, optimizer, rollout, 0.2, 4, 64)
        print(i, rollout.returns.mean().item())


if __name__ == "__main__":
    main()
