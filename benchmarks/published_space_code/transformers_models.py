"""Configurations of Hugging Face transformers: the library's own model code, with the sizes that a sweep varies."""

import transformers as t


def bert(hidden, heads, depth, inner):
    return t.BertModel(
        t.BertConfig(
            vocab_size=100, hidden_size=hidden, num_attention_heads=heads, num_hidden_layers=depth,
            intermediate_size=inner, max_position_embeddings=64,
        )
    )  # fmt: skip


def gpt2(hidden, heads, depth, positions):
    return t.GPT2Model(t.GPT2Config(vocab_size=100, n_embd=hidden, n_head=heads, n_layer=depth, n_positions=positions))


def vit(hidden, heads, depth, image, patch):
    return t.ViTModel(
        t.ViTConfig(
            hidden_size=hidden, num_attention_heads=heads, num_hidden_layers=depth, intermediate_size=2 * hidden,
            image_size=image, patch_size=patch,
        )
    )  # fmt: skip


def llama(hidden, heads, kv, depth, inner):
    return t.LlamaModel(
        t.LlamaConfig(
            vocab_size=100, hidden_size=hidden, num_attention_heads=heads, num_key_value_heads=kv,
            num_hidden_layers=depth, intermediate_size=inner,
        )
    )  # fmt: skip


def distilbert(hidden, heads, depth, inner):
    return t.DistilBertModel(
        t.DistilBertConfig(
            vocab_size=100, dim=hidden, n_heads=heads, n_layers=depth, hidden_dim=inner, max_position_embeddings=64
        )
    )


def convnext(width, growth, stages, patch):
    sizes = [int(width * growth**i) for i in range(stages)]
    return t.ConvNextModel(
        t.ConvNextConfig(hidden_sizes=sizes, depths=[1] * stages, num_stages=stages, patch_size=patch)
    )


def wav2vec2(channels, hidden, heads, kernel, groups):
    return t.Wav2Vec2Model(
        t.Wav2Vec2Config(
            vocab_size=32, hidden_size=hidden, num_hidden_layers=1, num_attention_heads=heads, intermediate_size=64,
            conv_dim=(channels, channels), conv_stride=(5, 2), conv_kernel=(10, kernel),
            num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=groups,
        )
    )  # fmt: skip
