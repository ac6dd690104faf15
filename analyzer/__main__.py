"""``python -m analyzer`` is the command `assay`."""

import sys

from analyzer.commands.cli import main

sys.exit(main())
