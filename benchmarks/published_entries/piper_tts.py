"""Entry points of piper-tts: VITS, which speaks a text or changes a voice, and the losses of its parts."""

import torch
from piper.train.vits import commons
from piper.train.vits.losses import discriminator_loss, feature_loss, generator_loss, kl_loss
from piper.train.vits.models import (
    MultiPeriodDiscriminator,
    MultiResolutionDiscriminator,
    StochasticDurationPredictor,
    SynthesizerTrn,
)


def _vits(**options):
    return SynthesizerTrn(
        n_vocab=20,
        spec_channels=33,
        segment_size=4,
        inter_channels=16,
        hidden_channels=16,
        filter_channels=32,
        n_heads=2,
        n_layers=2,
        kernel_size=3,
        p_dropout=0.1,
        resblock="2",
        resblock_kernel_sizes=(3, 5),
        resblock_dilation_sizes=((1, 2), (2, 6)),
        upsample_rates=(4, 4),
        upsample_initial_channel=32,
        upsample_kernel_sizes=(8, 8),
        **options,
    )


class _Speaking(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, text, lengths):
        return self.model.infer(text, lengths)[0]


class _Converting(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, spectrogram, lengths, source, target):
        return self.model.voice_conversion(spectrogram, lengths, source, target)[0]


class _Divergence(torch.nn.Module):
    """The divergence of a speech's posterior from its text's prior, along a given alignment."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, text, lengths, spectrogram, spectrogram_lengths, durations):
        _, mean, log_scale, mask = self.model.enc_p(text, lengths)
        latent, _, log_posterior, speech_mask = self.model.enc_q(spectrogram, spectrogram_lengths)
        moved = self.model.flow(latent, speech_mask)
        path = commons.generate_path(durations, mask.unsqueeze(2) * speech_mask.unsqueeze(-1)).squeeze(1)
        mean = torch.matmul(path, mean.transpose(1, 2)).transpose(1, 2)
        log_scale = torch.matmul(path, log_scale.transpose(1, 2)).transpose(1, 2)
        return kl_loss(moved, log_posterior, mean, log_scale, speech_mask)


class _Durations(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.predictor = StochasticDurationPredictor(16, 192, 3, 0.5, 4)

    def forward(self, hidden, mask, durations):
        return torch.sum(self.predictor(hidden, mask, durations) / torch.sum(mask))


class _Judged(torch.nn.Module):
    """The loss of a generator that a discriminator judges, or of the discriminator."""

    def __init__(self, discriminator, generator):
        super().__init__()
        self.discriminator, self.generator = discriminator, generator

    def forward(self, real, generated):
        real_scores, generated_scores, real_features, generated_features = self.discriminator(real, generated)
        if not self.generator:
            return discriminator_loss(real_scores, generated_scores)[0]
        return generator_loss(generated_scores)[0] + feature_loss(real_features, generated_features)


def _text():
    return torch.randint(1, 20, (2, 6)), torch.tensor([6, 4])


def _sounds(length):
    return torch.rand(1, 1, length) * 2 - 1, torch.rand(1, 1, length) * 2 - 1


def speaking():
    return _Speaking(_vits()), _text()


def voice_conversion():
    model = _vits(n_speakers=4, gin_channels=8)
    return _Converting(model), (
        torch.rand(2, 33, 10),
        torch.tensor([10, 8]),
        torch.tensor([0, 1]),
        torch.tensor([2, 3]),
    )


def divergence():
    durations = torch.tensor([[[2.0, 1, 2, 3, 1, 1]], [[2, 3, 1, 2, 0, 0]]])
    return _Divergence(_vits()), (*_text(), torch.rand(2, 33, 10), torch.tensor([10, 8]), durations)


def durations():
    mask = torch.tensor([[[1.0] * 6], [[1.0] * 4 + [0.0] * 2]])
    return _Durations(), (torch.randn(2, 16, 6) * mask, mask, torch.randint(1, 6, (2, 1, 6)) * mask)


def discriminator():
    return _Judged(MultiPeriodDiscriminator(), generator=False), _sounds(128)


def judged_generator():
    resolutions = ((128, 15, 75), (256, 30, 150), (64, 6, 30))
    return _Judged(MultiResolutionDiscriminator(resolutions), generator=True), _sounds(256)
