"""Entry points of recbole: losses of recommendations and their layers."""

import torch
from recbole.model.layers import BaseFactorizationMachine, Dice
from recbole.model.loss import BPRLoss, EmbLoss, EmbMarginLoss


class _Ranking(torch.nn.Module):
    """Users' and items' tables, the ranking of a bought item over another one, and a penalty."""

    def __init__(self, penalty):
        super().__init__()
        self.users, self.items = torch.nn.Embedding(5, 4), torch.nn.Embedding(7, 4)
        self.ranking, self.penalty = BPRLoss(), penalty

    def forward(self, users, bought, other):
        user, first, second = self.users(users), self.items(bought), self.items(other)
        loss = self.ranking((user * first).sum(1), (user * second).sum(1))
        return loss + 0.01 * self.penalty(user, first, second).sum()


def _triples():
    return torch.randint(5, (6,)), torch.randint(7, (6,)), torch.randint(7, (6,))


def ranking():
    return _Ranking(EmbLoss()), _triples()


def ranking_with_margin():
    return _Ranking(EmbMarginLoss()), _triples()


class _Interacting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.machine = torch.nn.Embedding(9, 4), BaseFactorizationMachine()
        self.head = torch.nn.Sequential(torch.nn.Linear(12, 6), Dice(6), torch.nn.Linear(6, 1))

    def forward(self, fields, clicked):
        found = self.table(fields)
        score = self.machine(found) + self.head(found.flatten(1))
        return torch.nn.functional.binary_cross_entropy(torch.sigmoid(score), clicked)


def factorization_machine():
    return _Interacting(), (torch.randint(9, (6, 3)), torch.randint(2, (6, 1)).float())
