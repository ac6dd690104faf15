import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

x_np = np.random.rand(256, 8).astype(np.float32)
y_np = (x_np.sum(axis=1) * 3.0 + 1.0).astype(np.float32)
inputs = torch.from_numpy(x_np)
targets = torch.from_numpy(y_np)

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for epoch in range(100):
    prediction = model(inputs)
    loss = F.mse_loss(prediction, targets)  # <- expected: tracing/suspicious-broadcast
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

scores = torch.randn(256, 5, requires_grad=True)
probabilities = F.softmax(scores, dim=1)
classes = torch.argmax(probabilities, dim=1)
print(classes[:10])
