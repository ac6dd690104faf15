import copy
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F

from networks import Actor, Critic


class Replay:
    def __init__(self, size):
        self.data = deque(maxlen=size)

    def add(self, *transition):
        self.data.append(transition)

    def sample(self, n):
        s, a, r, s2, done = map(np.array, zip(*random.sample(self.data, n)))
        to = lambda v: torch.as_tensor(v, dtype=torch.float32)
        return to(s), to(a), to(r).unsqueeze(1), to(s2), to(done).unsqueeze(1)


def soft_update(target, source, tau=0.005):
    for t, s in zip(target.parameters(), source.parameters()):
        t.data.mul_(1 - tau).add_(tau * s.data)


def main(episodes=50, batch=64, gamma=0.99):
    env = gym.make("Pendulum-v1")
    n, m = env.observation_space.shape[0], env.action_space.shape[0]
    actor, critic = Actor(n, m, float(env.action_space.high[0])), Critic(n, m)
    actor_target, critic_target = copy.deepcopy(actor), copy.deepcopy(critic)
    actor_opt = torch.optim.Adam(actor.parameters(), 1e-4)
    critic_opt = torch.optim.Adam(critic.parameters(), 1e-3)
    replay = Replay(100_000)
    for episode in range(episodes):
        state, _ = env.reset(seed=episode)
        total, over = 0.0, False
        while not over:
            with torch.no_grad():
                action = actor(torch.as_tensor(state).unsqueeze(0))[0].numpy() + np.random.normal(0, 0.1, m)
            after, reward, terminated, truncated, _ = env.step(action.clip(-2, 2))
            replay.add(state, action, reward, after, terminated)
            state, over = after, terminated or truncated
            total += reward
            if len(replay.data) < batch:
                continue
            s, a, r, s2, done = replay.sample(batch)
            with torch.no_grad():
                target = r + gamma * (1 - done) * critic_target(s2, actor_target(s2))
            critic_loss = F.mse_loss(critic(s, a), target)
            critic_opt.zero_grad()
            critic_loss.backward()
            critic_opt.step()
            actor_loss = -critic(s, actor(s)).mean()
            actor_opt.zero_grad()
            actor_loss.backward()
            actor_opt.step()
            soft_update(actor_target, actor)
            soft_update(critic_target, critic)
        print(episode, total)


if __name__ == "__main__":
    main()
