"""Entry points of torchdcm: likelihoods of choices under its models, whose numbers are learned."""

import torch
from torchdcm import (
    Beta,
    ChoiceDataset,
    LatentClassLogit,
    MixedLogit,
    MultinomialLogit,
    Nest,
    NestedLogit,
    OrderedChoiceDataset,
    OrderedLogit,
    OrderedProbit,
    RandomCoefficient,
    UtilitySpec,
)
from torchdcm.datasets import make_swissmetro_like


def _journeys():
    variables = {
        "time": {"TRAIN": "time_train", "SM": "time_sm", "CAR": "time_car"},
        "cost": {"TRAIN": "cost_train", "SM": "cost_sm", "CAR": "cost_car"},
    }
    available = {"TRAIN": "avail_train", "SM": "avail_sm", "CAR": "avail_car"}
    return ChoiceDataset.from_wide(
        make_swissmetro_like(n_obs=12, seed=7),
        alternatives=["TRAIN", "SM", "CAR"],
        choice="choice",
        variables=variables,
        availability=available,
        individual_id="person_id",
    )


def _utilities(suffix=""):
    spec = UtilitySpec()
    for name in ("TRAIN", "SM", "CAR"):
        cost = Beta("B_TIME" + suffix, init=-0.01) * "time" + Beta("B_COST" + suffix, init=-0.1) * "cost"
        spec.utility(name, cost if name == "SM" else Beta(f"ASC_{name}{suffix}") + cost)
    return spec


class _Likelihood(torch.nn.Module):
    def __init__(self, model, data, *more):
        super().__init__()
        self.model, self.data, self.compiled = model, data, model.compile(data)
        first = torch.cat([self.compiled.free_initial, *more])
        self.numbers = torch.nn.Parameter(first.clone())

    def forward(self, weights):
        return -(weights * self.model.loglike_per_obs(self.numbers, self.data, self.compiled)).sum()


def _weights():
    return (torch.rand(12, dtype=torch.float64),)


def multinomial():
    return _Likelihood(MultinomialLogit(_utilities()), _journeys()), _weights()


def nested():
    model = NestedLogit(_utilities(), {"rail": Nest(["TRAIN", "SM"], init=0.8), "road": Nest(["CAR"], fixed=True)})
    data = _journeys()
    compiled = model.compile(data)
    return _Likelihood(model, data, compiled.lambda_initial[~compiled.lambda_is_fixed]), _weights()


def latent_classes():
    return _Likelihood(LatentClassLogit([_utilities("_1"), _utilities("_2")]), _journeys()), _weights()


class _Mixed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = MixedLogit(_utilities(), [RandomCoefficient("B_TIME", sigma_init=0.02)], n_draws=8)
        self.data = _journeys()
        self.compiled = self.model.compile(self.data)
        first = torch.cat([self.compiled.free_initial, self.compiled.sigma_initial])
        self.numbers = torch.nn.Parameter(first.clone())

    def forward(self, scale):
        return -scale * self.model.loglike_per_unit(self.numbers, self.data, self.compiled).sum()


def mixed():
    return _Mixed(), (torch.tensor(0.5, dtype=torch.float64),)


def _graded(model):
    outcome, weights = torch.tensor([0, 2, 1, 1, 0, 2, 2, 0, 1, 0, 2, 1]), torch.ones(12, dtype=torch.float64)
    rows = {"age": torch.rand(12, dtype=torch.float64), "income": torch.randn(12, dtype=torch.float64)}
    data = OrderedChoiceDataset(y=outcome, x=rows, weights=weights, categories=[0, 1, 2])
    latent = Beta("B_AGE", init=0.3) * "age" + Beta("B_INCOME", init=0.1) * "income"
    model = model(latent, [Beta("T1", init=-0.5), Beta("T2", init=0.7)])
    return _Likelihood(model, data), _weights()


def ordered_logit():
    return _graded(OrderedLogit)


def ordered_probit():
    return _graded(OrderedProbit)
