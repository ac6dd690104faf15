"""Entry points of tracetorch: its layers of spikes, recurrence and state spaces, over steps, with losses."""

import torch
import tracetorch as tt


class _Steps(tt.Model):
    """States start anew for each batch; each step goes through all layers."""

    def __init__(self, *layers):
        super().__init__()
        self.net = torch.nn.Sequential(*layers)

    def forward(self, steps, labels):
        self.zero_states()
        for step in steps.unbind(dim=1):
            logits = self.net(step)
        return torch.nn.functional.cross_entropy(logits, labels)


def _series():
    return torch.randn(3, 5, 4).cumsum(1), torch.tensor([2, 0, 1])


def spikes():
    layers = torch.nn.Linear(4, 8), tt.snn.LIB(num_neurons=8), torch.nn.Linear(8, 3), tt.snn.LI(num_neurons=3)
    return _Steps(*layers), ((torch.rand(3, 5, 4) < 0.5).float(), torch.tensor([2, 0, 1]))


def spikes_of_two_memories():
    layers = torch.nn.Linear(4, 8), tt.snn.DLIB(8), torch.nn.Linear(8, 8), tt.snn.SLIB(8), torch.nn.Linear(8, 3)
    return _Steps(*layers, tt.snn.LIEMA(3)), _series()


def recurrent():
    return _Steps(tt.rnn.GRU(4, 8), tt.rnn.LSTM(8, 8), torch.nn.Linear(8, 3)), _series()


def state_spaces():
    layers = torch.nn.Linear(4, 8), tt.ssm.S4(8, d_state=4), torch.nn.GELU(), tt.ssm.S5(8, d_state=4)
    return _Steps(*layers, torch.nn.Linear(8, 3)), _series()


def selective_state_spaces():
    layers = torch.nn.Linear(4, 8), tt.ssm.S6(8, d_state=4), tt.ssm.Mamba(8, d_state=4), torch.nn.Linear(8, 3)
    return _Steps(*layers), _series()
