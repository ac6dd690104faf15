"""Entry points of particlegan: its critics, priors of particles and encodings, with the losses that train them."""

import torch
from particlegan import (
    UCD,
    BatchDistanceDiscriminator,
    GANLoss,
    LinearSkipDiscriminator,
    MoGParticlePrior,
    ParticlePrior,
    ParticleRegularizer,
    particle_ae,
    particle_vae,
    ucd_loss,
)


def _layers(inputs, outputs, hidden=32):
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, hidden), torch.nn.LeakyReLU(0.2), torch.nn.Linear(hidden, outputs)
    )


class _Critic(torch.nn.Module):
    def __init__(self, critic, loss):
        super().__init__()
        self.critic, self.loss = critic, GANLoss(loss)

    def forward(self, real, fake):
        return self.loss.d_loss(self.critic(real), self.critic(fake))


def _points():
    angle = torch.randint(8, (6, 1)) * torch.pi / 4
    return torch.cat([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(6, 2), torch.randn(6, 2)


def critic():
    return _Critic(LinearSkipDiscriminator(in_dim=2, hidden_dim=16), "non_saturating"), _points()


def critic_of_distances():
    return _Critic(BatchDistanceDiscriminator(in_dim=2, hidden_dim=16, n_hidden=2), "hinge"), _points()


class _Generator(torch.nn.Module):
    """Particles become samples, which the critic compares with real ones; the particles keep their spread."""

    def __init__(self):
        super().__init__()
        self.prior, self.generator, self.critic = ParticlePrior(16, 4), _layers(4, 2), _layers(2, 1)
        self.loss, self.regularizer = GANLoss("relativistic"), ParticleRegularizer(weight=0.1)

    def forward(self, particles, real):
        codes = self.prior(particles)
        loss = self.loss.g_loss(self.critic(self.generator(codes)), self.critic(real))
        return loss + self.regularizer(codes)


def generator():
    return _Generator(), (torch.tensor([3, 7, 0, 12, 9, 5]), _points()[0])


class _Conditioned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.critic, self.loss = UCD(_layers(2, 3), 3), GANLoss("hinge")

    def forward(self, real, fake, labels):
        (real_scores, real_logits), (fake_scores, fake_logits) = self.critic(real, labels), self.critic(fake, labels)
        return self.loss.d_loss(real_scores, fake_scores) + ucd_loss(real_logits, fake_logits, labels)


def critic_of_classes():
    return _Conditioned(), (*_points(), torch.tensor([0, 2, 1, 1, 0, 2]))


class _Autoencoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.prior = MoGParticlePrior(8, 3, sigma=0.1)
        self.query, self.offset, self.decoder = _layers(6, 3), _layers(6, 3), _layers(3, 6)

    def forward(self, rows):
        encoded = particle_ae(self.query(rows), self.offset(rows), self.prior)
        return encoded.reconstruction_loss(self.decoder(encoded.codes), rows)


def autoencoder():
    return _Autoencoder(), (torch.randn(5, 6),)


class _Variational(_Autoencoder):
    def forward(self, rows):
        encoded = particle_vae(self.query(rows), self.prior)
        return encoded.negative_elbo(self.decoder(encoded.codes), rows, observation_sigma=0.5)


def variational():
    return _Variational(), (torch.randn(5, 6),)
