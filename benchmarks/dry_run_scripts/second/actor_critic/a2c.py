import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Corridor:
    """Walk to the end of a corridor."""

    def __init__(self, length=12):
        self.length = length

    def reset(self):
        self.place = 0
        return self._seen()

    def _seen(self):
        seen = np.zeros(self.length, dtype=np.float32)
        seen[self.place] = 1
        return seen

    def step(self, action):
        self.place = int(np.clip(self.place + (1 if action == 1 else -1), 0, self.length - 1))
        done = self.place == self.length - 1
        return self._seen(), 1.0 if done else -0.01, done


class ActorCritic(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh())
        self.policy, self.value = nn.Linear(64, actions), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


env = Corridor()
net = ActorCritic(env.length, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for episode in range(300):
    state, log_probs, values, rewards, done = env.reset(), [], [], [], False
    while not done and len(rewards) < 200:
        policy, value = net(torch.from_numpy(state).unsqueeze(0))
        action = policy.sample()
        state, reward, done = env.step(action.item())
        log_probs.append(policy.log_prob(action))
        values.append(value)
        rewards.append(reward)
    returns, total = [], 0.0
    for r in reversed(rewards):
        total = r + 0.99 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    values, log_probs = torch.cat(values), torch.stack(log_probs).view(len(rewards))
    advantage = returns - values
    loss = torch.dot(-log_probs, advantage.detach()) + advantage.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if episode % 50 == 0:
        print(episode, len(rewards))
