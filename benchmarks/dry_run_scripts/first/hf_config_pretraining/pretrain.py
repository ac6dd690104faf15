import argparse
import math
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import BertConfig, BertModel, get_linear_schedule_with_warmup


class RandomSpans(Dataset):
    def __init__(self, size, length, vocab, mask_id):
        self.size, self.length, self.vocab, self.mask_id = size, length, vocab, mask_id

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        rng = random.Random(i)
        ids = torch.tensor([rng.randrange(5, self.vocab) for _ in range(self.length)])
        labels = torch.full_like(ids, -100)
        picked = torch.rand(self.length) < 0.15
        labels[picked] = ids[picked]
        ids[picked] = self.mask_id
        return {"input_ids": ids, "labels": labels}


class MaskedModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.bert = BertModel(config, add_pooling_layer=False)
        self.transform = nn.Linear(config.hidden_size, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, input_ids, labels):
        hidden = self.bert(input_ids).last_hidden_state
        hidden = self.norm(nn.functional.gelu(self.transform(hidden)))
        logits = hidden @ self.bert.embeddings.word_embeddings.weight.t() + self.bias
        return nn.functional.cross_entropy(logits.view(-1, logits.size(-1)), labels.view(-1), ignore_index=-100)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--vocab", type=int, default=8000)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    config = BertConfig(
        vocab_size=args.vocab,
        hidden_size=args.hidden,
        num_attention_heads=args.heads,
        num_hidden_layers=args.layers,
        intermediate_size=4 * args.hidden,
        max_position_embeddings=args.length,
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = MaskedModel(config).to(device)
    loader = DataLoader(RandomSpans(20000, args.length, args.vocab, 4), batch_size=16, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scheduler = get_linear_schedule_with_warmup(optimizer, 100, args.steps)
    step = 0
    for i, batch in enumerate(loader):
        batch = {k: v.to(device) for k, v in batch.items()}
        loss = model(**batch) / args.accumulate
        loss.backward()
        if (i + 1) % args.accumulate == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            step += 1
            print(step, math.exp(min(20, loss.item() * args.accumulate)))
        if step >= args.steps:
            break


if __name__ == "__main__":
    main()
