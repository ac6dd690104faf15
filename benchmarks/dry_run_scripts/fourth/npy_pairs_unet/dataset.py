from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset


class Volumes(Dataset):
    """`cases/*.npy`: slices of (4, H, W), the last one is the segmentation."""

    def __init__(self, root, size):
        self.files = sorted(Path(root).glob("*.npy"))
        self.size = size

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        volume = torch.from_numpy(np.load(self.files[i]).astype("float32"))
        volume = torch.nn.functional.interpolate(volume[None], size=(self.size, self.size))[0]
        return volume[:3], volume[3].long().clamp(0, 3)
