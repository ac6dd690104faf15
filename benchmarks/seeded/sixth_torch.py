"""A sixth set of modules and defects for PyTorch, written and shown to be defects before anything was analysed.

As in `third`, with the lines of a witness (`%`).
"""

RANGES = {  # what a project's configuration would say; the other ranges are inferred
    "profit": (-1, 1), "padding": (0, 1), "voltage": (-100, 60), "elapsed": (0, 100), "adjacency": (0, 1),
    "spikes": (0, 100),
}  # fmt: skip

PAIRS = """
= asinh_magnitude | flux: torch.randn(4, 6)
+ self.net = nn.Linear(6, 3)
level = self.net(flux) / 0.01
! size = torch.log(level + torch.sqrt(level.pow(2) + 1))
? size = torch.asinh(level)
term = size.pow(2).mean()
% flux = -100 * self.net.weight[0].sign().expand(4, 6)
= check_node_update | beliefs: torch.randn(4, 6)
+ self.weigh = nn.Linear(6, 3)
messages = self.weigh(beliefs)
! parity = 2 * torch.atanh(torch.tanh(messages / 2).prod(1))
? parity = 2 * torch.atanh(torch.tanh(messages / 2).prod(1).clamp(-0.999, 0.999))
term = F.softplus(-parity).mean()
% beliefs = 100 * self.weigh.weight[0].sign().expand(4, 6)
= ray_sphere | x: torch.randn(4, 6); origin: torch.randn(4, 3)
+ self.aim = nn.Linear(6, 3)
ray = F.normalize(self.aim(x), dim=1)
along = (origin * ray).sum(1)
inside = along.pow(2) - origin.pow(2).sum(1) + 1
! depth = -along - torch.sqrt(inside)
? depth = -along - torch.sqrt(inside.clamp_min(1e-4))
term = depth.abs().mean()
% origin = torch.full((4, 3), 100.0)
= geometric_growth | signal: torch.randn(6, 3); profit: 0.1 * torch.rand(6, 3)
+ self.head = nn.Linear(3, 3)
bet = torch.tanh(self.head(signal))
grown = (1 + 2 * (bet * profit).mean(1)).prod()
! yearly = grown.pow(1 / 6)
? yearly = grown.clamp_min(1e-3).pow(1 / 6)
term = -yearly
% signal, profit = torch.zeros(6, 3), torch.zeros(6, 3)
% signal[0] = 100 * self.head.weight.sum(0).sign()
% profit[0] = -self.head(signal)[0].sign()
= padded_set | tokens: torch.randn(2, 4, 8); padding: torch.tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0]])
+ self.attend = nn.MultiheadAttention(8, 2, batch_first=True)
+ self.register_buffer("first", torch.tensor([True, False, False, False]))
! closed = padding > 0.5
? closed = (padding > 0.5) & ~self.first
made, _ = self.attend(tokens, tokens, tokens, key_padding_mask=closed)
term = made.pow(2).mean()
% padding = torch.ones(2, 4)
= sodium_gate | voltage: 20 * torch.randn(4, 1)
+ self.head = nn.Linear(1, 3)
offset = voltage + 40
! opening = 0.1 * offset / (1 - torch.exp(-offset / 10))
? near = offset.abs() < 1e-2
? apart = torch.where(near, torch.ones_like(offset), offset)
? opening = torch.where(near, 1 + offset / 20, -0.1 * apart / torch.expm1(-apart / 10))
closing = 4 * torch.exp(-(voltage + 65) / 18)
term = self.head(opening / (opening + closing)).pow(2).mean()
% voltage = torch.full((4, 1), -40.0)
= exponential_integrator | state: torch.randn(4, 6)
+ self.rate, self.inward = nn.Linear(6, 3), nn.Linear(6, 3)
rate = F.relu(self.rate(state))
! gain = (1 - torch.exp(-0.1 * rate)) / rate
? rate = rate + 1e-3
? gain = -torch.expm1(-0.1 * rate) / rate
term = (torch.exp(-0.1 * rate) + gain * self.inward(state)).pow(2).mean()
% state = -100 * self.rate.weight[0].sign().expand(4, 6)
= aftershocks | elapsed: 10 * torch.rand(4)
+ self.raw = nn.Parameter(torch.randn(2))
delay, power = F.relu(self.raw[0]), 1 + torch.sigmoid(self.raw[1])
! rate = (elapsed + delay).pow(-power)
? rate = (elapsed + delay + 0.05).pow(-power)
term = torch.log1p(rate).mean()
% elapsed = torch.zeros(4)
= graph_normalisation | nodes: torch.randn(5, 4); adjacency: (torch.rand(5, 5) > 0.5).float()
+ self.up = nn.Linear(4, 4)
! root = adjacency.sum(1).pow(-0.5)
? root = adjacency.sum(1).clamp(min=1).pow(-0.5)
made = (root[:, None] * adjacency * root) @ self.up(nodes)
term = made.pow(2).mean()
% adjacency = torch.zeros(5, 5)
= spike_train | stimulus: torch.randn(4, 6); spikes: torch.tensor([[0.0, 2.0], [1.0, 3.0], [0.0, 0.0], [5.0, 1.0]])
+ self.drive = nn.Linear(6, 2)
rate = F.relu(self.drive(stimulus))
! term = (rate - spikes * torch.log(rate)).mean()
? term = (rate - spikes * torch.log(rate + 1e-3)).mean()
% stimulus = -100 * self.drive.weight[0].sign().expand(4, 6)
"""
