"""Entry points of drift-models: its transformer that makes images in one step, drifting losses and masked features."""

import torch
from drifting_models.drift_field import DriftFieldConfig
from drifting_models.drift_loss import (
    DriftingLossConfig,
    FeatureDriftingConfig,
    drifting_stopgrad_loss,
    drifting_stopgrad_loss_multi_temperature,
    feature_space_drifting_loss,
)
from drifting_models.features.extractors import TinyFeatureEncoder, TinyFeatureEncoderConfig
from drifting_models.features.mae import LatentResNetMAE, LatentResNetMAEConfig, masked_reconstruction_loss
from drifting_models.features.vectorize import vectorize_feature_maps
from drifting_models.models.dit_like import DiTLikeConfig, DiTLikeGenerator

LOSS = DriftingLossConfig(DriftFieldConfig(temperature=0.5))
SIZES = {"image_size": 8, "hidden_dim": 16, "depth": 2, "num_heads": 2, "num_classes": 5, "alpha_hidden_dim": 8}


class _Drifting(torch.nn.Module):
    """Images made of noise drift to the real ones and away from one another."""

    def __init__(self, **options):
        super().__init__()
        sizes = {**SIZES, "register_tokens": 2, "style_vocab_size": 6, "style_token_count": 3}
        self.model = DiTLikeGenerator(DiTLikeConfig(**sizes, **options))

    def made(self, noise, labels, alpha, styles):
        return self.model(noise, labels, alpha, styles)

    def forward(self, noise, labels, alpha, styles, real):
        made = self.made(noise, labels, alpha, styles).flatten(1)
        return drifting_stopgrad_loss(made, real.flatten(1), made, config=LOSS)[0]


def _images():
    alpha, styles = 1.0 + 2.0 * torch.rand(4), torch.randint(6, (4, 3))
    return torch.randn(4, 4, 8, 8), torch.tensor([0, 4, 2, 2]), alpha, styles, torch.randn(6, 4, 8, 8)


def drifting():
    return _Drifting(), _images()


class _Features(_Drifting):
    """The same in what a frozen encoder sees."""

    def __init__(self):
        super().__init__(norm_type="rmsnorm", use_qk_norm=True, use_rope=True)
        self.encoder = TinyFeatureEncoder(TinyFeatureEncoderConfig(base_channels=8, stages=2)).requires_grad_(False)
        self.config = FeatureDriftingConfig(temperatures=(0.1, 0.5))

    def _seen(self, images):
        return vectorize_feature_maps(self.encoder(images), config=self.config.vectorization)

    def forward(self, noise, labels, alpha, styles, real):
        return feature_space_drifting_loss(
            generated_feature_vectors=self._seen(self.made(noise, labels, alpha, styles)),
            positive_feature_vectors=self._seen(real),
            unconditional_feature_vectors=None,
            base_loss_config=LOSS,
            feature_config=self.config,
        )[0]


def in_features():
    return _Features(), _images()


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = LatentResNetMAE(LatentResNetMAEConfig(base_channels=8, stages=2, blocks_per_stage=1))

    def forward(self, latents):
        made, mask, _ = self.model(latents)
        return masked_reconstruction_loss(reconstruction=made, target=latents, mask=mask)[0]


def masked():
    return _Masked(), (torch.randn(2, 4, 8, 8),)


class _Points(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.SiLU(), torch.nn.Linear(16, 2))

    def forward(self, noise, real):
        made, temperatures = self.model(noise), (0.05, 0.2, 1.0)
        return drifting_stopgrad_loss_multi_temperature(made, real, made, temperatures=temperatures, config=LOSS)[0]


def points():
    return _Points(), (torch.randn(8, 4), torch.randn(10, 2))
