"""Entry points of nlpblock: recurrent classifiers and translators around its attention of one and of two sequences."""

import torch
from nlpblock.model.BiLSTM_Attention import BiLSTM_Attention
from nlpblock.model.GRU_Attention import GRU_Attention
from nlpblock.model.Seq2SeqBiLSTM_Attention import Seq2SeqBiLSTM_Attention
from nlpblock.model.Seq2SeqGRU_Attention import Seq2SeqGRU_Attention
from torch import nn


class _Classifier(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.words, self.model = nn.Embedding(20, 6), model

    def forward(self, words, labels):
        _, classes = self.model(self.words(words))
        return nn.functional.cross_entropy(classes, labels)


def _sentences():
    return torch.randint(0, 20, (3, 5)), torch.tensor([1, 0, 1])


def both_ways():
    return _Classifier(BiLSTM_Attention(6, n_class=2, n_hidden=4, bidirectional=True)), _sentences()


def one_way():
    return _Classifier(GRU_Attention(6, n_class=2, n_hidden=4, linearTransform=False)), _sentences()


class _Translator(nn.Module):
    """Words as vectors with a single one, and the error of the words that follow."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, words, others, following):
        scores, weights = self.model(words, others)
        return nn.functional.cross_entropy(scores.mT, following), weights


def _pairs():
    words, others = torch.randint(0, 10, (3, 5)), torch.randint(0, 12, (3, 5))
    return nn.functional.one_hot(words, 10).float(), nn.functional.one_hot(others[:, :-1], 12).float(), others[:, 1:]


def translator():
    return _Translator(Seq2SeqGRU_Attention(n_enc_vocab=10, n_dec_vocab=12, n_hidden=4)), _pairs()


def translator_both_ways():
    return _Translator(Seq2SeqBiLSTM_Attention(10, 12, n_hidden=4, bidirectional=True)), _pairs()
