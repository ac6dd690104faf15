from torch.utils.data import DataLoader
from torchvision import datasets, transforms

MEAN, STD = (0.507, 0.487, 0.441), (0.267, 0.256, 0.276)


def loaders(root, batch_size):
    train = transforms.Compose([
        transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
        transforms.Normalize(MEAN, STD),
    ])
    test = transforms.Compose([transforms.ToTensor(), transforms.Normalize(MEAN, STD)])
    return (
        DataLoader(datasets.CIFAR100(root, train=True, download=True, transform=train), batch_size, shuffle=True),
        DataLoader(datasets.CIFAR100(root, train=False, transform=test), batch_size),
    )
