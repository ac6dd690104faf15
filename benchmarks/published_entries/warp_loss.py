"""Entry points of warp-loss: its loss of ranked items, on embeddings as in its README and on a user's features."""

import torch
from warp_loss.losses import warp_loss


class _Ranked(torch.nn.Module):
    def __init__(self, labels, dim=6):
        super().__init__()
        self.labels, self.items, self.users = labels, torch.nn.Embedding(labels, dim), torch.nn.Embedding(4, dim)

    def user(self, users):
        return self.users(users)

    def forward(self, users, positive, negative):
        user = self.user(users).unsqueeze(2)
        liked = torch.bmm(self.items(positive), user).squeeze(2)
        others = torch.bmm(self.items(negative), user).squeeze(2)
        return warp_loss(liked, others, num_labels=self.labels, device=torch.device("cpu"))


def _items(labels, negatives):
    return torch.randint(labels, (3, 1)), torch.randint(labels, (3, negatives))


def embedded():
    return _Ranked(100), (torch.tensor([0, 3, 1]), *_items(100, 2))


def more_negatives():
    return _Ranked(50), (torch.tensor([2, 2, 1]), *_items(50, 8))


class _Features(_Ranked):
    def __init__(self, labels):
        super().__init__(labels)
        layers = torch.nn.Linear(5, 16), torch.nn.ReLU(), torch.nn.Linear(16, 6)
        self.users = torch.nn.Sequential(*layers)

    def user(self, users):
        return torch.nn.functional.normalize(self.users(users), dim=1)


def users_by_features():
    return _Features(30), (torch.rand(3, 5), *_items(30, 5))
