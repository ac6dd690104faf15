"""Entry points of open-clip-torch: the contrastive losses of pairs of images and texts."""

import torch
from open_clip.loss import ClipLoss, CoCaLoss, SigLipLoss


class _Pairs(torch.nn.Module):
    def __init__(self, loss, biased=False):
        super().__init__()
        self.image, self.text, self.loss = torch.nn.Linear(12, 8), torch.nn.Linear(10, 8), loss
        self.logit_scale = torch.nn.Parameter(torch.tensor(2.6592))
        self.logit_bias = torch.nn.Parameter(torch.tensor(-10.0)) if biased else None

    def forward(self, image, text):
        normalize = torch.nn.functional.normalize
        first, second = normalize(self.image(image), dim=-1), normalize(self.text(text), dim=-1)
        more = () if self.logit_bias is None else (self.logit_bias,)
        return self.loss(first, second, self.logit_scale.exp(), *more)


def clip():
    return _Pairs(ClipLoss()), (torch.randn(4, 12), torch.randn(4, 10))


def siglip():
    return _Pairs(SigLipLoss(), biased=True), (torch.randn(4, 12), torch.randn(4, 10))


class _Captioning(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text, self.words = torch.nn.Linear(12, 8), torch.nn.Linear(10, 8), torch.nn.Linear(8, 7)
        self.logit_scale = torch.nn.Parameter(torch.tensor(2.6592))
        self.loss = CoCaLoss(caption_loss_weight=2.0, clip_loss_weight=1.0)

    def forward(self, image, text, labels):
        normalize = torch.nn.functional.normalize
        first, second = normalize(self.image(image), dim=-1), normalize(self.text(text), dim=-1)
        contrast, caption = self.loss(
            first, second, self.words(second)[:, None].expand(-1, 5, -1), labels, self.logit_scale.exp()
        )
        return contrast + caption


def coca():
    return _Captioning(), (torch.randn(4, 12), torch.randn(4, 10), torch.randint(1, 7, (4, 5)))
