"""Arguments of timm's models."""

import timm.models as m


def mixer(image, patch, blocks, width):
    return m.MlpMixer(num_classes=10, img_size=image, patch_size=patch, num_blocks=blocks, embed_dim=width)


def vision_transformer(image, patch, width, heads, ratio):
    return m.VisionTransformer(
        img_size=image, patch_size=patch, embed_dim=width, num_heads=heads, depth=1, mlp_ratio=ratio, num_classes=10
    )


def resnet(width, stem, cardinality, base):
    from timm.models.resnet import Bottleneck

    return m.ResNet(
        Bottleneck, [1, 1, 1, 1], num_classes=10, stem_width=stem, stem_type="deep", cardinality=cardinality,
        base_width=base, channels=(width, 2 * width, 4 * width, 8 * width),
    )  # fmt: skip
