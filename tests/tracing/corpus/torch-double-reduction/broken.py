import torch
import torch.nn as nn


def double_conv(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
        nn.Conv2d(out_channels, out_channels, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, n_class):
        super().__init__()
        self.down1 = double_conv(3, 64)
        self.down2 = double_conv(64, 128)
        self.down3 = double_conv(128, 256)
        self.maxpool = nn.MaxPool2d(2)
        self.upsample = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.up2 = double_conv(128 + 256, 128)
        self.up1 = double_conv(128 + 64, 64)
        self.last = nn.Conv2d(64, n_class, 1)

    def forward(self, x):
        conv1 = self.down1(x)
        x = self.maxpool(conv1)
        conv2 = self.down2(x)
        x = self.maxpool(conv2)
        x = self.down3(x)
        x = self.upsample(x)
        x = torch.cat([x, conv2], dim=1)
        x = self.up2(x)
        x = self.upsample(x)
        x = torch.cat([x, conv1], dim=1)
        x = self.up1(x)
        return self.last(x)


def dice_loss(pred, target, smooth=1.0):
    pred = torch.sigmoid(pred)
    intersection = (pred * target).sum(dim=2).sum(dim=2)
    union = pred.sum(dim=2).sum(dim=2) + target.sum(dim=2).sum(dim=2)
    loss = 1 - ((2.0 * intersection + smooth) / (union + smooth))
    return loss


def train():
    model = UNet(6)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    images = torch.rand(4, 3, 192, 192)
    masks = torch.rand(4, 6, 192, 192)
    for epoch in range(40):
        optimizer.zero_grad()
        outputs = model(images)
        loss = dice_loss(outputs, masks)
        loss.backward()  # <- expected
        optimizer.step()


train()
