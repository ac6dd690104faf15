from pathlib import Path

import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split
from torchvision import transforms


class CatsAndDogs(Dataset):
    """cat.0.jpg, dog.17.jpg, ..."""

    def __init__(self, folder):
        self.paths = sorted(Path(folder).glob("*.jpg"))
        self.transform = transforms.Compose([transforms.Resize((100, 100)), transforms.ToTensor()])

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        return self.transform(Image.open(path).convert("RGB")), int(path.name.startswith("dog"))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 5)
        self.conv2 = nn.Conv2d(16, 32, 5)
        self.fc1 = nn.Linear(32 * 22 * 22, 64)
        self.fc2 = nn.Linear(64, 2)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


data = CatsAndDogs("data/train")
held = len(data) // 10
train, test = random_split(data, [len(data) - held, held], generator=torch.Generator().manual_seed(1))
device = "cuda" if torch.cuda.is_available() else "cpu"
net = Net().to(device)
optimizer = torch.optim.Adam(net.parameters())
for epoch in range(5):
    net.train()
    for x, y in DataLoader(train, batch_size=32, shuffle=True):
        loss = F.cross_entropy(net(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        right = sum((net(x.to(device)).argmax(1).cpu() == y).sum().item() for x, y in DataLoader(test, 32))
    print(f"{epoch}: {right / max(1, len(test)):.3f}")
torch.save(net.state_dict(), "cats.pt")
