import argparse

import mlflow
import mlflow.pytorch
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.tensorboard import SummaryWriter


def load_cora(path):
    """cora.content: id, 1433 words, label; cora.cites: cited, citing."""
    content = np.genfromtxt(f"{path}/cora.content", dtype=np.dtype(str))
    features = torch.FloatTensor(content[:, 1:-1].astype(np.float32))
    kinds = sorted(set(content[:, -1]))
    labels = torch.LongTensor([kinds.index(k) for k in content[:, -1]])
    index = {int(j): i for i, j in enumerate(content[:, 0])}
    edges = np.genfromtxt(f"{path}/cora.cites", dtype=np.int32)
    adjacency = torch.eye(len(labels))
    for a, b in edges:
        adjacency[index[a], index[b]] = adjacency[index[b], index[a]] = 1.0
    degree = adjacency.sum(1).pow(-0.5)
    return degree[:, None] * adjacency * degree[None, :], features, labels


class GraphConvolution(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adjacency):
        return torch.mm(adjacency, torch.mm(x, self.weight)) + self.bias


class GCN(nn.Module):
    def __init__(self, features, hidden, classes, dropout):
        super().__init__()
        self.gc1, self.gc2 = GraphConvolution(features, hidden), GraphConvolution(hidden, classes)
        self.dropout = dropout

    def forward(self, x, adjacency):
        x = F.relu(self.gc1(x, adjacency))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, adjacency), dim=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--path", default="data/cora")
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--dropout", type=float, default=0.5)
    args = parser.parse_args()
    adjacency, features, labels = load_cora(args.path)
    idx_train, idx_val = torch.arange(140), torch.arange(200, 500)
    model = GCN(features.shape[1], args.hidden, 7, args.dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    writer = SummaryWriter("runs/gcn")
    mlflow.set_experiment("gcn")
    with mlflow.start_run():
        mlflow.log_params(vars(args))
        for epoch in range(args.epochs):
            model.train()
            optimizer.zero_grad()
            output = model(features, adjacency)
            loss = F.nll_loss(output[idx_train], labels[idx_train])
            loss.backward()
            optimizer.step()
            model.eval()
            with torch.no_grad():
                output = model(features, adjacency)
                hits = output[idx_val].argmax(1).eq(labels[idx_val]).double().mean()
            writer.add_scalar("loss/train", loss.item(), epoch)
            writer.add_scalar("accuracy/val", hits.item(), epoch)
            mlflow.log_metric("val_acc", hits.item(), step=epoch)
        mlflow.pytorch.log_model(model, "model")
    writer.close()
