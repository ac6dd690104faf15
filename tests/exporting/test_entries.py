"""Which names of a file are offered as entry points; nothing runs."""

from __future__ import annotations

from analyzer.exporting.entries import find_entries


def test_factories_and_module_level_models(project):
    path = project.write(
        "m.py",
        """
        import keras
        import torch
        from torch import nn
        from torch.nn import Linear as L

        raise SystemExit("never runs")

        class Net(nn.Module):
            pass

        class Deep(Net):
            pass

        def build(): return Net()
        def build_model(width=8): return Net()
        def create_net(*, depth): return Net()
        def make_loss(x): return Net()
        def builder(): return 1
        def build_graph(): print("nothing")
        def get_data(): return 1
        net = Net()
        deep: nn.Module = Deep()
        layer = L(2, 3)
        model = keras.Sequential([])
        number = int(3)
        tensor = torch.zeros(3)
    """,
    )
    assert find_entries(path) == ("build", "build_model", "net", "deep", "layer", "model")


def test_a_file_without_a_framework_offers_nothing(project):
    assert find_entries(project.write("m.py", "def build_model(): return 1\n")) == ()
    assert find_entries(project.write("broken.py", "import torch\ndef build(:\n")) == ()
    assert find_entries(project.root / "missing.py") == ()
