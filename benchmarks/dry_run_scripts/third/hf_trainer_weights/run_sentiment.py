import csv
from dataclasses import dataclass, field

import numpy as np
import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    set_seed,
)


@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="bert-base-uncased")
    num_labels: int = field(default=3)


@dataclass
class DataArguments:
    train_file: str = field(default="data/train.csv")
    max_length: int = field(default=48)


class ReviewDataset(torch.utils.data.Dataset):
    def __init__(self, path, tokenizer, max_length):
        with open(path, newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        self.labels = [int(row["label"]) for row in rows]
        self.encodings = tokenizer(
            [row["text"] for row in rows], truncation=True, padding="max_length", max_length=max_length
        )

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        item = {k: torch.tensor(v[i]) for k, v in self.encodings.items()}
        item["labels"] = torch.tensor(self.labels[i])
        return item


class WeightedTrainer(Trainer):
    class_weights = torch.tensor([1.0, 2.0, 1.5])

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss_fct = torch.nn.CrossEntropyLoss(weight=self.class_weights.to(outputs.logits.device))
        loss = loss_fct(outputs.logits.view(-1, self.model.config.num_labels), labels.view(-1))
        return (loss, outputs) if return_outputs else loss


def compute_metrics(pred):
    predictions = np.argmax(pred.predictions, axis=-1)
    return {"accuracy": float((predictions == pred.label_ids).mean())}


def main():
    parser = HfArgumentParser((ModelArguments, DataArguments))
    model_args, data_args = parser.parse_args_into_dataclasses()
    set_seed(42)
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    model = AutoModelForSequenceClassification.from_pretrained(
        model_args.model_name_or_path, num_labels=model_args.num_labels
    )
    train = ReviewDataset(data_args.train_file, tokenizer, data_args.max_length)
    training_args = TrainingArguments(
        output_dir="out", num_train_epochs=2, per_device_train_batch_size=16, learning_rate=5e-5,
        logging_steps=10, save_strategy="no", report_to="none",
    )
    trainer = WeightedTrainer(
        model=model, args=training_args, train_dataset=train, eval_dataset=train, compute_metrics=compute_metrics
    )
    trainer.train()
    print(trainer.evaluate())
    trainer.save_model("out/final")


if __name__ == "__main__":
    main()
