"""Entry points of srt-torch: a small robot that learns from what it was shown, with the package's loss."""

import torch
from srt_torch import ModelConfig, RobotAction, RobotObservation, SurgicalRobotTransformer, normalize_rotation_6d


class _Imitating(torch.nn.Module):
    def __init__(self):
        super().__init__()
        small = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8, "num_heads": 2}
        self.model = SurgicalRobotTransformer(ModelConfig(**small, feedforward_dim=16, dropout=0.0))

    def forward(self, left, right, wrist_left, wrist_right, action):
        given = self.model(RobotObservation(left, right, wrist_left, wrist_right))
        given = RobotAction(**{name: part[0] for name, part in vars(given).items()})
        return self.model.compute_loss(given, RobotAction.from_tensor(action))


class _Turning(torch.nn.Module):
    """Rotations that a layer gives as six numbers, compared with those that are wanted."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 6)

    def forward(self, features, rotations):
        return torch.nn.functional.mse_loss(normalize_rotation_6d(self.layer(features)), rotations)


def imitation():
    return _Imitating(), (*(torch.randn(3, 32, 32) for _ in range(4)), torch.randn(20))


def rotations():
    wanted, _ = torch.linalg.qr(torch.randn(4, 3, 3))
    return _Turning(), (torch.randn(4, 5), wanted)
