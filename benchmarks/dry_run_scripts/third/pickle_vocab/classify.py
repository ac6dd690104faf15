import pickle
import sys

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

DATA_DIR = sys.argv[1] if len(sys.argv) > 1 else "prepared"
EMBED, HIDDEN, BATCH, EPOCHS, MAX_LEN = 100, 64, 32, 2, 200

with open(f"{DATA_DIR}/vocab.pkl", "rb") as f:
    vocab = pickle.load(f)
with open(f"{DATA_DIR}/train.pkl", "rb") as f:
    train_data = pickle.load(f)
labels = sorted({label for _, label in train_data})
label_to_id = {label: i for i, label in enumerate(labels)}
print(f"{len(vocab)} words, {len(train_data)} documents, {len(labels)} classes")


def collate(batch):
    texts = [torch.tensor([vocab.get(w, vocab["<unk>"]) for w in words[:MAX_LEN]]) for words, _ in batch]
    lengths = torch.tensor([len(t) for t in texts])
    target = torch.tensor([label_to_id[label] for _, label in batch])
    return pad_sequence(texts, batch_first=True, padding_value=vocab["<pad>"]), lengths, target


class Classifier(nn.Module):
    def __init__(self, vocab_size, classes, pad):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, EMBED, padding_idx=pad)
        self.gru = nn.GRU(EMBED, HIDDEN, batch_first=True, bidirectional=True)
        self.attention = nn.Linear(2 * HIDDEN, 1)
        self.fc = nn.Linear(2 * HIDDEN, classes)

    def forward(self, x, lengths):
        states, _ = self.gru(self.embedding(x))
        mask = torch.arange(x.size(1))[None, :] < lengths[:, None]
        scores = self.attention(states).squeeze(-1).masked_fill(~mask, float("-inf"))
        pooled = torch.bmm(scores.softmax(1).unsqueeze(1), states).squeeze(1)
        return self.fc(pooled)


loader = DataLoader(train_data, batch_size=BATCH, shuffle=True, collate_fn=collate)
model = Classifier(len(vocab), len(labels), vocab["<pad>"])
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(EPOCHS):
    total = 0.0
    for x, lengths, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x, lengths), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch + 1}: {total / len(loader):.4f}")
torch.save({"model": model.state_dict(), "labels": labels}, "classifier.pt")
