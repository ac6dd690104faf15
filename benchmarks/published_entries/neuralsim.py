"""Entry points of neuralsim: its decoder of commands from brain signals, and the adapter of a person behind it."""

import numpy as np
import torch
from neuralsim.calibration import PersonalCalibration
from neuralsim.decoder import BandPowerDecoder, _EEGNet


class _Decoder(torch.nn.Module):
    """Its loss weights the classes by how seldom they are."""

    def __init__(self):
        super().__init__()
        self.network = _EEGNet(n_channels=4, n_times=64, n_classes=4)
        self.loss = torch.nn.CrossEntropyLoss(weight=torch.tensor([0.8, 1.1, 1.0, 1.3]))

    def forward(self, trials, commands):
        return self.loss(self.network(trials), commands)


def _trials():
    trials = torch.randn(4, 1, 4, 64)
    return (trials - trials.mean(dim=(2, 3), keepdim=True)) / (trials.std(dim=(2, 3), keepdim=True) + 1e-8)


def training():
    return _Decoder(), (_trials(), torch.tensor([0, 2, 1, 3]))


def probabilities():
    return torch.nn.Sequential(_EEGNet(n_channels=4, n_times=64, n_classes=4), torch.nn.Softmax(dim=1)), (_trials(),)


class _Adapter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        decoder = BandPowerDecoder()
        decoder._clf = _EEGNet(n_channels=4, n_times=64, n_classes=4)
        decoder.classes_ = ["feet", "left", "rest", "right"]
        decoder._class_map = {name: index for index, name in enumerate(decoder.classes_)}
        calibration = PersonalCalibration(decoder)
        self.backbone, self.adapter = calibration._backbone, calibration._adapter
        counts = np.array([5.0, 4.0, 6.0, 5.0])
        self.loss = torch.nn.CrossEntropyLoss(weight=torch.tensor(20 / (4 * counts), dtype=torch.float32))

    def forward(self, trials, commands):
        return self.loss(self.adapter(self.backbone(trials)), commands)


def calibration():
    return _Adapter(), (_trials(), torch.tensor([0, 2, 1, 3]))
