"""Well-known graphs that torch_geometric would download: as many nodes, edges, features and classes as they have."""

from __future__ import annotations

from typing import Any

_PLANETOID = {  # nodes, features, classes, edges
    "cora": (2708, 1433, 7, 10556), "citeseer": (3327, 3703, 6, 9104), "pubmed": (19717, 500, 3, 88648),
}  # fmt: skip
_OF_CLASS, _VALIDATION, _TEST = 20, 500, 1000  # nodes of the public split


def known_graphs(datasets: Any, progress: Any) -> None:
    planetoid = datasets.Planetoid
    plain = planetoid.__init__

    def init(self: Any, root: Any, name: str, split: str = "public", *args: Any, **options: Any) -> None:
        known = _PLANETOID.get(str(name).lower())
        if known is None or split != "public" or options.get("pre_transform") is not None or len(args) > 4:
            plain(self, root, name, split, *args, **options)
            return
        from torch.utils._python_dispatch import _disable_current_modes

        progress.data.append(name)
        self.name, self.split, self.root = name.lower(), split, str(root)
        self.transform = options.get("transform", args[3] if len(args) > 3 else None)
        self.pre_transform = self.pre_filter = self._indices = None
        self.log, self.force_reload, self._data_list = False, False, None
        with _disable_current_modes():
            self.data, self.slices = self.collate([_graph(*known)])

    planetoid.__init__ = init


def _graph(nodes: int, features: int, classes: int, edges: int) -> Any:
    import torch
    from torch_geometric.data import Data  # type: ignore[import-not-found,unused-ignore]

    order = torch.arange(edges // 2)
    ends = torch.stack([order % nodes, (order * 7 + 1) % nodes])  # and back: the graphs have no direction
    place = torch.arange(nodes)
    train = _OF_CLASS * classes
    return Data(
        x=torch.zeros(nodes, features),
        edge_index=torch.cat([ends, ends.flip(0)], 1),
        y=place % classes,
        train_mask=place < train,
        val_mask=(place >= train) & (place < train + _VALIDATION),
        test_mask=place >= nodes - _TEST,
    )
