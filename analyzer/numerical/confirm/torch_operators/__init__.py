"""Operators as torch calls, by family. Importing the package fills the registry."""

import analyzer.numerical.confirm.torch_operators.arrangement
import analyzer.numerical.confirm.torch_operators.elementwise
import analyzer.numerical.confirm.torch_operators.indexing
import analyzer.numerical.confirm.torch_operators.linear
import analyzer.numerical.confirm.torch_operators.losses
import analyzer.numerical.confirm.torch_operators.recurrent
import analyzer.numerical.confirm.torch_operators.reduction
import analyzer.numerical.confirm.torch_operators.sequences
import analyzer.numerical.confirm.torch_operators.tensorflow  # noqa: F401
