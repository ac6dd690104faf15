"""Entry points of nano-deepseek-v4: its language model of sparse attention and experts, with losses of training."""

import torch
from nano_deepseek_v4 import DeepSeekV4Config, DeepSeekV4ForCausalLM
from nano_deepseek_v4.training import compute_distillation_loss, compute_grpo_loss


def _model(layers=2, **options):
    sizes = {"vocab_size": 24, "hidden_size": 16, "moe_intermediate_size": 16, "head_dim": 8, "q_lora_rank": 8}
    experts = {"n_routed_experts": 4, "num_hash_layers": 1, "hc_mult": 2, "hc_sinkhorn_iters": 3, "o_lora_rank": 8}
    return DeepSeekV4ForCausalLM(DeepSeekV4Config(num_hidden_layers=layers, **sizes, **experts, **options))


def _words():
    """Two texts, of which the second ends early."""
    words = torch.randint(2, 24, (2, 12))
    words[1, 8:] = 1
    return words


class _Tuned(torch.nn.Module):
    """Only the answer counts, the question and padding are -100."""

    def __init__(self):
        super().__init__()
        self.model = _model()

    def forward(self, words, mask, labels):
        return self.model(words, attention_mask=mask, labels=labels).loss


def tuned():
    words = _words()
    labels = words.clone()
    labels[:, :4], labels[1, 9:] = -100, -100
    mask = torch.ones(2, 12, dtype=torch.long)
    mask[1, 9:] = 0
    return _Tuned(), (words, mask, labels)


class _Rewarded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _model(num_nextn_predict_layers=0)

    def forward(self, words, answers, rewards, groups, old, reference):
        logits = self.model(words).logits
        return compute_grpo_loss(logits, words, answers, rewards, groups, old, reference, kl_beta=0.1).loss


def rewarded():
    """Four answers to two questions; old probabilities are those of words near to evenly drawn."""
    words, answers = torch.randint(2, 24, (4, 8)), torch.ones(4, 8, dtype=torch.bool)
    answers[:, :3] = False
    old = torch.log(torch.rand(4, 7) * 0.05 + 0.02)
    rewards, groups = torch.tensor([1.0, 0.0, 0.5, 0.5]), torch.tensor([0, 0, 1, 1])
    return _Rewarded(), (words, answers, rewards, groups, old, old + 0.1 * torch.randn(4, 7))


class _Distilled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.student, self.teacher = _model(1), _model()

    def forward(self, words, labels):
        student, teacher = self.student(words).logits, self.teacher(words).logits
        options = {"temperature": 2.0, "hard_loss_weight": 0.5}
        return compute_distillation_loss(student, teacher, labels, **options).loss


def distilled():
    words = _words()
    labels = torch.cat([words[:, 1:], torch.full((2, 1), -100)], 1)
    return _Distilled(), (words, labels)
