import torch
import torch.nn as nn


class SentimentLSTM(nn.Module):
    """Embeds tokens, runs a bidirectional LSTM and classifies the last state."""

    def __init__(self, vocab_size, embedding_dim=128, hidden_dim=256, output_dim=2, n_layers=2):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.n_layers = n_layers
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, num_layers=n_layers, bidirectional=True, batch_first=True)
        self.attention = nn.Linear(hidden_dim * 2, 1)
        self.fc = nn.Linear(hidden_dim * 2, output_dim)
        self.dropout = nn.Dropout(0.5)

    def init_hidden(self, batch_size):
        weight = torch.zeros(self.n_layers, batch_size, self.hidden_dim)
        return weight, weight.clone()

    def forward(self, text):
        batch_size = text.size(0)
        embedded = self.dropout(self.embedding(text))
        hidden = self.init_hidden(batch_size)
        output, (h, c) = self.lstm(embedded, hidden)  # <- expected
        scores = torch.softmax(self.attention(output), dim=1)
        context = torch.sum(scores * output, dim=1)
        return self.fc(self.dropout(context))


def train(model, batches, epochs=3):
    optimizer = torch.optim.Adam(model.parameters())
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        for tokens, labels in batches:
            optimizer.zero_grad()
            logits = model(tokens)
            loss = criterion(logits, labels)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


def main():
    model = SentimentLSTM(vocab_size=20000)
    batches = [(torch.randint(0, 20000, (32, 50)), torch.randint(0, 2, (32,))) for _ in range(10)]
    train(model, batches)


if __name__ == "__main__":
    main()
