"""Entry points of torchmodal: necessity and possibility over relations of worlds that are learned, and its losses."""

import torch
from torchmodal import KripkeModel, nn
from torchmodal.losses import AxiomRegularization, CrystallizationLoss, SemanticLoss, SparsityLoss


class _Worlds(torch.nn.Module):
    """The model of three worlds from its README."""

    def __init__(self):
        super().__init__()
        self.model = KripkeModel(num_worlds=3, accessibility=nn.LearnableAccessibility(3, init_bias=-2.0), tau=0.1)
        self.model.add_proposition("safe", learnable=True)

    def forward(self):
        relation = self.model.get_accessibility()
        return self.model.contradiction_loss({"safe": self.model.necessity("safe", relation)})


def contradiction():
    return _Worlds(), ()


class _Attended(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.relation, self.truth = nn.AttentionAccessibility(6, num_heads=2), torch.nn.Linear(6, 1)
        self.box, self.diamond = nn.Necessity(tau=0.1), nn.Possibility(tau=0.1, top_k=2)
        self.sparsity, self.axioms = SparsityLoss(), AxiomRegularization(reflexivity=1.0, transitivity=0.5)

    def forward(self, features):
        relation, truth = self.relation(features), torch.sigmoid(self.truth(features)).squeeze(-1)
        bounds = torch.stack([truth, truth], -1)
        penalty = self.sparsity(relation) + self.axioms(relation)
        return self.box(bounds, relation), self.diamond(bounds, relation), penalty


def attention():
    return _Attended(), (torch.randn(4, 6),)


class _Digits(torch.nn.Module):
    """Cells that should hold exactly one digit."""

    def __init__(self):
        super().__init__()
        self.layer, self.crisp, self.exclusive = torch.nn.Linear(6, 4), CrystallizationLoss(), SemanticLoss()

    def forward(self, features):
        probabilities = torch.softmax(self.layer(features), -1)
        return self.crisp(probabilities) + self.exclusive.forward_mutual_exclusive(probabilities)


def one_digit():
    return _Digits(), (torch.randn(5, 6),)


class _Metric(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.relation, self.box = nn.MetricAccessibility(4, embed_dim=8), nn.Necessity(tau=0.1, learnable_tau=True)

    def forward(self, bounds):
        return self.box(bounds, self.relation())


def metric():
    return _Metric(), (torch.tensor([[0.9, 1.0], [0.0, 0.1], [0.5, 0.8], [0.3, 0.6]]),)
