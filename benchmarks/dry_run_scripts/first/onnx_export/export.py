import argparse

import torch
import torch.nn as nn


class SE(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // reduction)
        self.fc2 = nn.Linear(channels // reduction, channels)

    def forward(self, x):
        s = x.mean((2, 3))
        s = torch.sigmoid(self.fc2(torch.relu(self.fc1(s))))
        return x * s[:, :, None, None]


class Mobile(nn.Module):
    def __init__(self, a, b, expand, stride):
        super().__init__()
        hidden = a * expand
        self.residual = stride == 1 and a == b
        self.body = nn.Sequential(
            nn.Conv2d(a, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.Hardswish(),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.Hardswish(),
            SE(hidden), nn.Conv2d(hidden, b, 1, bias=False), nn.BatchNorm2d(b),
        )

    def forward(self, x):
        y = self.body(x)
        return x + y if self.residual else y


class Detector(nn.Module):
    def __init__(self, classes, anchors=3):
        super().__init__()
        self.classes, self.anchors = classes, anchors
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.Hardswish())
        self.stages = nn.Sequential(Mobile(16, 24, 4, 2), Mobile(24, 24, 4, 1), Mobile(24, 48, 4, 2), Mobile(48, 96, 4, 2))
        self.head = nn.Conv2d(96, anchors * (5 + classes), 1)

    def forward(self, x):
        y = self.head(self.stages(self.stem(x)))
        b, _, h, w = y.shape
        y = y.view(b, self.anchors, 5 + self.classes, h, w).permute(0, 1, 3, 4, 2)
        return y.reshape(b, -1, 5 + self.classes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", default=None)
    parser.add_argument("--output", default="detector.onnx")
    parser.add_argument("--classes", type=int, default=80)
    parser.add_argument("--size", type=int, nargs=2, default=[320, 320])
    parser.add_argument("--opset", type=int, default=17)
    args = parser.parse_args()
    model = Detector(args.classes)
    if args.weights:
        model.load_state_dict(torch.load(args.weights, map_location="cpu"))
    model.eval()
    dummy = torch.randn(1, 3, *args.size)
    torch.onnx.export(
        model,
        dummy,
        args.output,
        opset_version=args.opset,
        input_names=["images"],
        output_names=["boxes"],
        dynamic_axes={"images": {0: "batch"}, "boxes": {0: "batch"}},
        dynamo=False,
    )
    import onnx

    onnx.checker.check_model(onnx.load(args.output))
    print("exported to", args.output)


if __name__ == "__main__":
    main()
