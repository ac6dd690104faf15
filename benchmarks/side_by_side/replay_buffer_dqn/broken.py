"""Deep Q-learning on a toy environment, with a target network and a replay buffer."""

import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "reward", "next_state", "done"))


class Environment:
    """A cart on a line that must reach the right end."""

    def reset(self):
        self.position, self.steps = 0.0, 0
        return self._state()

    def step(self, action):
        self.position += (-0.1, 0.0, 0.1)[action]
        self.steps += 1
        done = self.position >= 1.0 or self.steps > 30
        return self._state(), float(self.position), done

    def _state(self):
        return [self.position, self.position**2, self.steps / 30, 1.0]


class QNetwork(nn.Module):
    def __init__(self, states=4, actions=3, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(states, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.value = nn.Linear(hidden, 1)
        self.advantage = nn.Linear(hidden, actions)

    def forward(self, state):
        h = self.body(state)
        advantage = self.advantage(h)
        return self.value(h) + advantage - advantage.mean(dim=-1, keepdim=True)


class Agent:
    def __init__(self):
        self.online, self.target = QNetwork(), QNetwork()
        self.target.load_state_dict(self.online.state_dict())
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        self.memory = deque(maxlen=1000)

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return random.randrange(3)
        with torch.no_grad():
            return self.online(torch.tensor(state)).argmax().item()

    def learn(self, batch_size=32, gamma=0.99):
        batch = Transition(*zip(*random.sample(self.memory, batch_size)))
        states, next_states = torch.tensor(batch.state), torch.tensor(batch.next_state)
        actions, rewards = torch.tensor(batch.action), torch.tensor(batch.reward)
        done = torch.tensor(batch.done, dtype=torch.float32)
        chosen = self.online(states).gather(1, actions).squeeze(1)  # <- expected
        with torch.no_grad():
            best = self.target(next_states).max(dim=1).values
            expected = rewards + gamma * best * (1 - done)
        loss = F.smooth_l1_loss(chosen, expected)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main(episodes=6):
    environment, agent = Environment(), Agent()
    for episode in range(episodes):
        state, done = environment.reset(), False
        while not done:
            action = agent.act(state, epsilon=max(0.05, 1 - episode / 4))
            following, reward, done = environment.step(action)
            agent.memory.append(Transition(state, action, reward, following, done))
            state = following
            if len(agent.memory) >= 64:
                agent.learn()
        if episode % 2 == 0:
            agent.target.load_state_dict(agent.online.state_dict())


if __name__ == "__main__":
    main()
