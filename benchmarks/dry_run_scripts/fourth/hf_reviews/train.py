import torch
from datasets import load_dataset
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel, AutoTokenizer, get_linear_schedule_with_warmup

NAME = "distilbert-base-uncased"
NUM_LABELS = 4


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(NAME)
        self.encoder.requires_grad_(False)
        size = self.encoder.config.hidden_size
        self.head = nn.Sequential(nn.Linear(2 * size, 256), nn.Tanh(), nn.Dropout(0.2), nn.Linear(256, NUM_LABELS))

    def forward(self, input_ids, attention_mask):
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1)
        mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return self.head(torch.cat([states[:, 0], mean], dim=-1))


def main():
    data = load_dataset("acme/product-reviews")
    tokenizer = AutoTokenizer.from_pretrained(NAME)

    def encode(batch):
        return tokenizer(batch["review_body"], truncation=True, padding="max_length", max_length=48)

    train = data["train"].map(encode, batched=True).rename_column("category", "labels")
    train.set_format("torch", columns=["input_ids", "attention_mask", "labels"])
    loader = DataLoader(train, batch_size=8, shuffle=True)
    model = Classifier()
    optimizer = torch.optim.AdamW(model.head.parameters(), lr=1e-3)
    schedule = get_linear_schedule_with_warmup(optimizer, 10, len(loader))
    for batch in loader:
        labels = batch.pop("labels")
        loss = nn.functional.cross_entropy(model(**batch), labels)
        loss.backward()
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        print(loss.item())


if __name__ == "__main__":
    main()
