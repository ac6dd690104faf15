"""Entry points of torch-mdct: networks on its cosine transform of sounds, and losses of what comes back."""

import torch
from torch_mdct import IMDCT, MDCT, kaiser_bessel_derived


class _Denoised(torch.nn.Module):
    """A mask on the transform of noisy sounds, and how far the sounds are that come back."""

    def __init__(self, **options):
        super().__init__()
        self.transform, self.inverse = MDCT(win_length=16, **options), IMDCT(win_length=16, **options)
        self.mask = torch.nn.Sequential(torch.nn.Conv2d(1, 1, 3, padding=1), torch.nn.Sigmoid())

    def forward(self, noisy, clean):
        spectrogram = self.transform(noisy)
        given = self.inverse(spectrogram * self.mask(spectrogram.unsqueeze(1)).squeeze(1))
        length = min(given.shape[-1], clean.shape[-1])
        return torch.nn.functional.l1_loss(given[..., :length], clean[..., :length])


def _sounds():
    clean = torch.sin(torch.linspace(0, 30, 64)).repeat(2, 1)
    return clean + 0.1 * torch.randn(2, 64), clean


def vorbis():
    return _Denoised(), _sounds()


def kaiser_bessel():
    return _Denoised(window_fn=kaiser_bessel_derived, window_kwargs={"beta": 4.0}), _sounds()


class _Spectral(torch.nn.Module):
    """A loss of logarithms of spectra, of sounds that a layer gives."""

    def __init__(self):
        super().__init__()
        self.layer, self.transform = torch.nn.Conv1d(1, 1, 9, padding=4), MDCT(win_length=16)

    def forward(self, noisy, clean):
        given = self.transform(self.layer(noisy.unsqueeze(1)).squeeze(1))
        wanted = self.transform(clean)
        return (torch.log(given**2 + 1e-5) - torch.log(wanted**2 + 1e-5)).abs().mean()


def spectral():
    return _Spectral(), _sounds()
