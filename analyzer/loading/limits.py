"""Caps that keep a hostile model file from eating the machine. Every loader takes them as an argument."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds, checked before memory is spent. Sizes are in bytes."""

    file_size: int = 2 * GIB - 1  # protobuf's own limit, and ours for any one file that is read as a whole
    text_size: int = 64 * MIB  # text forms cost many times their size to parse
    weights_size: int = 64 * GIB  # files that are only mapped, never read as a whole
    tensor_size: int = 8 * GIB  # one tensor, as declared by its shape
    nodes: int = 1_000_000  # all graphs and functions of a model together, after inlining
    tensors: int = 200_000
    depth: int = 24  # graphs inside graphs, functions inside functions, layers inside layers
    name_length: int = 16_384  # names of nodes, values, operators
    string_length: int = 64 * MIB  # string attributes and metadata
    rank: int = 64
    archive_members: int = 100_000
    archive_ratio: int = 1000  # unpacked to packed size of a member
    archive_size: int = 64 * GIB  # all members unpacked
    json_size: int = 64 * MIB
    pickle_size: int = 64 * MIB
    pickle_operations: int = 5_000_000


DEFAULT = Limits()
