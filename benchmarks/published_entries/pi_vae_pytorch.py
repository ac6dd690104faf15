"""Entry points of pi-vae-pytorch: small models of neural activity with their loss."""

import torch
from pi_vae_pytorch import PiVAE
from pi_vae_pytorch.loss import ELBOLoss


class _Activity(torch.nn.Module):
    def __init__(self, observations, **options):
        super().__init__()
        self.model = PiVAE(8, 3, 2, encoder_hidden_layer_dim=8, decoder_observation_model=observations, **options)
        self.loss = ELBOLoss(observation_model=observations)

    def forward(self, x, u):
        found = self.model(x, u)
        return self.loss(
            x,
            found["posterior_firing_rate"],
            found["posterior_mean"],
            found["posterior_log_variance"],
            found["label_mean"],
            found["label_log_variance"],
            found["encoder_mean"],
            found["encoder_log_variance"],
            self.model.observation_noise_model,
        )


def poisson():
    return _Activity("poisson"), (torch.randint(5, (4, 8)).float(), torch.randint(3, (4,)))


def gaussian():
    return _Activity("gaussian", discrete_labels=False), (torch.randn(4, 8), torch.randn(4, 3))
