"""Entry points of python-doctr: recognition of words with its loss, detection of text."""

import torch
from doctr.models.detection.differentiable_binarization.pytorch import db_mobilenet_v3_large
from doctr.models.recognition.crnn.pytorch import crnn_mobilenet_v3_small
from doctr.models.recognition.vitstr.pytorch import vitstr_small


def words():
    return crnn_mobilenet_v3_small(pretrained=False, pretrained_backbone=False, exportable=True), (
        torch.rand(1, 3, 32, 128),
    )


def vision_transformer():
    return vitstr_small(pretrained=False, pretrained_backbone=False, exportable=True), (torch.rand(1, 3, 32, 128),)


def binarization():
    return db_mobilenet_v3_large(pretrained=False, pretrained_backbone=False, exportable=True), (
        torch.rand(1, 3, 64, 64),
    )
