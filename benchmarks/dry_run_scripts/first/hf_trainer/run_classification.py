from dataclasses import dataclass, field
from typing import Optional

import numpy as np
import torch
from datasets import load_dataset
from torch import nn
from transformers import (
    AutoModel,
    AutoTokenizer,
    DataCollatorWithPadding,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)
from transformers.modeling_outputs import SequenceClassifierOutput


@dataclass
class ModelArguments:
    model_name: str = field(default="bert-base-uncased")
    max_length: int = field(default=128)
    max_train_samples: Optional[int] = field(default=None)


class Classifier(nn.Module):
    def __init__(self, name, num_labels):
        super().__init__()
        self.backbone = AutoModel.from_pretrained(name)
        self.head = nn.Sequential(nn.Linear(768, 256), nn.Tanh(), nn.Dropout(0.1), nn.Linear(256, num_labels))

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None):
        hidden = self.backbone(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).float()
        pooled = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-6)
        logits = self.head(pooled)
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return SequenceClassifierOutput(loss=loss, logits=logits)


def compute_metrics(pred):
    return {"accuracy": float((np.argmax(pred.predictions, axis=1) == pred.label_ids).mean())}


def main():
    parser = HfArgumentParser(ModelArguments)
    (args,) = parser.parse_args_into_dataclasses()
    tokenizer = AutoTokenizer.from_pretrained(args.model_name)
    raw = load_dataset("imdb")

    def encode(batch):
        return tokenizer(batch["text"], truncation=True, max_length=args.max_length)

    data = raw.map(encode, batched=True, remove_columns=["text"])
    train = data["train"]
    if args.max_train_samples is not None:
        train = train.select(range(args.max_train_samples))
    training = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=16,
        num_train_epochs=3,
        learning_rate=2e-5,
        report_to="none",
    )
    trainer = Trainer(
        model=Classifier(args.model_name, 2),
        args=training,
        train_dataset=train,
        eval_dataset=data["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    trainer.evaluate()
    torch.save(trainer.model.state_dict(), "classifier.pt")


if __name__ == "__main__":
    main()
