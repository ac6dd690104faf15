"""Entry points of eegnetworks: its networks of brain waves, with the loss of the chances they give."""

import torch
from eeg_networks.nets import EEGInception, EEGSpatialLSTM


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, signals, labels):
        return torch.nn.functional.nll_loss(torch.log(self.model(signals)), labels)


def inception():
    return EEGInception(2, fs=128), (torch.randn(2, 1, 128, 8),)


def trained_inception():
    return _Trained(EEGInception(2, fs=128)), (torch.randn(2, 1, 128, 8), torch.tensor([0, 1]))


def recurrent():
    return EEGSpatialLSTM(2, input_size=16, hidden_size=16, num_spatial=4), (torch.randn(2, 1, 128, 8),)


def one_for_each_channel():
    model = EEGSpatialLSTM(3, 8, 8, num_layers=1, num_times=32, num_channels=4, dependent=True)
    return _Trained(model), (torch.randn(2, 1, 32, 4), torch.tensor([2, 0]))
