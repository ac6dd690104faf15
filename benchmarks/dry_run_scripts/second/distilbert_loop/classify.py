import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, DistilBertModel

SENTENCES = [("the plot was thin", 0), ("a joy from start to end", 1), ("i fell asleep", 0), ("go and see it", 1)] * 25


class Head(nn.Module):
    def __init__(self, name, classes):
        super().__init__()
        self.encoder = DistilBertModel.from_pretrained(name)
        self.gru = nn.GRU(self.encoder.config.dim, 128, batch_first=True, bidirectional=True)
        self.out = nn.Linear(256, classes)

    def forward(self, **inputs):
        hidden = self.encoder(**inputs).last_hidden_state
        _, last = self.gru(hidden)
        return self.out(torch.cat([last[0], last[1]], dim=-1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="distilbert-base-uncased")
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(args.model)

    def collate(batch):
        texts, labels = zip(*batch)
        return tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt"), torch.tensor(labels)

    loader = DataLoader(SENTENCES, batch_size=16, shuffle=True, collate_fn=collate)
    model = Head(args.model, 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    for epoch in range(args.epochs):
        for inputs, labels in loader:
            loss = nn.functional.cross_entropy(model(**inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
