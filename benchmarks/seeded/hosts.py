"""Training modules into which defects are seeded: each defines the variables of the roles that it offers.

`setup` are lines of `__init__`, `forward` lines of the forward pass behind `def forward(self, {inputs})`, `loss` is what
the module itself is trained on.
"""

# ruff: noqa: E501 (a line of a program is one line here)
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Host:
    """A module; `inputs` are names and the expressions of their examples."""

    name: str
    roles: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]
    setup: str
    forward: str
    loss: str


X = ("x", "torch.randn(4, 8)")
LABELS = ("labels", "torch.eye(4)")
MASK = ("mask", "(torch.rand(4, 6) > 0.3).float()")
IMAGES = ("images", "torch.rand(2, 1, 8, 8)")
CROSS_ENTROPY = "-(labels * F.log_softmax(scores, dim=1)).sum(1).mean()"

HOSTS = (
    Host("Classifier", ("scores", "rows"), (X, LABELS),
         "self.inner = nn.Linear(8, 16)\nself.outer = nn.Linear(16, 4)",
         "rows = F.relu(self.inner(x))\nscores = self.outer(rows)", CROSS_ENTROPY),
    Host("ConvolutionalClassifier", ("scores", "rows"), (("images", "torch.rand(4, 1, 8, 8)"), LABELS),
         "self.body = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))\n"
         "self.outer = nn.Linear(4, 4)",
         "rows = self.body(images).mean((2, 3))\nscores = self.outer(rows)", CROSS_ENTROPY),
    Host("Distillation", ("scores",), (X, LABELS, ("teacher", "torch.randn(4, 4)")),
         "self.student = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 4))",
         "scores = self.student(x)\nsoft = F.softmax(teacher / 4.0, dim=1)",
         "-(soft * F.log_softmax(scores / 4.0, dim=1)).sum(1).mean()"),
    Host("Discriminator", ("scores", "rows"), (("real", "torch.randn(4, 8)"), ("fake", "torch.randn(4, 8)"), LABELS),
         "self.judge = nn.Sequential(nn.Linear(8, 8), nn.LeakyReLU(0.2))\nself.head = nn.Linear(8, 4)",
         "rows = F.relu(self.judge(fake))\nscores = self.head(rows)\ngenuine = self.head(self.judge(real))",
         "F.softplus(-genuine).mean()"),
    Host("ActorCritic", ("scores", "advantages", "actions"),
         (("state", "torch.randn(4, 8)"), LABELS, ("returns", "torch.randn(4)"), ("old", "-torch.rand(4)"),
          ("raw", "torch.randn(4, 2)"), ("action", "torch.rand(4, 2)")),
         "self.trunk = nn.Linear(8, 8)\nself.actor = nn.Linear(8, 4)\nself.critic = nn.Linear(8, 1)",
         "hidden = torch.tanh(self.trunk(state))\nscores = self.actor(hidden)\nvalue = self.critic(hidden).squeeze(1)\n"
         "advantages = returns - value.detach()\ntaken = (labels * F.log_softmax(scores, 1)).sum(1)",
         "(returns - value).pow(2).mean()"),
    Host("Attention", ("attention", "rows", "counts"), (("tokens", "torch.randn(4, 6, 8)"), MASK),
         "self.query, self.key, self.value = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)\n"
         "self.norm = nn.LayerNorm(8)",
         "normed = self.norm(tokens)\nq, k, v = self.query(normed), self.key(normed), self.value(normed)\n"
         "affinity = q @ k.transpose(1, 2) / 8**0.5\nrows = F.relu(v).mean(1)\nsequence = v",
         "(F.softmax(affinity, -1) @ v).pow(2).mean()"),
    Host("CrossAttention", ("attention",), (("tokens", "torch.randn(4, 6, 8)"), ("memory", "torch.randn(4, 6, 8)"), MASK),
         "self.query, self.both = nn.Linear(8, 8), nn.Linear(8, 16)",
         "q = self.query(tokens)\nk, v = self.both(memory).chunk(2, dim=-1)\naffinity = torch.einsum('bid,bjd->bij', q, k)",
         "(F.softmax(affinity * 0.35, -1) @ v).pow(2).mean()"),
    Host("Tagger", ("counts", "rows"), (("tokens", "torch.randn(4, 6, 8)"), MASK),
         "self.mix = nn.Conv1d(8, 8, 3, padding=1)\nself.tag = nn.Linear(8, 8)",
         "sequence = torch.tanh(self.mix(tokens.transpose(1, 2))).transpose(1, 2)\nsequence = self.tag(sequence)\n"
         "rows = F.relu(sequence[:, 0])", "sequence.pow(2).mean()"),
    Host("GraphNetwork", ("counts", "rows"), (("tokens", "torch.randn(4, 6, 8)"), MASK),
         "self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)",
         "sequence = F.elu(self.first(tokens))\nrows = F.relu(self.second(sequence)).amax(1)", "sequence.mean()"),
    Host("VariationalEncoder", ("spread", "probabilities"), (("pixels", "torch.rand(4, 8)"), ("noise", "torch.randn(4, 3)")),
         "self.encode = nn.Sequential(nn.Linear(8, 8), nn.ReLU())\nself.middle, self.width = nn.Linear(8, 3), nn.Linear(8, 3)\n"
         "self.gain = nn.Parameter(torch.full((1,), 40.0))\nself.decode = nn.Linear(3, 8)",
         "hidden = self.encode(pixels)\nmean, spread = self.middle(hidden), self.gain * self.width(hidden)\n"
         "target = noise\np = torch.sigmoid(self.gain * self.decode(mean))\nt = (pixels > 0.5).float()",
         "mean.pow(2).mean()"),
    Host("MixtureDensity", ("spread", "scores"), (X, ("target", "torch.randn(4, 3)"), LABELS),
         "self.hidden = nn.Linear(8, 8)\nself.weigh, self.middle, self.width = nn.Linear(8, 4), nn.Linear(8, 3), nn.Linear(8, 3)",
         "hidden = F.relu(self.hidden(x))\nscores, mean, spread = self.weigh(hidden), self.middle(hidden), self.width(hidden)",
         CROSS_ENTROPY),
    Host("AffineFlow", ("spread",), (("target", "torch.randn(4, 3)"), ("context", "torch.randn(4, 5)")),
         "self.condition = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 6))",
         "mean, spread = self.condition(context).chunk(2, dim=1)", "(target - mean).pow(2).mean()"),
    Host("CountRegression", ("spread", "rows"), (X, ("target", "torch.randn(4, 3)")),
         "self.hidden = nn.Linear(8, 8)\nself.rate, self.other = nn.Linear(8, 3), nn.Linear(8, 3)",
         "rows = F.relu(self.hidden(x))\nspread, mean = self.rate(rows), self.other(rows)", "mean.pow(2).mean()"),
    Host("Contrastive", ("pair", "rows"), (("one", "torch.randn(4, 8)"), ("two", "torch.randn(4, 8)")),
         "self.encode = nn.Linear(8, 8)\nself.project = nn.Linear(8, 5)",
         "rows = F.relu(self.encode(one))\nfirst = self.project(rows)\nsecond = self.project(F.relu(self.encode(two)))",
         "(first - second).pow(2).mean()"),
    Host("Triplet", ("pair",), (("one", "torch.randn(4, 8)"), ("two", "torch.randn(4, 8)"), ("other", "torch.randn(4, 8)")),
         "self.embed = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 5))",
         "first, second, third = self.embed(one), self.embed(two), self.embed(other)",
         "F.relu(1 + (first - second).pow(2).sum(1) - (first - third).pow(2).sum(1)).mean()"),
    Host("Factorization", ("pair",), (("users", "torch.tensor([0, 1, 2, 3])"), ("items", "torch.tensor([3, 2, 1, 0])")),
         "self.people, self.things = nn.Embedding(9, 5), nn.Embedding(9, 5, padding_idx=0)",
         "first, second = F.relu(self.people(users)), F.relu(self.things(items))", "(first * second).sum(1).mean()"),
    Host("Prototypes", ("pair", "rows"), (("query", "torch.randn(4, 8)"), ("support", "torch.randn(4, 3, 8)")),
         "self.embed = nn.Linear(8, 5)",
         "first = self.embed(query)\nsecond = self.embed(support).mean(1)\nrows = F.relu(first)",
         "(first - second).pow(2).sum(1).mean()"),
    Host("PointCloud", ("pair",), (("cloud", "torch.randn(4, 3)"), ("moved", "torch.randn(4, 3)")),
         "self.flow = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))",
         "first, second = cloud + self.flow(cloud), moved", "(first - second).abs().mean()"),
    Host("Segmentation", ("probabilities",), (IMAGES, ("target_map", "(torch.rand(2, 1, 8, 8) > 0.5).float()")),
         "self.down = nn.Conv2d(1, 4, 3, padding=1, stride=2)\nself.up = nn.ConvTranspose2d(4, 1, 2, stride=2)\n"
         "self.gain = nn.Parameter(torch.full((1,), 60.0))",
         "p = torch.sigmoid(self.gain * self.up(F.relu(self.down(images)))).flatten(1)\nt = target_map.flatten(1)", "(p - t).pow(2).mean()"),
    Host("Matting", ("probabilities",), (X, ("target_map", "(torch.rand(4, 6) > 0.5).float()")),
         "self.head = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 6))",
         "p = torch.sigmoid(self.head(x))\nt = target_map", "(p - t).abs().mean()"),
    Host("Detector", ("boxes",), (("features", "torch.randn(4, 8)"), ("truth", "torch.rand(4, 4)")),
         "self.centre, self.size = nn.Linear(8, 2), nn.Linear(8, 2)",
         "middle, size = torch.sigmoid(self.centre(features)), F.relu(self.size(features))\n"
         "wanted_middle, wanted = truth[:, :2], truth[:, 2:]", "(middle - wanted_middle).abs().mean()"),
    Host("AnchorHead", ("boxes",), (("features", "torch.randn(2, 4, 3, 3)"), ("truth", "torch.rand(2, 4, 9)")),
         "self.head = nn.Conv2d(4, 4, 1)",
         "raw = self.head(features).flatten(2)\nmiddle, size = raw[:, :2].sigmoid().transpose(1, 2), F.relu(raw[:, 2:]).transpose(1, 2)\n"
         "wanted_middle, wanted = truth[:, :2].transpose(1, 2), truth[:, 2:].transpose(1, 2)", "(middle - wanted_middle).pow(2).mean()"),
    Host("Capsules", ("rows",), (("images", "torch.rand(4, 1, 8, 8)"),),
         "self.primary = nn.Conv2d(1, 8, 8)\nself.route = nn.Linear(8, 6)",
         "rows = F.relu(self.route(F.relu(self.primary(images)).flatten(1)))", "rows.mean()"),
    Host("SpeechEncoder", ("rows", "counts"), (("tokens", "torch.randn(4, 6, 8)"), MASK),
         "self.mel = nn.Linear(8, 8)\nself.merge = nn.GRU(8, 8, batch_first=True)",
         "sequence = self.mel(tokens)\nrows = F.relu(self.merge(sequence)[0][:, -1])", "rows.pow(2).mean()"),
    Host("Experts", ("scores", "rows"), (X, LABELS),
         "self.gate = nn.Linear(8, 4)\nself.experts = nn.ModuleList([nn.Linear(8, 6) for _ in range(4)])",
         "scores = self.gate(x)\nchosen = F.softmax(scores, 1)\n"
         "mixed = sum(chosen[:, i : i + 1] * expert(x) for i, expert in enumerate(self.experts))\nrows = F.relu(mixed)",
         "mixed.pow(2).mean()"),
    Host("HalfTransformer", ("half",), (("tokens", "torch.randn(4, 6, 8)"), MASK),
         "self.project = nn.Linear(8, 16)",
         "q, k = self.project(tokens).clamp(-1000, 1000).half().chunk(2, dim=-1)\nvisible = mask.half()", "self.project(tokens).pow(2).mean()"),
    Host("HalfClassifier", ("half",), (("tokens", "torch.randn(4, 6, 8)"), MASK),
         "self.norm = nn.LayerNorm(8)\nself.scale = nn.Parameter(torch.full((8,), 100.0))\nself.key = nn.Linear(8, 8)",
         "normed = self.norm(tokens) * self.scale\nq, k = normed.half(), self.key(normed).clamp(-2000, 2000).half()\nvisible = mask.half()",
         "normed.pow(2).mean()"),
)  # fmt: skip

RANGES = {  # what a project's configuration would say; the other ranges are inferred
    "images": (0, 1), "pixels": (0, 1), "target_map": (0, 1), "truth": (0, 1), "noise": (-5, 5), "action": (-1, 1),
}  # fmt: skip
