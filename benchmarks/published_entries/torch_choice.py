"""Entry points of torch-choice: the likelihood of what buyers choose, by its logit and its nested logit."""

import sys
import types
from unittest.mock import MagicMock

import torch

WANTING = {"pandas", "pytorch_lightning", "sklearn", "sklearn.preprocessing", "tensorboard"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # tables and training loops, which nothing here needs
_package = sys.modules["torch_choice"] = types.ModuleType("torch_choice")
_package.__path__ = ["torch_choice"]
for _name in ("data", "model", "utils"):
    _part = sys.modules[f"torch_choice.{_name}"] = types.ModuleType(f"torch_choice.{_name}")
    _part.__path__ = [f"torch_choice/{_name}"]
sys.modules["torch_choice.data.choice_dataset"] = MagicMock()
sys.modules["torch_choice.data.joint_dataset"] = MagicMock()
sys.modules["torch_choice.data.utils"] = MagicMock()
sys.modules["torch_choice.model._fit_mixin"] = types.SimpleNamespace(ChoiceModelFitMixin=object)

from torch_choice.model.coefficient import Coefficient  # noqa: E402
from torch_choice.model.nested_logit_model import NestedLogitModel  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Logit(torch.nn.Module):
    """The package's coefficients as its conditional logit adds them up."""

    def __init__(self):
        super().__init__()
        self.price = Coefficient("constant", 2, num_items=4)
        self.taste = Coefficient("user", 3, num_items=4, num_users=5)

    def forward(self, prices, tastes, user, chosen):
        utility = self.price(prices) + self.taste(tastes, user)
        return -utility.log_softmax(dim=1)[torch.arange(len(chosen)), chosen].sum()


class _Nested(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = NestedLogitModel(
            nest_to_item={0: [0, 1], 1: [2, 3]},
            nest_coef_variation_dict={"region": "constant"},
            nest_num_param_dict={"region": 2},
            item_coef_variation_dict={"price": "constant"},
            item_num_param_dict={"price": 2},
            **options,
        )

    def forward(self, regions, prices, chosen):
        likely = self.model._forward({"region": regions}, {"price": prices})
        return -likely[torch.arange(len(chosen)), chosen].sum()


def logit():
    features = torch.randn(6, 4, 2), torch.randn(6, 4, 3)
    return _Logit(), (*features, torch.randint(5, (6,)), torch.randint(4, (6,)))


def nested():
    return _Nested(shared_lambda=False), (torch.randn(6, 2, 2), torch.randn(6, 4, 2), torch.randint(4, (6,)))


def nested_shared():
    return _Nested(shared_lambda=True), (torch.randn(6, 2, 2), torch.randn(6, 4, 2), torch.randint(4, (6,)))
