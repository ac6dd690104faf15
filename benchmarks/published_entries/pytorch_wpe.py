"""Entry points of pytorch-wpe: removal of reverberation from spectra, trained on the wanted spectra."""

import torch
from pytorch_wpe import get_power, wpe_one_iteration
from torch_complex.tensor import ComplexTensor


class _Dereverberating(torch.nn.Module):
    """Powers that a layer gives, or those of the signal, and the signal filtered by them."""

    def __init__(self, estimated=True, **options):
        super().__init__()
        self.layer, self.estimated, self.options = torch.nn.Linear(5, 5), estimated, options

    def forward(self, real, imaginary, wanted):
        signal = ComplexTensor(real, imaginary)
        power = get_power(signal)
        if self.estimated:
            power = power * torch.sigmoid(self.layer(power.T)).T
        enhanced = wpe_one_iteration(signal, power, taps=2, delay=1, **self.options)
        return (get_power(enhanced) - wanted).abs().mean()


def _spectra():
    return torch.randn(5, 2, 24), torch.randn(5, 2, 24), torch.rand(5, 24)


def estimated():
    return _Dereverberating(), _spectra()


def of_the_signal():
    return _Dereverberating(estimated=False), _spectra()


def masked():
    return _Dereverberating(inverse_power=False), _spectra()
