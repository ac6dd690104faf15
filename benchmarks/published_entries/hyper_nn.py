"""Entry points of hyper-nn: networks whose weights another network makes, as in its README, with their losses."""

import torch
from hypernn.torch import TorchDynamicHyperNetwork, TorchLinearHyperNetwork


class _Classified(torch.nn.Module):
    def __init__(self, target, **options):
        super().__init__()
        self.model = TorchLinearHyperNetwork.from_target(target, **options)

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.model(samples), labels)


def _policy(inputs=8, outputs=4):
    return torch.nn.Sequential(torch.nn.Linear(inputs, 16), torch.nn.ReLU(), torch.nn.Linear(16, outputs))


def static():
    return _Classified(_policy(), embedding_dim=8, num_embeddings=4), (torch.randn(5, 8), torch.tensor([0, 3, 1, 2, 1]))


def static_of_pictures():
    layers = torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(256, 4)
    model = _Classified(torch.nn.Sequential(*layers), embedding_dim=8, num_embeddings=4)
    return model, (torch.rand(2, 1, 8, 8), torch.tensor([3, 0]))


class _Names(torch.nn.Module):
    """The weights change with each letter, and the state of the weights goes on to the next."""

    def __init__(self):
        super().__init__()
        self.model = TorchDynamicHyperNetwork.from_target(_policy(6, 6), input_dim=6, embedding_dim=8, num_embeddings=4)

    def forward(self, letters, following):
        loss, state = 0.0, None
        for letter, target in zip(letters, following, strict=True):
            weights, aux = self.model.generate_params(letter[None], hidden_state=state)
            state = aux["hidden_state"]
            logits = self.model(letter[None], generated_params=weights)
            loss = loss + torch.nn.functional.cross_entropy(logits, target[None])
        return loss / len(letters)


def dynamic():
    letters = torch.tensor([2, 0, 5, 1])
    return _Names(), (torch.nn.functional.one_hot(letters, 6).float(), torch.tensor([0, 5, 1, 3]))
