"""The defects of the corpus: what is expected of each, in every form in which programs have it."""

from __future__ import annotations

from dataclasses import dataclass

FORMS = ("torch", "keras", "tf2", "tf1")


@dataclass(frozen=True)
class Case:
    """A family of defects: its rule, and a part of the source text that its suggested change must hold.

    `elsewhere` names forms in which the failing operator carries another rule, `mended_otherwise` those in which the
    change is another; `forms` those in which the defect is written.
    """

    name: str
    rule: str
    mended: str
    forms: tuple[str, ...] = FORMS
    elsewhere: tuple[tuple[str, str], ...] = ()
    mended_otherwise: tuple[tuple[str, str], ...] = ()

    def mended_in(self, form: str) -> str:
        return dict(self.mended_otherwise).get(form, self.mended)

    def rule_in(self, form: str) -> str:
        return dict(self.elsewhere).get(form, self.rule)


LOG, DIVISION, EXP = "log-of-nonpositive", "division-by-zero", "exp-overflow"
CASES = (
    Case("log_of_softmax", LOG, "log_softmax(logits"),
    Case("log_of_softmax_in_one_line", LOG, "log_softmax(logits"),
    Case("log_of_one_minus_sigmoid", LOG, "sigmoid(-"),
    Case("softmax_by_hand", EXP, "softmax(logits"),
    Case("kernel_weights", DIVISION, "softmax("),
    Case("epsilon_lost", LOG, "sigmoid(-logits)"),
    Case("clip_discarded", LOG, "sigmoid(logits)"),
    Case("clip_from_data", LOG, "1e-12"),
    Case("one_of_two_logs", LOG, "sigmoid(-logits)"),
    Case("one_of_two_exps", EXP, "80"),
    Case("sqrt_of_exp", "gradient-of-sqrt-at-zero", "exp(log_variance / 2)"),
    Case("free_energy", EXP, "softplus("),
    Case("trainable_gain", DIVISION, "where("),
    Case("column_sum", DIVISION, "1e-08"),
    Case("log_of_encoder", LOG, "1e-12"),
    Case("divergence", DIVISION, "1e-08"),
    Case("entropy", LOG, "log_softmax("),
    Case("cosine_similarity", DIVISION, "1e-08"),
    Case("deviation_of_one", DIVISION, "1e-08"),
    Case("sample_deviation", DIVISION, "maximum(others, 1)", mended_otherwise=(("torch", "correction=0"),)),
    Case("masked_attention", "softmax-of-minus-infinity", "-1e9"),
    Case("half_precision", "overflow", "float"),
    Case("distance", "gradient-of-sqrt-at-zero", "+ 1e-12)", mended_otherwise=(("torch", "1e-12"),)),
    Case("signed_root", "gradient-of-pow-at-zero", "1e-06"),
    Case("angle", "gradient-of-acos-at-edge", "0.9999999"),
    Case("untaken_branch", "where-leaks-nan-gradient", "1e-12"),
    Case("root_mean_square", DIVISION, "rsqrt((", forms=("torch",)),
    Case("adversarial", LOG, "sigmoid(-", forms=("torch",)),
    Case("linear_attention", DIVISION, "1e-08", forms=("torch",)),
    Case("gumbel_noise", LOG, "1e-12", forms=("torch",)),
)
