import argparse
import json
import os

import numpy as np
import torch
import torch.nn as nn
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Faces(Dataset):
    def __init__(self, root, listing):
        with open(os.path.join(root, listing)) as f:
            self.rows = [line.split() for line in f]
        self.root = root

    def __len__(self):
        return len(self.rows)

    def _load(self, name):
        image = Image.open(os.path.join(self.root, name)).convert("L").resize((96, 112))
        return torch.from_numpy(np.asarray(image, dtype=np.float32) / 255.0).unsqueeze(0)

    def __getitem__(self, i):
        a, b, same = self.rows[i]
        return self._load(a), self._load(b), int(same)


class Embedder(nn.Module):
    def __init__(self, dim=128):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 5, 2, 2), nn.PReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.PReLU(),
            nn.Conv2d(32, 64, 3, 2, 1), nn.PReLU(),
        )
        self.fc = nn.Linear(64 * 14 * 12, dim)

    def forward(self, x):
        x = self.features(x)
        x = x.view(x.shape[0], -1)
        return nn.functional.normalize(self.fc(x))


@torch.no_grad()
def evaluate(model, loader, device):
    scores, labels = [], []
    for a, b, same in loader:
        ea, eb = model(a.to(device)), model(b.to(device))
        scores.append((ea * eb).sum(dim=1).cpu())
        labels.append(same)
    scores, labels = torch.cat(scores), torch.cat(labels).bool()
    best = 0.0
    for threshold in np.linspace(-1, 1, 200):
        best = max(best, ((scores > float(threshold)) == labels).float().mean().item())
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", default="weights/face.pth")
    parser.add_argument("--root", default="lfw")
    parser.add_argument("--pairs", default="pairs.txt")
    parser.add_argument("--out", default="result.json")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Embedder().to(device)
    state = torch.load(args.weights, map_location=device)
    model.load_state_dict(state["model"] if "model" in state else state)
    model.eval()
    accuracy = evaluate(model, DataLoader(Faces(args.root, args.pairs), batch_size=64, num_workers=2), device)
    with open(args.out, "w") as f:
        json.dump({"accuracy": accuracy}, f)
    print(f"accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
