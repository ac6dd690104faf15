"""Entry points of pylmt: its language models with the losses of their trainings, experts and many words included."""

import torch
from lmt.models.config import ModelConfig
from lmt.models.deepseek import DeepSeekV2
from lmt.models.gpt import GPT
from lmt.models.llama import LLaMA
from lmt.models.mamba import Mamba
from lmt.models.mixtral import Mixtral
from lmt.models.multi_token_prediction import MultiTokenPredictionHead
from lmt.training.loss import calc_loss_batch


def _config(**options):
    return ModelConfig(10, 24, 2, 2, 16, 0.1, **options)


class _Trained(torch.nn.Module):
    def __init__(self, model, task="pretraining", auxiliary=0.0):
        super().__init__()
        self.model, self.task, self.auxiliary = model, task, auxiliary

    def forward(self, words, target):
        return calc_loss_batch(words, target, self.model, torch.device("cpu"), self.task, self.auxiliary)


def _words():
    words = torch.randint(0, 24, (2, 11))
    return words[:, :-1], words[:, 1:]


def classified():
    return _Trained(GPT(_config(qkv_bias=True)), "classification"), (_words()[0], torch.tensor([1, 0]))


def experts():
    return _Trained(Mixtral(_config(num_kv_heads=1, window_size=4), 4), auxiliary=0.01), _words()


def latent_attention():
    model = DeepSeekV2(_config(), 8, 8, 4, num_experts=4, num_shared_experts=1, num_dense_layers=1)
    return _Trained(model, auxiliary=0.01), _words()


def state_space():
    return _Trained(Mamba(_config(), d_state=4)), _words()


class _Many(torch.nn.Module):
    """Three words are foretold at once."""

    def __init__(self):
        super().__init__()
        self.model = MultiTokenPredictionHead(LLaMA(_config(num_kv_heads=2)), num_heads=3)

    def forward(self, words, target):
        return self.model.compute_loss(self.model(words, target), target)


def many_words():
    return _Many(), _words()
