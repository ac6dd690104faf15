import functools
import time
import torch
from torch import nn

def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        start = time.time()
        result = fn(*args, **kwargs)
        print(fn.__name__, time.time() - start)
        return result
    return wrapper

class Base(nn.Module):
    hidden = 32
    def __init__(self, inputs):
        super().__init__()
        self.body = self.build(inputs)
    def build(self, inputs):
        raise NotImplementedError
    @timed
    def forward(self, x):
        return self.body(x)

class Deep(Base):
    def build(self, inputs):
        sizes = [inputs] + [self.hidden] * 3 + [1]
        layers = []
        for i in range(len(sizes) - 1):
            layers += [nn.Linear(sizes[i], sizes[i + 1]), nn.ReLU()]
        return nn.Sequential(*layers[:-1])

net = Deep(inputs=16)
batch = torch.randn(4, 4, 4).flatten(1)
print(net(batch).shape)
