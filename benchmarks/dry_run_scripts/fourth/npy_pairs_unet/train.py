import torch
from torch import nn
from torch.utils.data import DataLoader

from dataset import Volumes


def block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.InstanceNorm2d(cout), nn.LeakyReLU(0.1),
        nn.Conv2d(cout, cout, 3, padding=1), nn.InstanceNorm2d(cout), nn.LeakyReLU(0.1),
    )


class Net(nn.Module):
    def __init__(self, classes=4, w=16):
        super().__init__()
        self.a, self.b, self.c = block(3, w), block(w, 2 * w), block(2 * w, 4 * w)
        self.up2, self.up1 = nn.ConvTranspose2d(4 * w, 2 * w, 2, 2), nn.ConvTranspose2d(2 * w, w, 2, 2)
        self.d2, self.d1 = block(4 * w, 2 * w), block(2 * w, w)
        self.out = nn.Conv2d(w, classes, 1)

    def forward(self, x):
        a = self.a(x)
        b = self.b(nn.functional.max_pool2d(a, 2))
        c = self.c(nn.functional.max_pool2d(b, 2))
        h = self.d2(torch.cat([self.up2(c), b], 1))
        return self.out(self.d1(torch.cat([self.up1(h), a], 1)))


if __name__ == "__main__":
    loader = DataLoader(Volumes("cases", 64), batch_size=4, shuffle=True, num_workers=2)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.99, nesterov=True)
    for epoch in range(3):
        for image, mask in loader:
            loss = nn.functional.cross_entropy(net(image), mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
