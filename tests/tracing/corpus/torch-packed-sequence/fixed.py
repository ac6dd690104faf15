import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import Dataset, DataLoader

class Sentences(Dataset):
    def __init__(self, n=20):
        self.items = [torch.randint(1, 50, (5 + i % 7,)) for i in range(n)]
        self.labels = [i % 3 for i in range(n)]
    def __len__(self):
        return len(self.items)
    def __getitem__(self, i):
        return self.items[i], self.labels[i]

def collate(batch):
    seqs, labels = zip(*batch)
    lengths = torch.tensor([len(s) for s in seqs])
    return pad_sequence(seqs, batch_first=True), lengths, torch.tensor(labels)

class Tagger(nn.Module):
    def __init__(self, vocab=50, dim=16, hidden=32, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(2 * hidden, classes)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.rnn(packed)
        h = torch.cat([h[-2], h[-1]], dim=1)
        return self.fc(h)

loader = DataLoader(Sentences(), batch_size=4, shuffle=True, collate_fn=collate)
model = Tagger()
criterion = nn.CrossEntropyLoss()
for tokens, lengths, labels in loader:
    loss = criterion(model(tokens, lengths), labels)
    loss.backward()
