"""Entry points of trainkit-vp: its loss of experts for all, for families and for languages, routed and not."""

import torch
from trainkit import MultiLevelSequenceLoss


class _Experts(torch.nn.Module):
    """Words by an expert for all of them, one for each family and one for each language, and by all together."""

    def __init__(self, families, languages, **weights):
        super().__init__()
        self.words = torch.nn.Embedding(20, 8, padding_idx=0)
        self.common = torch.nn.GRU(8, 8, batch_first=True)
        self.families = torch.nn.ModuleDict({name: torch.nn.Linear(8, 20) for name in {*families}})
        self.languages = torch.nn.ModuleDict({name: torch.nn.Linear(8, 20) for name in {*languages}})
        self.universal, self.final = torch.nn.Linear(8, 20), torch.nn.Linear(60, 20)
        self.routes, self.loss = (families, languages), MultiLevelSequenceLoss(pad_id=0, **weights)

    def given(self, words):
        given = self.common(self.words(words))[0]
        families, languages = self.routes
        levels = {"universal_logits": self.universal(given)}
        levels["family_logits"] = torch.stack([self.families[n](g) for n, g in zip(families, given, strict=True)])
        levels["language_logits"] = torch.stack([self.languages[n](g) for n, g in zip(languages, given, strict=True)])
        return {"logits": self.final(torch.cat([*levels.values()], -1)), **levels}

    def forward(self, words, wanted):
        routes = {"family_routing": self.routes[0], "language_routing": self.routes[1]}
        return self.loss({**self.given(words), **routes}, wanted).total


def _sentences():
    words = torch.tensor([[3, 7, 2, 19, 4], [5, 6, 1, 0, 0], [8, 11, 2, 0, 0]])
    return words, torch.tensor([[7, 2, 19, 4, 1], [6, 1, 2, 0, 0], [11, 2, 4, 0, 0]])


def routed():
    return _Experts(["slavic", "romance", "slavic"], ["russian", "french", "czech"]), _sentences()


class _Unrouted(_Experts):
    def forward(self, words, wanted):
        losses = self.loss(self.given(words), wanted)
        return losses.total, losses.final, losses.universal


def unrouted():
    names = ["slavic", "slavic", "slavic"], ["russian", "czech", "russian"]
    return _Unrouted(*names, universal_weight=0.5, language_weight=0.1), _sentences()
