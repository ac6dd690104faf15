import numpy as np
import torch
import torch.nn as nn

print("=== Spiral classifier ===")
epochs = int(input("Number of epochs: "))
hidden = int(input("Hidden units [e.g. 32]: "))
name = input("Your name for the run: ").strip() or "run"


def spirals(points, classes):
    xs, ys = [], []
    for c in range(classes):
        r = np.linspace(0.0, 1, points)
        t = np.linspace(c * 4, (c + 1) * 4, points) + np.random.randn(points) * 0.2
        xs.append(np.c_[r * np.sin(t), r * np.cos(t)])
        ys.append(np.full(points, c))
    return np.vstack(xs).astype("float32"), np.concatenate(ys)


x, y = spirals(100, 3)
x, y = torch.from_numpy(x), torch.from_numpy(y)
model = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(epochs):
    order = torch.randperm(len(x))
    for i in range(0, len(x), 32):
        part = order[i : i + 32]
        scores = model(x[part])
        loss = loss_fn(scores, y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 10 == 0:
        print(name, epoch, loss.item(), (model(x).argmax(1) == y).float().mean().item())
