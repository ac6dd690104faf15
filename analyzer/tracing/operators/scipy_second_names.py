"""Second names of SciPy: before 2.0 its packages also had their functions under the files that hold them."""

from __future__ import annotations

from collections.abc import Container


def own_scipy_name(name: str, known: Container[str]) -> str:
    """``scipy.ndimage.zoom`` for ``scipy.ndimage.interpolation.zoom``, where the tables know that one alone."""
    if name.startswith("scipy.fftpack."):  # the older home of the same transforms
        own = f"scipy.fft.{name.rpartition('.')[2]}"
        return own if own in known and name not in known else name
    parts = name.split(".")
    if parts[0] != "scipy" or len(parts) != 4 or name in known:
        return name
    own = ".".join((*parts[:2], parts[3]))
    return own if own in known else name
