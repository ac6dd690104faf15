"""Models, tokenizers and data sets of the Hugging Face hub that are not here: well-known ones by their published sizes.

A model has its configuration and no trained weights; a tokenizer as many tokens, and knows no word; a data set its
columns, and rows that are made up.
"""

from __future__ import annotations

import functools
import os
from typing import Any

from .known_models import COLUMNS, CONFIGURATIONS, PUBLISHERS
from .records import cell

ROWS = 400
_WORDS = ("the", "a", "film", "that", "nobody", "saw", "was", "good", "and", "long", "as", "they", "say", "of", "it")
_PAIRED = ("bert", "albert", "electra", "deberta-v2")  # which tell two sentences apart


def adapters(progress: Any) -> dict[str, Any]:
    return {
        "transformers.configuration_utils": lambda module: _configurations(module, progress),
        "transformers.modeling_utils": lambda module: _models(module, progress),
        "transformers.tokenization_utils_base": lambda module: _tokenizers(module.PreTrainedTokenizerBase, progress),
        "transformers.models.auto.tokenization_auto": lambda module: _tokenizers(module.AutoTokenizer, progress),
        "datasets": lambda datasets: _data_sets(datasets, progress),
    }


def known(name: Any) -> dict[str, Any] | None:
    """The configuration of a published model, under its own name or that of those who published it."""
    if not isinstance(name, str) or os.path.isdir(name):
        return None
    publisher, _, model = name.rpartition("/")
    return CONFIGURATIONS.get(model) if publisher in PUBLISHERS else None


def _configurations(module: Any, progress: Any) -> None:
    kind = getattr(module, "PreTrainedConfig", None) or module.PretrainedConfig
    plain = kind.get_config_dict.__func__

    def get_config_dict(cls: Any, /, name: Any, **options: Any) -> Any:
        found = known(name)
        if found is None:
            return plain(cls, name, **options)
        progress.inventions.tell(f"the weights of {name}")
        kept = {k: v for k, v in options.items() if k not in _OF_LOADING}
        return dict(found), kept

    kind.get_config_dict = classmethod(get_config_dict)


_OF_LOADING = (
    "cache_dir", "force_download", "proxies", "token", "use_auth_token", "local_files_only", "revision", "subfolder",
    "trust_remote_code", "_from_auto", "_from_pipeline", "_commit_hash", "code_revision", "user_agent",
)  # fmt: skip
_OF_WEIGHTS = (
    *_OF_LOADING, "torch_dtype", "dtype", "device_map", "low_cpu_mem_usage", "ignore_mismatched_sizes",
    "use_safetensors", "output_loading_info", "quantization_config", "attn_implementation", "state_dict",
    "adapter_kwargs", "from_tf",
)  # fmt: skip


def _models(module: Any, progress: Any) -> None:
    model = module.PreTrainedModel
    plain = model.from_pretrained.__func__

    def from_pretrained(cls: Any, /, name: Any, *args: Any, config: Any = None, **options: Any) -> Any:
        if known(name) is None:
            return plain(cls, name, *args, config=config, **options)
        progress.inventions.tell(f"the weights of {name}")
        loading_info = options.get("output_loading_info")
        options = {k: v for k, v in options.items() if k not in _OF_WEIGHTS}
        if config is None:
            config, options = cls.config_class.from_pretrained(name, return_unused_kwargs=True, **options)
        made = cls(config, *args, **options).eval()
        return (made, {}) if loading_info else made

    model.from_pretrained = classmethod(from_pretrained)


def _tokenizers(kind: Any, progress: Any) -> None:
    plain = kind.from_pretrained.__func__

    def from_pretrained(cls: Any, /, name: Any, *args: Any, **options: Any) -> Any:
        found = known(name)
        if found is None or not ({"vocab_size"} & set(found)):
            return plain(cls, name, *args, **options)
        progress.inventions.tell(f"the words of {name}")
        progress.inventions.contents = True
        return _tokenizer(found)

    kind.from_pretrained = classmethod(from_pretrained)


def _tokenizer(configuration: dict[str, Any]) -> Any:
    """A tokenizer of as many tokens as the published one, to which every word is unknown."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    family = configuration["model_type"]
    if family == "gpt2":
        named = {"unk_token": "<|endoftext|>", "bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}
    elif family in ("roberta", "xlm-roberta", "bart"):
        named = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>",
                 "mask_token": "<mask>", "cls_token": "<s>", "sep_token": "</s>"}  # fmt: skip
    elif family == "t5":
        named = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    else:
        named = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]",
                 "mask_token": "[MASK]"}  # fmt: skip
    tokens = list(dict.fromkeys([*named.values()]))
    tokens += [f"token{number}" for number in range(configuration["vocab_size"] - len(tokens))]
    numbers = {token: number for number, token in enumerate(tokens)}
    inner = Tokenizer(models.WordLevel(numbers, unk_token=named["unk_token"]))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    first, last = named.get("cls_token", ""), named.get("sep_token", named["eos_token"] if family == "t5" else "")
    if last:
        inner.post_processor = processors.TemplateProcessing(
            single=f"{first} $A {last}".strip(),
            pair=f"{first} $A {last} $B:1 {last}:1".strip(),
            special_tokens=[(token, numbers[token]) for token in {first, last} - {""}],
        )
    inputs = ["input_ids", *(["token_type_ids"] if family in _PAIRED else []), "attention_mask"]
    longest = configuration.get("max_position_embeddings", 1024 if family in ("gpt2", "bart") else 512)
    longest -= 2 * (family in ("roberta", "xlm-roberta"))
    return PreTrainedTokenizerFast(tokenizer_object=inner, model_input_names=inputs, model_max_length=longest, **named)


# --------------------------------------------------------------------------------------------------- data sets


def _data_sets(datasets: Any, progress: Any) -> None:
    plain = datasets.load_dataset

    @functools.wraps(plain)
    def load_dataset(path: Any, name: Any = None, *args: Any, split: Any = None, **options: Any) -> Any:
        key = str(path).rpartition("/")[2]
        found = COLUMNS.get(f"{key}/{name}") or COLUMNS.get(key)
        inventions = progress.inventions
        if found is None and inventions.keys and path not in ("imagefolder", "audiofolder", "parquet", "arrow"):
            found = (("train", "validation", "test"), dict.fromkeys(inventions.keys))  # what the script asks rows for
        files = options.get("data_files")
        here = os.path.exists(str(path)) or any(os.path.exists(f) for f in _paths(files))
        if found is None or here or options.get("streaming") or not progress.missed_by_project():
            return plain(path, name, *args, split=split, **options)
        progress.inventions.tell(f"the rows of {path}")
        progress.inventions.contents = True
        splits, columns = found
        if isinstance(files, dict):
            splits = tuple(files)

        def part(asked: str) -> Any:
            varied = progress.inventions.varied
            rows = range(ROWS + 37 * varied)
            made = {
                name: [
                    cell(name, row, varied, inventions.declared) if kind is None else _cell(kind, row, varied)
                    for row in rows
                ]
                for name, kind in columns.items()
            }
            kinds = datasets.Dataset.from_dict({name: column[:2] for name, column in made.items()}).features
            for name, kind in columns.items():
                if isinstance(kind, int):
                    kinds[name] = datasets.ClassLabel(num_classes=kind)
            return datasets.Dataset.from_dict(made, features=kinds)

        if split is None:
            return datasets.DatasetDict({each: part(each) for each in splits})
        asked = split if isinstance(split, (list, tuple)) else [split]
        if not all(isinstance(each, str) for each in asked):
            return plain(path, name, *args, split=split, **options)
        made = [part(each) for each in asked]
        return made if isinstance(split, (list, tuple)) else made[0]

    datasets.load_dataset = load_dataset


def _paths(files: Any) -> list[str]:
    """The files that a data set is to be read from."""
    if isinstance(files, dict):
        return [path for each in files.values() for path in _paths(each)]
    if isinstance(files, (list, tuple)):
        return [path for each in files for path in _paths(each)]
    return [os.fspath(files)] if isinstance(files, (str, os.PathLike)) else []


def _cell(kind: Any, row: int, varied: bool) -> Any:
    if isinstance(kind, int):
        return row % kind  # one of so many classes
    if kind == "float":
        return (row % 50) / 10
    known = len(_WORDS) - 4 * varied  # another attempt has fewer words, and longer texts
    words = [_WORDS[(row + 3 * place) % known] for place in range(12 + 5 * varied + row % 29)]
    if kind == "tokens":
        return words
    if isinstance(kind, list):
        return [(row + place) % kind[0] for place in range(len(words))]
    if kind == "answers":
        return {"text": [words[2]], "answer_start": [len(words[0]) + len(words[1]) + 2]}
    return str(row) if kind == "id" else " ".join(words)
