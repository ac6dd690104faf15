"""Entry points of neuralfields: its fields of neurons with potentials, which follow a series, with a loss."""

import torch
from neuralfields import NeuralField, SimpleNeuralField, pd_capacity_21, pd_cubic, pd_linear


class _Followed(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, past, future):
        outputs, _ = self.model(past)
        return torch.nn.functional.mse_loss(outputs, future)


def _series():
    walks = torch.randn(2, 7, 2).cumsum(1)
    return walks[:, :-1], walks[:, 1:]


def field():
    return _Followed(NeuralField(input_size=2, hidden_size=9, output_size=2)), _series()


def field_of_several_kernels():
    options = {"conv_out_channels": 3, "conv_kernel_size": 5, "mirrored_conv_weights": False}
    model = NeuralField(input_size=2, hidden_size=8, output_size=2, activation_nonlin=torch.tanh, **options)
    return _Followed(model), _series()


def field_of_bells():
    model = NeuralField(2, 8, 2, conv_kernel_size=4, conv_padding_mode="zeros", init_param_kwargs={"bell": True})
    return _Followed(model), _series()


def linear_dynamics():
    return _Followed(SimpleNeuralField(2, 2, potentials_dyn_fcn=pd_linear)), _series()


def cubic_dynamics():
    options = {"activation_nonlin": torch.tanh, "init_param_kwargs": {"self_centric_init": True}}
    return _Followed(SimpleNeuralField(2, 2, potentials_dyn_fcn=pd_cubic, **options)), _series()


def dynamics_of_a_capacity():
    model = SimpleNeuralField(2, 2, potentials_dyn_fcn=pd_capacity_21, activation_nonlin=[torch.sigmoid, torch.sigmoid])
    return _Followed(model), _series()
