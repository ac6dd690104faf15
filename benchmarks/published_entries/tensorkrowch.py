"""Entry points of tensorkrowch: networks of tensors that classify, as in its README and its tutorials."""

import tensorkrowch as tk
import torch


class _Classified(torch.nn.Module):
    """A network of tensors over embedded features."""

    def __init__(self, network, *head, embedding=tk.embeddings.unit):
        super().__init__()
        self.network, self.head, self.embedding = network, torch.nn.Sequential(*head), embedding

    def forward(self, features, classes):
        scores = self.head(self.network(self.embedding(features)))
        return torch.nn.functional.cross_entropy(scores, classes)


def _rows(features=7):
    return torch.rand(6, features), torch.randint(4, (6,))


def matrix_products():
    model = tk.models.MPSLayer(n_features=8, in_dim=2, out_dim=4, bond_dim=5, init_method="randn_eye", std=1e-3)
    return _Classified(model), _rows()


def matrix_products_and_layers():
    model = tk.models.MPSLayer(n_features=8, in_dim=3, out_dim=10, bond_dim=3, init_method="randn_eye", std=1e-2)
    layers = torch.nn.ReLU(), torch.nn.Linear(10, 4)
    return _Classified(model, *layers, embedding=lambda features: tk.embeddings.poly(features, degree=2)), _rows()


def uniform_matrix_products():
    model = tk.models.UMPSLayer(n_features=8, in_dim=2, out_dim=4, bond_dim=3, init_method="randn_eye", std=1e-2)
    return _Classified(model), _rows()


class _Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        settings = {"init_method": "randn_eye", "std": 1e-2}
        self.network = tk.models.ConvMPSLayer(2, out_channels=3, bond_dim=3, kernel_size=2, **settings)
        self.head = torch.nn.Linear(3 * 9, 4)

    def forward(self, images, classes):
        embedded = tk.embeddings.add_ones(images, axis=1)
        return torch.nn.functional.cross_entropy(self.head(self.network(embedded).flatten(1)), classes)


def images():
    return _Images(), (torch.rand(3, 4, 4), torch.tensor([1, 0, 3]))
