"""Entry points of torch-ga: layers whose products are those of a geometric algebra."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"icecream", "matplotlib", "matplotlib.pyplot", "mpl_toolkits", "mpl_toolkits.mplot3d"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # drawings, which nothing here needs

from torch_ga.blades import BladeKind  # noqa: E402
from torch_ga.layers import (  # noqa: E402
    GeometricAlgebraExp,
    GeometricProductConv1D,
    GeometricProductDense,
    GeometricProductElementwise,
    GeometricSandwichProductDense,
    GeometricToTensor,
    TensorToGeometric,
    TensorWithKindToGeometric,
)
from torch_ga.torch_ga import GeometricAlgebra  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def _algebra():
    return GeometricAlgebra([1, 1, 1])


def _made(*layers, inputs):
    """The layers one behind the other, with their weights made by a first run."""
    model = torch.nn.Sequential(*layers)
    model(*inputs)
    return model, inputs


def dense():
    algebra, blades = _algebra(), [0, 1, 2, 3]
    layers = TensorToGeometric(algebra, [1, 2, 3]), GeometricProductDense(algebra, 4, blades, blades, activation="relu")
    return _made(*layers, GeometricToTensor(algebra, [0]), inputs=(torch.randn(2, 5, 3),))


def sandwich():
    algebra = _algebra()
    even = [0, 4, 5, 6]
    layer = GeometricSandwichProductDense(algebra, 4, even, [1, 2, 3])
    return _made(TensorWithKindToGeometric(algebra, BladeKind.VECTOR), layer, inputs=(torch.randn(2, 5, 3),))


def elementwise():
    algebra, blades = _algebra(), [0, 1, 2, 3]
    layer = GeometricProductElementwise(algebra, blades, blades)
    return _made(TensorToGeometric(algebra, [1, 2, 3]), layer, inputs=(torch.randn(2, 5, 3),))


def convolved():
    algebra, blades = _algebra(), [0, 1, 2, 3]
    layer = GeometricProductConv1D(
        algebra, filters=3, kernel_size=3, stride=1, padding="SAME",
        blade_indices_kernel=blades, blade_indices_bias=blades,
    )  # fmt: skip
    return _made(TensorToGeometric(algebra, [1, 2, 3]), layer, inputs=(torch.randn(2, 8, 2, 3),))


def rotors():
    algebra = _algebra()
    return _made(TensorToGeometric(algebra, [4]), GeometricAlgebraExp(algebra), inputs=(torch.randn(2, 5, 1),))
