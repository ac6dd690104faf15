import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

STRIDE, SIZE = 16, 128
CLASSES = ("background", "square", "disc", "cross")


class ShapesDataset(Dataset):
    def __init__(self, n=64):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        count = int(torch.randint(1, 5, (1,), generator=g))
        wh = torch.randint(16, 48, (count, 2), generator=g)
        xy = torch.stack([torch.randint(0, SIZE - 48, (2,), generator=g) for _ in range(count)])
        boxes = torch.cat([xy, xy + wh], dim=1).float()
        labels = torch.randint(1, len(CLASSES), (count,), generator=g)
        image = torch.zeros(3, SIZE, SIZE)
        for (x0, y0, x1, y1), label in zip(boxes.int().tolist(), labels.tolist()):
            image[label - 1, y0:y1, x0:x1] = 1.0
        return image, {"boxes": boxes, "labels": labels}


def collate(batch):
    images, targets = tuple(zip(*batch))
    return torch.stack(images), list(targets)


def make_anchors(scales=(24.0, 40.0)):
    centres = (torch.arange(SIZE // STRIDE) + 0.5) * STRIDE
    cy, cx = torch.meshgrid(centres, centres, indexing="ij")
    half = torch.tensor(scales) / 2
    c = torch.stack([cx, cy], -1)[:, :, None, :].expand(-1, -1, len(scales), -1)
    h = half[:, None].expand_as(c)
    return torch.cat([c - h, c + h], dim=-1).view(-1, 4)


def box_area(b):
    return (b[:, 2] - b[:, 0]).clamp(min=0) * (b[:, 3] - b[:, 1]).clamp(min=0)


def box_iou(a, b):
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(dim=2)
    return inter / (box_area(a)[:, None] + box_area(b)[None, :] - inter)


def encode(anchors, boxes):
    aw, ac = anchors[:, 2:] - anchors[:, :2], (anchors[:, 2:] + anchors[:, :2]) / 2
    bw, bc = boxes[:, 2:] - boxes[:, :2], (boxes[:, 2:] + boxes[:, :2]) / 2
    return torch.cat([(bc - ac) / aw, torch.log(bw / aw)], dim=1)


class Detector(nn.Module):
    def __init__(self, anchors_per_cell=2, classes=len(CLASSES)):
        super().__init__()
        self.classes = classes
        widths = [3, 16, 32, 64, 64]
        self.backbone = nn.Sequential(
            *[nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.BatchNorm2d(b), nn.ReLU()) for a, b in zip(widths, widths[1:])]
        )
        self.cls = nn.Conv2d(64, anchors_per_cell * classes, 3, padding=1)
        self.reg = nn.Conv2d(64, anchors_per_cell * 4, 3, padding=1)

    def forward(self, x):
        f = self.backbone(x)
        n = x.size(0)
        scores = self.cls(f).permute(0, 2, 3, 1).reshape(n, -1, self.classes)
        deltas = self.reg(f).permute(0, 2, 3, 1).reshape(n, -1, 4)
        return scores, deltas


def loss_for(scores, deltas, target, anchors):
    iou = box_iou(anchors, target["boxes"])
    best, which = iou.max(dim=1)
    positive = best > 0.4
    positive[iou.argmax(dim=0)] = True
    wanted = torch.where(positive, target["labels"][which], torch.zeros_like(which))
    cls = F.cross_entropy(scores, wanted, weight=torch.tensor([0.1, 1.0, 1.0, 1.0]))
    reg = F.smooth_l1_loss(deltas[positive], encode(anchors[positive], target["boxes"][which[positive]]))
    return cls + reg


def main():
    loader = DataLoader(ShapesDataset(), batch_size=8, shuffle=True, collate_fn=collate)
    anchors, model = make_anchors(), Detector()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(2):
        for images, targets in loader:
            scores, deltas = model(images)
            losses = [loss_for(s, d, t, anchors) for s, d, t in zip(scores, deltas, targets)]
            loss = sum(losses) / len(losses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} {loss.item():.4f}")


if __name__ == "__main__":
    main()
