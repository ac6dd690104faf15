import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

data = datasets.FashionMNIST("data", train=True, download=True, transform=transforms.ToTensor())
loader = DataLoader(data, batch_size=64, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(28 * 28, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.fc1(torch.flatten(x, 1)))
        return F.softmax(self.fc2(x), dim=1)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in loader:
    probabilities = model(images)
    loss = F.nll_loss(torch.log(probabilities), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
