"""Makes the helper modules of this folder importable (the suite runs with import mode `importlib`)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
