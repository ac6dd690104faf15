import torch
from torch import nn

class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
        self.heads = nn.ModuleDict({name: nn.Linear(32, n) for name, n in tasks.items()})

    def forward(self, x):
        h = self.backbone(x)
        return {name: head(h) for name, head in self.heads.items()}

tasks = {"age": 1, "gender": 2, "race": 5}
model = MultiTask(tasks)
out = model(torch.randn(6, 20))
target = torch.randint(0, 2, (6,))
loss = nn.functional.cross_entropy(out["gender"], target)
weights = torch.ones(3)
loss = loss + nn.functional.cross_entropy(out["race"], torch.randint(0, 5, (6,)), weight=torch.ones(5))
loss.backward()
