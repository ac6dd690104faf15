from __future__ import annotations

import argparse
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def encode_onehot(labels):
    classes = sorted(set(labels))
    table = {c: np.identity(len(classes))[i, :] for i, c in enumerate(classes)}
    return np.array([table[label] for label in labels], dtype=np.int32)


def load_data(path="data/cora/", dataset="cora"):
    content = np.genfromtxt(f"{path}{dataset}.content", dtype=np.dtype(str))
    features = torch.FloatTensor(content[:, 1:-1].astype(np.float32))
    labels = torch.LongTensor(np.where(encode_onehot(content[:, -1]))[1])
    index = {int(j): i for i, j in enumerate(content[:, 0])}
    raw = np.genfromtxt(f"{path}{dataset}.cites", dtype=np.int32)
    edges = torch.tensor([[index[a], index[b]] for a, b in raw]).t()
    n = len(labels)
    edges = torch.cat([edges, edges.flip(0), torch.arange(n).repeat(2, 1)], dim=1)
    degree = torch.zeros(n).index_add_(0, edges[0], torch.ones(edges.size(1)))
    weight = degree[edges[0]].rsqrt() * degree[edges[1]].rsqrt()
    adj = torch.sparse_coo_tensor(edges, weight, (n, n)).coalesce()
    order = torch.randperm(n, generator=torch.Generator().manual_seed(0))
    features = features / features.sum(1, keepdim=True).clamp(min=1)
    return adj, features, labels, order[: n // 5], order[n // 5 : n // 2], order[n // 2 :]


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        return torch.sparse.mm(adj, x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nhid)
        self.gc3 = GraphConvolution(2 * nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        a = F.dropout(F.relu(self.gc1(x, adj)), self.dropout, self.training)
        b = F.dropout(F.relu(self.gc2(a, adj)), self.dropout, self.training)
        return F.log_softmax(self.gc3(torch.cat([a, b], dim=1), adj), dim=1)


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--hidden", type=int, default=16)
parser.add_argument("--dropout", type=float, default=0.5)
args = parser.parse_args()

adj, features, labels, idx_train, idx_val, idx_test = load_data()
model = GCN(features.shape[1], args.hidden, labels.max().item() + 1, args.dropout)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)
t0 = time.time()
for epoch in range(args.epochs):
    model.train()
    optimizer.zero_grad()
    output = model(features, adj)
    loss = F.nll_loss(output[idx_train], labels[idx_train])
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        val = (model(features, adj)[idx_val].argmax(1) == labels[idx_val]).float().mean()
    print(f"epoch {epoch:04d} loss {loss.item():.4f} val {val.item():.4f} time {time.time() - t0:.2f}s")
model.eval()
print("test", (model(features, adj)[idx_test].argmax(1) == labels[idx_test]).float().mean().item())
