"""What of the machine changes arithmetic: a run's result may depend on it."""

from __future__ import annotations

import platform
from pathlib import Path

EXTENSIONS = ("avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni", "amx_bf16", "amx_int8")  # kernels choose by them


def processor() -> str:
    """``Python 3.11.9 on x86_64 (avx2, fma)``."""
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        described = ""
    flags = next((line.split() for line in described.splitlines() if line.startswith("flags")), [])
    known = ", ".join(name for name in EXTENSIONS if name in flags)
    return f"Python {platform.python_version()} on {platform.machine()}" + (f" ({known})" if known else "")
