"""What holds in PyTorch and NumPy, of tensors, layers and data sets: it is known, or nothing is proved of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 5)
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.BatchNorm2d(8))
        self.heads = nn.ModuleList([nn.Linear(5, i) for i in (1, 2, 3)])
        self.d = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Identity()})
        self.w = nn.Parameter(torch.zeros(7))
        self.register_buffer("buf", torch.ones(3, 2))

net = Net()
"""
FAILS = "torch.zeros(2, 3) @ torch.zeros(4, 5)"

# These are computed, so that an error behind one of them is told, and none behind its opposite.
KNOWN = r"""
torch.arange(6).reshape(2, 3).shape == (2, 3)
torch.arange(6).view(-1, 2).shape == (3, 2)
torch.tensor([1, 2, 3]).max().item() == 3
torch.tensor([1, 2, 3]).min() < 2
torch.tensor([4, 9]).prod().item() == 36
torch.tensor([3, 1, 2]).topk(2).values.shape == (2,)
torch.tensor([1]).dtype == torch.int64
torch.tensor([True]).dtype == torch.bool
torch.tensor(3) + 1 == 4
torch.tensor([1, 2]).double().dtype == torch.float64
(torch.zeros(2) + 1).dtype == torch.float32
(torch.zeros(2).double() + torch.zeros(2)).dtype == torch.float64
(torch.zeros(2).half() + torch.zeros(2)).dtype == torch.float32
(torch.arange(2) + torch.zeros(2)).dtype == torch.float32
torch.arange(3).float().dtype == torch.float32
torch.arange(3).sum().dtype == torch.int64
torch.arange(3.0).dtype == torch.float32
torch.zeros(2).argmax().dtype == torch.int64
torch.zeros(2, 3).max(1)[1].dtype == torch.int64
torch.tensor([True, False]).sum().dtype == torch.int64
torch.zeros(2).to(torch.float16).dtype == torch.float16
torch.device("cuda:1").index == 1
torch.device("cuda", 0).type == "cuda"
str(torch.device("cpu")) == "cpu"
torch.zeros(2, 3).stride() == (3, 1)
torch.zeros(2, 3).nelement() == 6
torch.float32.is_floating_point
not torch.int64.is_floating_point
f"{tuple(torch.zeros(1, 2).shape)}" == "(1, 2)"
not torch.tensor(0)
len(torch.tensor([1, 2, 3])) == 3
[int(v) for v in torch.tensor([1, 2])] == [1, 2]
F.one_hot(torch.tensor([0, 2]), 5).shape == (2, 5)
torch.numel(torch.zeros(2, 3)) == 6
torch.randn(3).shape == torch.zeros(3).shape
torch.randperm(5).shape == (5,)
torch.manual_seed(0) is not None
net.fc.weight.ndim == 2
net.body[0].padding == (0, 0)
net.body[0].in_channels == 3
net.body[0].bias.shape == (8,)
net.body[2].running_mean.shape == (8,)
net.body[2].eps == 1e-5
net.body[2].affine
net.body[2].momentum == 0.1
net.body[2].track_running_stats
len(net.body) == 3
isinstance(net.body, nn.Sequential)
list(net.state_dict())[0] == "w"
net.state_dict()["w"].shape == (7,)
dict(net.named_parameters())["fc.bias"].shape == (5,)
[n for n, _ in net.named_parameters()][0] == "w"
[n for n, p in net.named_parameters() if "heads" in n][0] == "heads.0.weight"
[tuple(p.shape) for p in net.fc.parameters()] == [(5, 4), (5,)]
next(net.parameters()).shape == (7,)
next(net.parameters()).dtype == torch.float32
next(net.fc.parameters()).shape == (5, 4)
any(isinstance(m, nn.BatchNorm2d) for m in net.modules())
[type(m).__name__ for m in net.heads] == ["Linear", "Linear", "Linear"]
sum(isinstance(m, nn.Linear) for m in net.modules()) == 5
"d.a" in dict(net.named_modules())
"fc" in net._modules
net.get_submodule("body.0").out_channels == 8
net.get_parameter("fc.weight").shape == (5, 4)
isinstance(net, nn.Module)
isinstance(net.buf, torch.Tensor)
not isinstance(net.buf, nn.Parameter)
isinstance(net.fc.weight, nn.Parameter)
nn.Linear(2, 3).weight.shape == (3, 2)
nn.Linear(2, 3).bias.shape == torch.Size([3])
nn.GroupNorm(2, 4).num_groups == 2
nn.LayerNorm(4).weight.shape == (4,)
nn.LayerNorm(4).eps == 1e-5
nn.LayerNorm([4]).normalized_shape == (4,)
nn.LayerNorm(4).elementwise_affine
nn.MultiheadAttention(8, 2).num_heads == 2
nn.MultiheadAttention(8, 2, batch_first=True).batch_first
nn.LSTM(3, 4).hidden_size == 4
not nn.LSTM(3, 4).bidirectional
nn.GRU(3, 4, batch_first=True).batch_first
nn.RNN(3, 4).nonlinearity == "tanh"
nn.LSTM(3, 4)(torch.zeros(5, 2, 3))[1][0].shape == (1, 2, 4)
nn.Embedding(10, 3, padding_idx=0).padding_idx == 0
nn.Embedding(10, 3).num_embeddings == 10
nn.Embedding(10, 3).padding_idx is None
nn.Conv2d(3, 4, 3).stride == (1, 1)
nn.Conv2d(3, 4, 3).dilation == (1, 1)
nn.Conv2d(3, 4, 3).groups == 1
nn.Conv2d(3, 4, 3).padding_mode == "zeros"
nn.Conv1d(3, 4, 3).kernel_size == (3,)
nn.ConvTranspose2d(3, 4, 2, stride=2)(torch.zeros(1, 3, 4, 4)).shape[-1] == 8
nn.MaxPool2d(2).stride == 2
nn.MaxPool2d(3, stride=2).kernel_size == 3
nn.MaxPool2d(2).padding == 0
nn.AdaptiveAvgPool2d(1).output_size == 1
nn.AdaptiveAvgPool2d((2, 3)).output_size == (2, 3)
nn.Upsample(scale_factor=2).scale_factor == 2.0
nn.Upsample(scale_factor=2).mode == "nearest"
nn.Flatten().start_dim == 1
nn.Dropout().p == 0.5
nn.LeakyReLU(0.2).negative_slope == 0.2
nn.ReLU(inplace=True).inplace
nn.Softmax(dim=-1).dim == -1
nn.PReLU().num_parameters == 1
nn.CrossEntropyLoss().ignore_index == -100
nn.CrossEntropyLoss().reduction == "mean"
nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 3).num_layers == 3
len(nn.Sequential(nn.Linear(2, 3), nn.ReLU())[:1]) == 1
len(nn.ParameterList([nn.Parameter(torch.zeros(2))])) == 1
nn.Linear(2, 3).in_features == 2
nn.Linear(2, 3).double()(torch.zeros(1, 2).double()).dtype == torch.float64
len(torch.utils.data.TensorDataset(torch.zeros(10, 3))) == 10
torch.utils.data.TensorDataset(torch.zeros(10, 3), torch.zeros(10))[0][0].shape == (3,)
torch.utils.data.DataLoader(list(range(7)), 2).batch_size == 2
len(torch.utils.data.DataLoader(list(range(7)), 2).dataset) == 7
next(iter(torch.utils.data.DataLoader(torch.zeros(10, 3), batch_size=4))).shape == (4, 3)
torch.distributions.Normal(torch.zeros(3), torch.ones(3)).sample().shape == (3,)
torch.distributions.Normal(torch.zeros(3), torch.ones(3)).rsample((2,)).shape == (2, 3)
torch.distributions.Categorical(logits=torch.zeros(2, 4)).sample().shape == (2,)
torch.distributions.Normal(torch.zeros(3), torch.ones(3)).log_prob(torch.zeros(3)).shape == (3,)
torch.distributions.Bernoulli(torch.tensor(0.5)).entropy().shape == ()
torch.fft.rfft(torch.zeros(2, 8)).shape == (2, 5)
torch.fft.irfft(torch.zeros(2, 5, dtype=torch.complex64)).shape == (2, 8)
torch.fft.rfft2(torch.zeros(4, 6)).shape == (4, 4)
torch.fft.fftshift(torch.zeros(4)).shape == (4,)
torch.fft.fftfreq(4).shape == (4,)
torch.stft(torch.zeros(16), 8, 4, return_complex=True).shape[0] == 5
torch.nn.utils.rnn.pad_sequence([torch.zeros(2), torch.zeros(3)]).shape == (3, 2)
torch.nn.utils.rnn.pad_sequence([torch.zeros(2), torch.zeros(3)], batch_first=True).shape == (2, 3)
torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")[0].shape == (2, 3)
torch.cartesian_prod(torch.arange(2), torch.arange(3)).shape == (6, 2)
torch.combinations(torch.arange(4)).shape == (6, 2)
torch.histc(torch.zeros(5), bins=4).shape == (4,)
torch.tensor([[1, 2], [3, 4]]).diagonal().shape == (2,)
torch.tensor([1, 2, 3])[-1] == 3
torch.tensor([1, 2]) is not None
torch.Tensor([1, 2]).dtype == torch.float32
torch.Tensor(2, 3).shape == (2, 3)
torch.Tensor().shape == (0,)
torch.LongTensor().shape == (0,)
torch.cat([torch.Tensor(), torch.ones(2, 3)]).shape == (2, 3)
torch.LongTensor([1]).dtype == torch.int64
torch.zeros_like(torch.arange(3)).dtype == torch.int64
torch.ones_like(torch.zeros(2, dtype=torch.float64)).dtype == torch.float64
torch.empty(2, dtype=torch.int32).dtype == torch.int32
(torch.zeros(2, dtype=torch.int32) + torch.zeros(2, dtype=torch.int64)).dtype == torch.int64
(-torch.arange(3)).dtype == torch.int64
(torch.arange(3) ** 2).dtype == torch.int64
(torch.arange(3) == 1).dtype is torch.bool
torch.zeros(2).mean().dtype == torch.float32
torch.where(torch.tensor([True]), torch.zeros(1), torch.ones(1)).dtype == torch.float32
torch.cat([torch.arange(2), torch.zeros(2)]).dtype == torch.float32
torch.stack([torch.arange(2)]).dtype == torch.int64
F.one_hot(torch.tensor([0])).dtype == torch.int64
F.softmax(torch.zeros(2), 0).dtype == torch.float32
np.array([1, 2], dtype=np.float32).dtype == np.float32
np.zeros(2, np.uint8).dtype == np.uint8
np.zeros(2).astype(np.float32).dtype == np.float32
(np.zeros(2, np.float32) * 2).dtype == np.float32
(np.zeros(2, np.float32) + np.zeros(2)).dtype == np.float64
np.array([1, 2, 3]).sum() == 6
np.array([[1, 2], [3, 4]]).max() == 4
np.abs(-3) == 3
np.sqrt(4) == 2
np.floor(2.7) == 2
np.log2(8) == 3
np.isnan(np.nan)
np.arange(0, 1, 0.25).shape == (4,)
np.zeros(3).ndim == 1
np.ndim(3) == 0
np.shape([[1, 2]]) == (1, 2)
np.size([1, 2]) == 2
isinstance(np.zeros(2), np.ndarray)
np.int64(3) == 3
np.pi > 3
np.random.RandomState(0).rand(2, 3).shape == (2, 3)
np.random.default_rng(0).normal(size=(2, 3)).shape == (2, 3)
np.random.permutation(5).shape == (5,)
np.broadcast_to(np.zeros(3), (2, 3)).shape == (2, 3)
torch.from_numpy(np.arange(3)).dtype == torch.int64
torch.zeros(2).numpy().dtype == np.float32
net.__class__.__name__ == "Net"
net.fc.__class__.__name__ == "Linear"
isinstance(net.fc, nn.Linear)
not isinstance(net.fc, nn.Conv2d)
isinstance(net.body[0], (nn.Conv1d, nn.Conv2d))
"Conv" in net.body[0].__class__.__name__
net.body[2].__class__.__name__.find("BatchNorm") != -1
net.fc.__class__.__name__.find("Conv") == -1
len(net.heads) == 3
[h.out_features for h in net.heads] == [1, 2, 3]
list(net.d.keys()) == ["a", "b"]
net.d["a"].in_features == 2
len(list(net.children())) == 4
[n for n, _ in net.named_children()] == ["fc", "body", "heads", "d"]
net.w.shape[0] == 7
net.buf.shape == (3, 2)
sum(p.numel() for p in net.parameters()) > 0
sum(p.numel() for p in net.fc.parameters()) == 25
"fc.weight" in net.state_dict()
net.state_dict()["fc.weight"].shape == (5, 4)
"w" in dict(net.named_parameters())
not hasattr(net, "nope")
hasattr(net, "fc")
getattr(net, "nope", None) is None
net.training
net.fc.bias is not None
nn.Linear(2, 3, bias=False).bias is None
nn.Conv2d(3, 4, 3).kernel_size == (3, 3)
nn.Conv2d(3, 4, 3, padding="same").padding == "same"
nn.Conv2d(3, 4, (3, 5), stride=2).stride == (2, 2)
nn.Conv2d(3, 4, 3).weight.shape == (4, 3, 3, 3)
nn.ConvTranspose2d(3, 4, 3).weight.shape == (3, 4, 3, 3)
nn.Conv2d(4, 8, 3, groups=2).weight.shape[1] == 2
nn.LSTM(3, 4, 2).num_layers == 2
nn.Embedding(10, 3).weight.size(0) == 10
nn.BatchNorm2d(4).num_features == 4
nn.LayerNorm(4).normalized_shape == (4,)
nn.LayerNorm((4, 5)).normalized_shape == (4, 5)
nn.Dropout(0.3).p == 0.3
nn.MultiheadAttention(8, 2).head_dim == 4
nn.MultiheadAttention(8, 2).embed_dim == 8
torch.zeros(2, 3).shape == (2, 3)
torch.zeros(2, 3).shape[1:] == (3,)
torch.zeros(2, 3).shape + (1,) == (2, 3, 1)
tuple(torch.zeros(2, 3).shape) == (2, 3)
list(torch.zeros(2, 3).size()) == [2, 3]
torch.zeros(2, 3).size(-1) == 3
torch.zeros(2, 3).numel() == 6
torch.zeros(2, 3).shape.numel() == 6
torch.zeros(2, 3).dim() == 2
torch.zeros(2, 3).ndim == 2
len(torch.zeros(2, 3)) == 2
torch.zeros(2).dtype == torch.float32
torch.zeros(2).dtype is torch.float
torch.zeros(2, dtype=torch.long).dtype == torch.int64
(torch.zeros(2) > 0).dtype == torch.bool
(torch.arange(3) // 2).dtype == torch.int64
torch.zeros(2).half().dtype == torch.float16
torch.arange(0, 1, 0.3).shape[0] == 4
torch.arange(2, 10, 3).numel() == 3
torch.linspace(0, 1, 5).shape == (5,)
torch.zeros(2).is_floating_point()
not torch.arange(2).is_floating_point()
torch.is_tensor(torch.zeros(1))
isinstance(torch.zeros(1), torch.Tensor)
not isinstance([1], torch.Tensor)
isinstance(net.w, nn.Parameter)
isinstance(net.w, torch.Tensor)
not isinstance(torch.zeros(1), nn.Parameter)
torch.zeros(2, 1, 3).squeeze(0).shape == (2, 1, 3)
torch.zeros(2, 1, 3).squeeze(1).shape == (2, 3)
torch.zeros(2, 3).T.shape == (3, 2)
torch.zeros(6)[::2].shape == (3,)
torch.zeros(6)[10:].shape == (0,)
torch.zeros(2, 3)[None].shape == (1, 2, 3)
torch.zeros(2, 3)[..., 0].shape == (2,)
torch.zeros(2, 3)[[0, 1, 1]].shape == (3, 3)
torch.zeros(2, 3)[:, [0]].shape == (2, 1)
torch.zeros(2, 3)[torch.tensor([True, False])].shape == (1, 3)
torch.zeros(4, 5, 6)[[0, 1], :, [2, 3]].shape == (2, 5)
torch.zeros(4, 5, 6)[:, [0, 1], [2, 3]].shape == (4, 2)
torch.tensor([[1, 2], [3, 4]]).shape == (2, 2)
torch.tensor(3).shape == ()
torch.tensor([1, 2, 3]).sum().item() == 6
torch.tensor([1, 2, 3]).max() == 3
int(torch.tensor(3)) == 3
torch.Size([2, 3]) == (2, 3)
torch.broadcast_shapes((2, 1), (3,)) == (2, 3)
torch.zeros(2, 3).new_zeros(4).shape == (4,)
torch.zeros(2, 3).expand(5, -1, -1).shape == (5, 2, 3)
torch.zeros(2, 3).repeat(2, 2).shape == (4, 6)
torch.zeros(2, 3).flatten().shape == (6,)
torch.zeros(2, 3, 4).flatten(1).shape == (2, 12)
torch.cat([torch.zeros(2, 3)] * 2, -1).shape == (2, 6)
torch.stack([torch.zeros(3)] * 4, 1).shape == (3, 4)
[t.shape[0] for t in torch.zeros(7).chunk(3)] == [3, 3, 1]
[t.shape[0] for t in torch.zeros(7).split([3, 4])] == [3, 4]
len(torch.zeros(7).split(2)) == 4
len(torch.zeros(3, 2).unbind(1)) == 2
torch.einsum("bij,bjk->bik", torch.zeros(2, 3, 4), torch.zeros(2, 4, 5)).shape == (2, 3, 5)
F.pad(torch.zeros(2, 3), (1, 2)).shape == (2, 6)
F.pad(torch.zeros(2, 3), (1, 2, 0, 1)).shape == (3, 6)
F.unfold(torch.zeros(1, 3, 8, 8), 2, stride=2).shape == (1, 12, 16)
F.interpolate(torch.zeros(1, 3, 8, 8), scale_factor=2).shape == (1, 3, 16, 16)
F.interpolate(torch.zeros(1, 3, 7, 7), size=5).shape == (1, 3, 5, 5)
np.zeros((2, 3)).shape == (2, 3)
np.zeros((2, 3)).size == 6
np.zeros(3).dtype == np.float64
np.arange(5).dtype == np.int64
np.prod((2, 3)) == 6
int(np.ceil(2.1)) == 3
np.array([[1, 2]]).T.shape == (2, 1)
np.concatenate([np.zeros((1, 2))] * 3).shape == (3, 2)
np.array([1, 2, 3])[1] == 2
np.expand_dims(np.zeros(3), 0).shape == (1, 3)
np.zeros((2, 3)).reshape(-1).shape == (6,)
np.linspace(0, 1, 5).shape == (5,)
np.stack([np.zeros(2)] * 3).ndim == 2
"""

# The program decides these too, but their values are not computed: nothing is proved behind the opposite.
UNKNOWN = r"""
np.float32(1.5) == 1.5
torch.arange(4).tolist() == [0, 1, 2, 3]
torch.arange(4)[2].item() == 2
torch.arange(4).sum() == 6
torch.tensor([1., 2.]).mean().item() == 1.5
torch.tensor([1, 2, 3]).float().mean() == 2
torch.tensor([[1, 2], [3, 4]])[1, 0] == 3
torch.tensor([[1, 2], [3, 4]]).sum(0).tolist() == [4, 6]
torch.tensor([[1, 2], [3, 4]]).t().tolist() == [[1, 3], [2, 4]]
torch.tensor([3, 1, 2]).sort()[0].tolist() == [1, 2, 3]
torch.tensor([3, 1, 2]).sort().indices.tolist() == [1, 2, 0]
torch.tensor([3, 1, 2]).argsort().tolist() == [1, 2, 0]
torch.tensor([1, 2]).cumsum(0).tolist() == [1, 3]
torch.tensor([True, False]).any()
not torch.tensor([True, False]).all()
torch.tensor([True, False]).sum() == 1
torch.all(torch.ones(3) == 1)
torch.all(torch.zeros(3) == 0).item()
(torch.ones(2) == torch.ones(2)).all()
torch.allclose(torch.ones(2), torch.ones(2))
torch.zeros(3).sum() == 0
torch.ones(3).sum().item() == 3
torch.ones(2, 3).mean() == 1.0
torch.zeros(2).eq(0).all()
torch.full((2,), 7)[0] == 7
torch.full((2,), 7).dtype == torch.int64
torch.full((2,), 7.0).dtype == torch.float32
torch.tensor(1.5).dtype == torch.float32
torch.tensor([1, 2.0]).dtype == torch.float32
torch.zeros(2).to("cpu").device.type == "cpu"
torch.zeros(2).device == torch.device("cpu")
not torch.zeros(1).is_cuda
torch.zeros(1).is_leaf
net.w.is_leaf
torch.zeros(2, requires_grad=True).requires_grad
net.fc.weight.requires_grad
not net.fc.weight.detach().requires_grad
net.fc(torch.zeros(1, 4)).requires_grad
net.fc(torch.zeros(1, 4)).grad_fn is not None
torch.zeros(1).grad_fn is None
torch.zeros(2, 3).is_contiguous()
not torch.zeros(2, 3).t().is_contiguous()
torch.zeros(2, 3).element_size() == 4
torch.iinfo(torch.int8).max == 127
torch.finfo(torch.float16).max == 65504
torch.finfo(torch.float32).min < 0
torch.finfo(torch.float32).eps < 1e-6
np.iinfo(np.uint8).max == 255
np.finfo(np.float32).bits == 32
str(torch.float32) == "torch.float32"
repr(torch.zeros(2).shape) == "torch.Size([2])"
str(torch.zeros(1, 2).shape) == "torch.Size([1, 2])"
bool(torch.tensor([1]))
float(torch.tensor(2.5)) == 2.5
torch.nonzero(torch.tensor([1, 0, 2])).shape == (2, 1)
torch.tensor([1, 0, 2]).nonzero().numel() == 2
torch.where(torch.tensor([1, 0, 2]) > 0)[0].shape == (2,)
torch.masked_select(torch.arange(3), torch.tensor([True, False, True])).shape == (2,)
torch.arange(3)[torch.tensor([1, 0, 2]) > 0].shape == (2,)
torch.unique(torch.tensor([1, 1, 2])).shape == (2,)
torch.bincount(torch.tensor([0, 2, 2])).shape == (3,)
torch.bincount(torch.tensor([0, 1]), minlength=5).shape == (5,)
torch.tensor([2, 3]).repeat_interleave(2).tolist() == [2, 2, 3, 3]
torch.repeat_interleave(torch.zeros(2, 3), torch.tensor([1, 2]), dim=0).shape == (3, 3)
F.one_hot(torch.tensor([0, 1]), num_classes=3).sum() == 2
F.one_hot(torch.tensor([1])).tolist() == [[0, 1]]
F.relu(torch.tensor([-1., 2.])).tolist() == [0.0, 2.0]
torch.relu(torch.tensor([-1.0]))[0] == 0
torch.clamp(torch.tensor([5]), max=3)[0] == 3
torch.abs(torch.tensor(-3)) == 3
torch.sigmoid(torch.zeros(1)).item() == 0.5
F.softmax(torch.zeros(1, 4), -1)[0, 0] == 0.25
torch.maximum(torch.tensor(1), torch.tensor(2)) == 2
torch.dot(torch.tensor([1, 2]), torch.tensor([3, 4])) == 11
(torch.tensor([[1, 2]]) @ torch.tensor([[3], [4]])).item() == 11
torch.eye(2).trace() == 2
torch.eye(3)[0, 0] == 1
torch.linspace(0, 1, 3)[1] == 0.5
torch.cat([torch.tensor([1]), torch.tensor([2])]).tolist() == [1, 2]
torch.stack([torch.tensor(1), torch.tensor(2)]).tolist() == [1, 2]
torch.tensor([1, 2]).flip(0).tolist() == [2, 1]
torch.tensor([[1, 2]]).flatten().tolist() == [1, 2]
torch.tensor([1, 2]).numpy().tolist() == [1, 2]
torch.tensor([1, 2]).unsqueeze(0).tolist() == [[1, 2]]
torch.triu(torch.ones(3, 3)).sum() == 6
torch.tril(torch.ones(3, 3))[0, 2] == 0
torch.zeros(2).norm() == 0
torch.isnan(torch.tensor(float("nan")))
not torch.isnan(torch.zeros(2)).any()
torch.isfinite(torch.zeros(2)).all()
(torch.arange(10) % 2 == 0).sum().item() == 5
(torch.tensor([1, 2, 3]) == torch.tensor([1, 5, 3])).sum().item() == 2
(torch.tensor([1, 2, 3]) == torch.tensor([1, 5, 3])).float().mean() > 0.5
torch.ones(2).to(torch.int64).tolist() == [1, 1]
torch.randperm(5).sort()[0].tolist() == [0, 1, 2, 3, 4]
not torch.is_grad_enabled() or True
torch.is_grad_enabled()
net.body[2].num_batches_tracked == 0
"body.2.running_mean" in net.state_dict()
dict(net.named_buffers())["buf"].shape == (3, 2)
next(net.parameters()).device.type == "cpu"
all(p.requires_grad for p in net.parameters())
len(list(net.buffers())) == 4
sum(p.numel() for p in net.parameters() if p.requires_grad) > 25
"w" in net._parameters
"buf" in net._buffers
hasattr(net, "forward")
not net.buf.requires_grad
net.buf.sum() == 6
net.w.sum() == 0
nn.GroupNorm(2, 4).weight.shape == (4,)
nn.BatchNorm1d(3, affine=False).weight is None
nn.MultiheadAttention(8, 2).in_proj_weight.shape == (24, 8)
nn.MultiheadAttention(8, 2).out_proj.weight.shape == (8, 8)
nn.LSTM(3, 4).weight_ih_l0.shape == (16, 3)
nn.LSTM(3, 4).weight_hh_l0.shape == (16, 4)
nn.GRU(3, 4).weight_ih_l0.shape == (12, 3)
nn.RNN(3, 4).mode == "RNN_TANH"
nn.LSTMCell(3, 4).weight_ih.shape == (16, 3)
nn.LeakyReLU().negative_slope == 0.01
not nn.ReLU().inplace
nn.PReLU(4).weight.shape == (4,)
nn.CrossEntropyLoss(weight=torch.ones(3)).weight.shape == (3,)
nn.MSELoss()(torch.zeros(2), torch.zeros(2)).item() == 0
nn.Bilinear(2, 3, 4).weight.shape == (4, 2, 3)
nn.TransformerEncoderLayer(8, 2, 16).linear1.out_features == 16
nn.TransformerEncoderLayer(8, 2).self_attn.embed_dim == 8
len(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 3).layers) == 3
nn.Sequential(nn.Linear(2, 3), nn.ReLU())[-1].__class__ is nn.ReLU
list(nn.Sequential(nn.Linear(2, 3)).state_dict()) == ["0.weight", "0.bias"]
nn.Identity()(3) == 3
nn.Linear(2, 3).training
not nn.Linear(2, 3).eval().training
nn.Linear(2, 3).to(torch.float64).weight.dtype == torch.float64
nn.Linear(2, 3).half().weight.dtype == torch.float16
nn.init.zeros_(torch.empty(2)).sum() == 0
nn.init.constant_(torch.empty(2), 3)[0] == 3
torch.optim.SGD(net.parameters(), lr=0.1).param_groups[0]["lr"] == 0.1
torch.optim.Adam(net.parameters()).param_groups[0]["lr"] == 0.001
len(torch.optim.Adam(net.parameters()).param_groups) == 1
torch.optim.SGD(net.parameters(), lr=0.1).defaults["lr"] == 0.1
torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9).param_groups[0]["momentum"] == 0.9
torch.optim.Adam(net.parameters(), betas=(0.5, 0.9)).param_groups[0]["betas"] == (0.5, 0.9)
torch.optim.Adam(net.parameters(), 0.5).param_groups[0]["lr"] == 0.5
len(torch.optim.SGD([{"params": net.fc.parameters()}, {"params": [net.w], "lr": 1.0}], lr=0.1).param_groups) == 2
torch.optim.SGD(net.parameters(), lr=0.1).param_groups[0]["weight_decay"] == 0
len(torch.optim.SGD(net.parameters(), lr=0.1).state) == 0
torch.optim.lr_scheduler.StepLR(torch.optim.SGD(net.parameters(), lr=0.1), 2).get_last_lr() == [0.1]
torch.optim.lr_scheduler.StepLR(torch.optim.SGD(net.parameters(), lr=0.1), 2).gamma == 0.1
torch.optim.lr_scheduler.StepLR(torch.optim.SGD(net.parameters(), lr=0.1), 2).last_epoch == 0
torch.optim.lr_scheduler.StepLR(torch.optim.SGD(net.parameters(), lr=0.1), 2).step_size == 2
len(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(10, 3)), batch_size=4)) == 3
len(torch.utils.data.DataLoader(torch.zeros(10, 3))) == 10
len(torch.utils.data.DataLoader(list(range(7)), 2)) == 4
[b.shape[0] for b in torch.utils.data.DataLoader(torch.zeros(10, 3), batch_size=4)] == [4, 4, 2]
[len(s) for s in torch.utils.data.random_split(list(range(10)), [7, 3])] == [7, 3]
[len(s) for s in torch.utils.data.random_split(torch.zeros(10, 2), [0.8, 0.2])] == [8, 2]
len(torch.utils.data.Subset(list(range(10)), [1, 2])) == 2
len(torch.utils.data.ConcatDataset([list(range(3)), list(range(4))])) == 7
torch.utils.data.Subset(list(range(10)), [1, 2])[1] == 2
list(torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(range(5)), 2, False)) == [[0, 1], [2, 3], [4]]
torch.distributions.Normal(0.0, 1.0).mean == 0
torch.distributions.Categorical(logits=torch.zeros(2, 4)).probs.shape == (2, 4)
torch.distributions.Normal(torch.zeros(3), torch.ones(3)).batch_shape == (3,)
torch.distributions.Normal(torch.zeros(3), torch.ones(3)).event_shape == ()
torch.fft.fft(torch.zeros(8)).dtype == torch.complex64
torch.is_complex(torch.fft.fft(torch.zeros(8)))
torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0) >= 0
torch.nn.utils.parameters_to_vector(net.fc.parameters()).shape == (25,)
torch.tensor([1, 2, 3])[:2].tolist() == [1, 2]
torch.gather(torch.tensor([[1, 2]]), 1, torch.tensor([[1]])).item() == 2
torch.zeros(3).scatter(0, torch.tensor([1]), 1.0).sum() == 1
torch.zeros(2).type() == "torch.FloatTensor"
torch.result_type(torch.zeros(1), 1) == torch.float32
torch.get_default_dtype() == torch.float32
torch.promote_types(torch.int32, torch.float32) == torch.float32
(torch.zeros(2, dtype=torch.bool) + 1).dtype == torch.int64
torch.arange(3).sqrt().dtype == torch.float32
torch.exp(torch.arange(3)).dtype == torch.float32
(1 / torch.arange(1, 3)).dtype == torch.float32
torch.true_divide(torch.arange(2), 2).dtype == torch.float32
torch.div(torch.arange(2), 2, rounding_mode="floor").dtype == torch.int64
np.array([1, 2]).dtype == np.int64
np.array([1, 2]).dtype == "int64"
np.array([1, 2]).dtype.kind == "i"
np.array([True]).dtype == bool
np.zeros(2).astype("float32").dtype.name == "float32"
(np.arange(3) / 2).dtype == np.float64
(np.arange(3) * 2.0).dtype == np.float64
np.array([[1, 2], [3, 4]]).sum(axis=0).tolist() == [4, 6]
np.mean([1, 2, 3]) == 2
np.median([3, 1, 2]) == 2
np.std([1, 1]) == 0
np.max([1, 5]) == 5
np.min([1, 5]) == 1
np.power(2, 3) == 8
np.maximum(1, 2) == 2
np.clip(5, 0, 3) == 3
np.dot([1, 2], [3, 4]) == 11
np.unique([1, 1, 2]).tolist() == [1, 2]
len(np.unique([1, 1, 2])) == 2
np.bincount([0, 2]).shape == (3,)
np.nonzero(np.array([1, 0, 1]))[0].tolist() == [0, 2]
np.argsort([3, 1, 2]).tolist() == [1, 2, 0]
np.sort([3, 1, 2])[0] == 1
np.all(np.zeros(3) == 0)
np.any(np.array([0, 1]))
np.array_equal(np.array([1, 2]), np.array([1, 2]))
np.allclose(np.ones(2), np.ones(2))
np.isclose(0.1 + 0.2, 0.3)
np.array([1, 2]).tolist() == [1, 2]
np.arange(3).tolist() == [0, 1, 2]
list(np.arange(3)) == [0, 1, 2]
np.arange(6).reshape(2, 3)[1, 2] == 5
np.array([1, 2, 3])[np.array([1, 2, 3]) > 1].shape == (2,)
np.ones((2, 3)).sum() == 6
np.zeros((2, 3)).nbytes == 48
np.zeros((2, 3)).itemsize == 8
np.eye(3).trace() == 3
np.diff([1, 4]).tolist() == [3]
np.isscalar(3.0)
not np.isscalar([1])
isinstance(np.float32(1), np.floating)
isinstance(np.array([1])[0], np.integer)
np.issubdtype(np.float32, np.floating)
np.issubdtype(np.array([1]).dtype, np.integer)
np.split(np.arange(6), 3)[0].tolist() == [0, 1]
np.tile([1, 2], 2).tolist() == [1, 2, 1, 2]
np.repeat([1, 2], 2).tolist() == [1, 1, 2, 2]
np.concatenate([[1], [2]]).tolist() == [1, 2]
np.where(np.array([1, 0]) > 0, 5, 6).tolist() == [5, 6]
np.full((2,), 3).sum() == 6
np.linalg.norm([3, 4]) == 5
np.triu(np.ones((3, 3)), k=1).sum() == 3
np.searchsorted([1, 3, 5], 3) == 1
torch.from_numpy(np.zeros((2, 3), dtype=np.float32)).dtype == torch.float32
torch.tensor(np.zeros(3)).dtype == torch.float64
torch.as_tensor([1.0]).dtype == torch.float32
torch.tensor(np.array([1, 2])).tolist() == [1, 2]
torch.allclose(torch.from_numpy(np.ones(2)), torch.ones(2).double())
type(net.fc) is nn.Linear
type(net.fc) == nn.Linear
net.fc.__class__ is nn.Linear
(torch.arange(3) / 2).dtype == torch.float32
(torch.arange(3) * 2.0).dtype == torch.float32
torch.zeros(1).device.type == "cpu"
str(torch.zeros(1).device) == "cpu"
torch.zeros(1).requires_grad is False
net.w.requires_grad
torch.tensor([1, 2]).tolist() == [1, 2]
torch.tensor([3, 1, 2]).argmax().item() == 0
torch.equal(torch.ones(2), torch.ones(2))
torch.finfo(torch.float32).max > 1e30
F.one_hot(torch.tensor([0, 2])).shape == (2, 3)
np.array([1, 2.0]).dtype == np.float64
np.sum([1, 2]) == 3
np.argmax([1, 3, 2]) == 1
torch.from_numpy(np.zeros(3)).dtype == torch.float64
np.array([1, 2, 3]).mean() == 2
np.where(np.array([1, 0, 1]))[0].shape == (2,)
np.isscalar(3)
(np.array([1, 2]) * 2).tolist() == [2, 4]
np.cumsum([1, 2, 3])[-1] == 6
"""

SCOPE: dict[str, object] = {}
exec(HEAD, SCOPE)


def _errors(tmp_path: Path, text: str) -> list[bool]:
    """Whether each error that is told is proved."""
    problems = explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions()).problems.values()
    return [p.proved for p in problems if p.level == "error"]


@pytest.mark.parametrize("test", KNOWN.strip().splitlines())
def test_what_is_known_to_hold(tmp_path: Path, test: str) -> None:
    assert eval(test, SCOPE)
    assert not _errors(tmp_path, f"if not ({test}):\n    {FAILS}\nassert {test}\n")
    assert any(_errors(tmp_path, f"if {test}:\n    {FAILS}\n"))


@pytest.mark.parametrize("test", UNKNOWN.strip().splitlines())
def test_nothing_is_proved_where_what_holds_does_not(tmp_path: Path, test: str) -> None:
    assert eval(test, SCOPE)
    assert not any(_errors(tmp_path, f"if not ({test}):\n    {FAILS}\nassert {test}\n"))


@pytest.mark.parametrize(
    "test", ["x.sum() > 0", "x[0, 0].item() == 1", "bool((x > 0).any())", "(x * torch.ones(3)).max() > 1",
             "torch.rand(1) < 0.5", "torch.equal(x, torch.zeros(2, 3))"],
)  # fmt: skip
def test_an_error_behind_a_question_about_data_is_proved(tmp_path: Path, test: str) -> None:
    assert any(_errors(tmp_path, f"x = nn.Linear(4, 3)(torch.randn(2, 4))\nif {test}:\n    {FAILS}\n"))
