import torch
from torch.nn.functional import cross_entropy


def train_epoch(model, loader, optimizer, device):
    model.train()
    for x, y in loader:
        loss = cross_entropy(model(x.to(device)), y.to(device), label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return loss.item()


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    right = sum((model(x.to(device)).argmax(1) == y.to(device)).sum().item() for x, y in loader)
    return right / len(loader.dataset)
