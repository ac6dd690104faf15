"""Entry points of yqn-pytorch-framework: its networks of images and texts, small, with the losses of each."""

import torch
from yqn_pytorch_framework.hub.mobilenet import MobileNetV2
from yqn_pytorch_framework.hub.shufflenetv2 import ShuffleNetV2
from yqn_pytorch_framework.layer.pytorch_crf import CRF
from yqn_pytorch_framework.layer.pytorch_textcnn_conv_pool import TextCNNConvPoolBlock


class _Classified(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network, self.loss = network, torch.nn.CrossEntropyLoss()

    def forward(self, samples, classes):
        return self.loss(self.network(samples), classes)


def _images():
    return torch.rand(2, 3, 32, 32), torch.tensor([1, 3])


def mobile_images():
    settings = [[1, 8, 1, 1], [6, 8, 1, 2], [6, 16, 2, 2]]
    return _Classified(MobileNetV2(4, width_mult=0.25, inverted_residual_setting=settings)), _images()


def shuffled_images():
    return _Classified(ShuffleNetV2([1, 1, 1], [8, 16, 32, 64, 64], num_classes=4)), _images()


class _Tagged(torch.nn.Module):
    """Tags of words by a chain with a start and an end; padded words are masked."""

    def __init__(self, words=20, tags=4):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, 8, padding_idx=0)
        self.lstm = torch.nn.LSTM(8, 8, bidirectional=True, batch_first=True)
        self.head, self.chain = torch.nn.Linear(16, tags + 2), CRF(target_size=tags, device="cpu")

    def forward(self, words, mask, tags):
        features = self.head(torch.tanh(self.lstm(self.embedding(words))[0]))
        return self.chain.neg_log_likelihood_loss(features, mask, tags) / len(words)


def tagged():
    words = torch.tensor([[3, 7, 2, 9, 4], [5, 8, 1, 0, 0]])
    return _Tagged(), (words, words > 0, torch.tensor([[0, 1, 3, 2, 0], [2, 1, 1, 0, 0]]))


class _Texts(torch.nn.Module):
    """Classes of sentences by convolutions of several widths."""

    def __init__(self):
        super().__init__()
        self.embedding, self.head = torch.nn.Embedding(20, 8), torch.nn.LazyLinear(3)
        self.blocks = torch.nn.ModuleList(TextCNNConvPoolBlock(8, 6, width) for width in (2, 3))
        self(torch.zeros(1, 8, dtype=torch.long))

    def forward(self, words):
        embedded = self.embedding(words)
        return self.head(torch.cat([block(embedded).flatten(1) for block in self.blocks], dim=1))


def texts():
    return _Classified(_Texts()), (torch.randint(0, 20, (2, 8)), torch.tensor([0, 2]))
