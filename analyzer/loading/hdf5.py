"""HDF5 files of Keras, opened so that nothing outside of the file is followed."""

from __future__ import annotations

from pathlib import Path


def contents(path: Path) -> str:
    """``model`` if there is an architecture in the file, ``weights`` if it looks like Keras's weights, else empty."""
    import h5py

    try:
        with h5py.File(path, "r", locking=False) as file:
            if "model_config" in file.attrs:
                return "model"
            if "layer_names" in file.attrs or "layers" in file or "_layer_checkpoint_dependencies" in file:
                return "weights"
            return "weights" if path.name.endswith((".weights.h5", ".weights.hdf5")) else ""
    except (OSError, RuntimeError, KeyError, ValueError):
        return "model" if path.suffix.lower() in (".h5", ".hdf5") else ""
