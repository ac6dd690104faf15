"""Entry points of transformers: small models with the losses that they compute themselves."""

import torch
import transformers as t

SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
SERIES = {
    "prediction_length": 4,
    "context_length": 8,
    "lags_sequence": [1, 2],
    "d_model": 8,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 8,
    "decoder_ffn_dim": 8,
    "num_time_features": 1,
}


class Loss(torch.nn.Module):
    """The loss of a model, from inputs by position."""

    def __init__(self, model, *names, **options):
        super().__init__()
        self.model, self.names, self.options = model, names, options

    def forward(self, *values):
        return self.model(**dict(zip(self.names, values, strict=True)), **self.options).loss


def _ids(*shape):
    return torch.randint(3, 30, shape or (2, 8))


def _series():
    past = (torch.randn(2, 10).cumsum(1), torch.randn(2, 10, 1), torch.ones(2, 10))
    return (*past, torch.randn(2, 4).cumsum(1), torch.randn(2, 4, 1))


_SERIES = ("past_values", "past_time_features", "past_observed_mask", "future_values", "future_time_features")


def student_series():
    model = t.TimeSeriesTransformerForPrediction(t.TimeSeriesTransformerConfig(**SERIES))
    return Loss(model, *_SERIES), _series()


def normal_series():
    config = t.TimeSeriesTransformerConfig(distribution_output="normal", scaling="std", **SERIES)
    return Loss(t.TimeSeriesTransformerForPrediction(config), *_SERIES), _series()


def counted_series():
    config = t.TimeSeriesTransformerConfig(distribution_output="negative_binomial", **SERIES)
    past = (torch.randint(0, 20, (2, 10)).float(), torch.randn(2, 10, 1), torch.ones(2, 10))
    rest = (torch.randint(0, 20, (2, 4)).float(), torch.randn(2, 4, 1))
    return Loss(t.TimeSeriesTransformerForPrediction(config), *_SERIES), (*past, *rest)


PATCHED = {
    "num_input_channels": 2,
    "context_length": 16,
    "patch_length": 4,
    "patch_stride": 4,
    "d_model": 8,
    "prediction_length": 4,
}


def _forecast(model):
    return Loss(model, "past_values", "future_values"), (torch.randn(2, 16, 2), torch.randn(2, 4, 2))


def patched_series():
    config = t.PatchTSTConfig(
        **PATCHED,
        num_attention_heads=2,
        num_hidden_layers=1,
        ffn_dim=8,
        loss="nll",
        distribution_output="student_t",
    )
    return _forecast(t.PatchTSTForPrediction(config))


def mixed_series():
    return _forecast(
        t.PatchTSMixerForPrediction(t.PatchTSMixerConfig(**PATCHED, num_layers=1, scaling="std", gated_attn=True))
    )


def contrastive():
    text = t.CLIPTextConfig(vocab_size=30, max_position_embeddings=8, bos_token_id=1, eos_token_id=2, **SMALL)
    vision = t.CLIPVisionConfig(image_size=8, patch_size=4, **SMALL)
    model = t.CLIPModel(t.CLIPConfig(text_config=text.to_dict(), vision_config=vision.to_dict(), projection_dim=8))
    return Loss(model, "input_ids", "pixel_values", return_loss=True), (_ids(), torch.randn(2, 3, 8, 8))


def sigmoid_pairs():
    text = t.SiglipTextConfig(vocab_size=30, max_position_embeddings=8, bos_token_id=1, eos_token_id=2, **SMALL)
    vision = t.SiglipVisionConfig(image_size=8, patch_size=4, **SMALL)
    model = t.SiglipModel(t.SiglipConfig(text_config=text.to_dict(), vision_config=vision.to_dict()))
    return Loss(model, "input_ids", "pixel_values", return_loss=True), (_ids(), torch.randn(2, 3, 8, 8))


def masked_pixels():
    config = t.ViTMAEConfig(
        image_size=8,
        patch_size=4,
        decoder_hidden_size=16,
        decoder_num_hidden_layers=1,
        decoder_num_attention_heads=2,
        decoder_intermediate_size=16,
        norm_pix_loss=True,
        **SMALL,
    )
    model = t.ViTMAEForPreTraining(config)
    return Loss(model, "pixel_values", "noise"), (torch.randn(2, 3, 8, 8), torch.rand(2, 4))


def several_labels():
    config = t.BertConfig(vocab_size=30, num_labels=4, problem_type="multi_label_classification", **SMALL)
    labels = (torch.rand(2, 4) > 0.5).float()
    mask = torch.ones(2, 8)
    return Loss(t.BertForSequenceClassification(config), "input_ids", "attention_mask", "labels"), (
        _ids(),
        mask,
        labels,
    )


def spans():
    config = t.DistilBertConfig(vocab_size=30, dim=16, n_layers=1, n_heads=2, hidden_dim=16)
    places = (torch.tensor([1, 2]), torch.tensor([3, 5]))
    return Loss(t.DistilBertForQuestionAnswering(config), "input_ids", "start_positions", "end_positions"), (
        _ids(),
        *places,
    )


def segments():
    config = t.SegformerConfig(
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[2, 1],
        hidden_sizes=[8, 8],
        patch_sizes=[3, 3],
        strides=[2, 2],
        num_attention_heads=[1, 1],
        mlp_ratios=[2, 2],
        decoder_hidden_size=8,
        num_labels=3,
    )
    model = t.SegformerForSemanticSegmentation(config)
    return Loss(model, "pixel_values", "labels"), (torch.randn(1, 3, 16, 16), torch.randint(0, 3, (1, 16, 16)))


def routed_experts():
    config = t.MixtralConfig(
        vocab_size=30,
        num_key_value_heads=2,
        num_local_experts=2,
        num_experts_per_tok=1,
        output_router_logits=True,
        **SMALL,
    )
    ids = _ids()
    return Loss(t.MixtralForCausalLM(config), "input_ids", "labels", use_cache=False), (ids, ids.clone())


def state_space():
    config = t.MambaConfig(vocab_size=30, hidden_size=16, state_size=4, num_hidden_layers=1, time_step_rank=4)
    ids = _ids()
    return Loss(t.MambaForCausalLM(config), "input_ids", "labels", use_cache=False), (ids, ids.clone())


def speech():
    config = t.Wav2Vec2Config(
        vocab_size=10,
        conv_dim=(8, 8),
        conv_stride=(4, 2),
        conv_kernel=(8, 4),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        apply_spec_augment=False,
        ctc_loss_reduction="mean",
        **SMALL,
    )
    return Loss(t.Wav2Vec2ForCTC(config), "input_values", "labels"), (torch.randn(1, 200), torch.randint(1, 10, (1, 4)))


def speaker():
    config = t.Wav2Vec2Config(
        conv_dim=(8, 8),
        conv_stride=(4, 2),
        conv_kernel=(8, 4),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        apply_spec_augment=False,
        tdnn_dim=(8, 8),
        tdnn_kernel=(3, 1),
        tdnn_dilation=(1, 1),
        xvector_output_dim=8,
        num_labels=3,
        **SMALL,
    )
    return Loss(t.Wav2Vec2ForXVector(config), "input_values", "labels"), (torch.randn(2, 200), torch.tensor([0, 2]))
