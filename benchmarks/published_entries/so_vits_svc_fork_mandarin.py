"""Entry points of so-vits-svc-fork-mandarin: parts of its voice conversion with the losses of its training."""

import torch
from so_vits_svc_fork.modules.descriminators import DiscriminatorP
from so_vits_svc_fork.modules.encoders import Encoder, TextEncoder
from so_vits_svc_fork.modules.flows import ResidualCouplingBlock
from so_vits_svc_fork.modules.losses import discriminator_loss, kl_loss


class _Prior(torch.nn.Module):
    """The divergence of what the spectra say from what the content says, through a flow."""

    def __init__(self):
        super().__init__()
        self.content = TextEncoder(8, 16, 5, 1, filter_channels=32, n_heads=2, p_dropout=0.1)
        self.spectra = Encoder(20, 8, 16, 5, 1, 2, gin_channels=8)
        self.flow = ResidualCouplingBlock(8, 16, 5, 1, 2, gin_channels=8)
        self.speakers = torch.nn.Embedding(3, 8)

    def forward(self, content, pitch, spectra, lengths, speaker):
        voice = self.speakers(speaker).unsqueeze(-1)
        latent, _, log_scale, mask = self.spectra(spectra, lengths, g=voice)
        _, prior_mean, prior_log_scale, _ = self.content(content, mask, f0=pitch)
        return kl_loss(self.flow(latent, mask, g=voice), log_scale, prior_mean, prior_log_scale, mask)


def prior():
    content, spectra = torch.randn(2, 16, 10), torch.rand(2, 20, 10)
    return _Prior(), (content, torch.randint(1, 255, (2, 10)), spectra, torch.tensor([10, 7]), torch.tensor([0, 2]))


class _Judged(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.discriminator = DiscriminatorP(3)

    def forward(self, sound, made):
        real, judged = self.discriminator(sound)[0], self.discriminator(made)[0]
        return discriminator_loss([real], [judged])[0]


def judged():
    return _Judged(), (torch.tanh(torch.randn(1, 1, 256)), torch.tanh(torch.randn(1, 1, 256)))
