"""Entry points of centaur-nrn: its networks of Lukasiewicz logic over features between zero and one, with losses."""

import torch
from nrn.modules.brn import BanditNRNModule


def _model(**options):
    return BanditNRNModule(
        input_size=6,
        output_size=2,
        layer_sizes=[4, 4],
        feature_names=[f"feature{number}" for number in range(6)],
        n_selected_features_input=3,
        n_selected_features_internal=2,
        n_selected_features_output=2,
        perform_prune_quantile=0.5,
        ucb_scale=1.96,
        **options,
    )


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = _model(**options)

    def forward(self, rows, labels):
        return torch.nn.functional.binary_cross_entropy(self.model(rows), labels)


def _rows():
    return torch.rand(5, 6), torch.nn.functional.one_hot(torch.tensor([0, 1, 1, 0, 1]), 2).float()


def disjunctive():
    return _Classified(normal_form="dnf"), _rows()


def conjunctive_with_negations():
    return _Classified(normal_form="cnf", add_negations=True), _rows()
