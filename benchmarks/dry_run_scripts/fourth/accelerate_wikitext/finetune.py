from itertools import chain

import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel, default_data_collator

BLOCK = 64


class WithAdapter(torch.nn.Module):
    def __init__(self, inner, rank=8):
        super().__init__()
        self.inner = inner
        width, vocab = inner.config.n_embd, inner.config.vocab_size
        self.down, self.up = torch.nn.Linear(width, rank), torch.nn.Linear(rank, vocab)

    def forward(self, input_ids, labels, **rest):
        out = self.inner(input_ids=input_ids, output_hidden_states=True)
        logits = out.logits + self.up(self.down(out.hidden_states[-1]))
        return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2)
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    raw = load_dataset("wikitext", "wikitext-2-raw-v1", split="train")
    tokens = raw.map(lambda e: tokenizer(e["text"]), batched=True, remove_columns=raw.column_names)

    def group(examples):
        joined = list(chain(*examples["input_ids"]))
        total = len(joined) // BLOCK * BLOCK
        ids = [joined[i : i + BLOCK] for i in range(0, total, BLOCK)]
        return {"input_ids": ids, "labels": [list(i) for i in ids]}

    blocks = tokens.map(group, batched=True, remove_columns=tokens.column_names)
    loader = DataLoader(blocks, batch_size=4, shuffle=True, collate_fn=default_data_collator)
    config = GPT2Config(vocab_size=len(tokenizer), n_embd=128, n_layer=2, n_head=4, n_positions=BLOCK)
    model = WithAdapter(GPT2LMHeadModel(config))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.print(loss.item())


if __name__ == "__main__":
    main()
