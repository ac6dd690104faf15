"""Which sizes a message of an operator says do not go together, apart from all others that it names."""

from __future__ import annotations

import re

_N = r"(\d+)"
_SIZES = r"[\[(]([\d, ]*)[\])]"
# Of each form the sizes that are in conflict; what else a message names, such as rows of a batch, has no part in it.
_FORMS = tuple(
    re.compile(form)
    for form in (
        # PyTorch
        rf"shapes cannot be multiplied \(\d+x{_N} and {_N}x\d+\)",
        rf"size of tensor a \({_N}\) must match the size of tensor b \({_N}\) at non-singleton dimension (\d+)",
        rf"[Ee]xpanded size of the tensor \({_N}\) must match the existing size \({_N}\) at non-singleton dimension"
        r" (\d+)",
        rf"[Ee]xpected input batch_size \({_N}\) to match target batch_size \({_N}\)",
        rf"to have {_N} channels, but got {_N} channels instead",
        rf"must match except in dimension (\d+)\. (?:Expected|Got)(?: size)? {_N} (?:but got size|and) {_N}",
        rf"running_mean should contain {_N} elements not {_N}",
        rf"input\.size\(-1\) must be equal to input_size\. Expected {_N}, got {_N}",
        rf"normalized_shape={_SIZES}, expected input with shape \[\*[\d, ]*\], but got input of size\[.*?{_N}\]",
        rf"embed_dim(?:ension)? (?:of|to be) {_N}, but got {_N}",
        r"[Ee]xpected (\d+)D (?:\(.*?\) )?(?:or (\d+)D \(.*?\) )?"
        r"input (?:to \w+, but got|\(got|but got) (?:input of size|(\d+)D)",
        rf"[Ee]xpected size for first two dimensions of batch2 tensor to be: \[\d+, {_N}\] but got: \[\d+, {_N}\]",
        r"input size per channel: \(([\d x]+)\)\. Kernel size: \(([\d x]+)\)\. Kernel size can't be greater",
        rf"shape '{_SIZES}' is invalid for input of size {_N}",
        rf"size mismatch, got input \({_N}\), mat \(\d+x\d+\), vec \({_N}\)",
        rf"must have same reduction dim, but got \[\d+, {_N}\] X \[{_N}, \d+\]",
        rf"broadcast a dimension of length {_N} at (-?\d+)! .*? had torch\.Size\({_SIZES}\); .*? to {_SIZES}",
        r"attn_mask is torch\.Size\(\[([\d, ]+)\]\), but should be \(([\d, ]+)\)",
        # TensorFlow and Keras
        rf"expected axis -1 of input shape to have value {_N}, but received input with shape \(.*?{_N}\)",
        rf"In\[0\]: \[\d+,{_N}\], In\[1\]: \[{_N},\d+\]",
        rf"Dimensions must be equal, but are {_N} and {_N} for",
        rf"Shapes? must be equal rank, but are {_N} and {_N}",
        rf"axis values {_N} \(at axis -?\d+\) != {_N} \(at axis",
        r"expected (?:min_)?ndim=(\d+), found ndim=(\d+)",
        r"target\.shape=\(\w+, ([\d, ]+)\), output\.shape=\(\w+, ([\d, ]+)\)",
        r"Shapes \(\w+, ([\d, ]+)\) and \(\w+, ([\d, ]+)\) are incompatible",
        rf"input_shape=\(\w+(?:, )?([\d, ]+)\), target_shape={_SIZES}",
        rf"input_shape={_SIZES}, target_shape={_SIZES}",
        r"expected shape=\(\w+, ([\d, ]+)\), found shape=\(\w+, ([\d, ]+)\)",
        r"Received shapes \((?:None, )?([\d, ]+)\) and \((?:None, )?([\d, ]+)\)",
    )
)


def conflict(message: str) -> tuple[str, ...] | None:
    """The form of the first conflict of sizes that a message tells, and the sizes; None where no form is known."""
    for number, form in enumerate(_FORMS):
        found = form.search(message)
        if found is not None:
            return (str(number), *_apart([" ".join((size or "").split()) for size in found.groups()]))
    return None


def _apart(sizes: list[str]) -> list[str]:
    """Of two shapes of as many axes only the sizes that differ, and on which axis from the end: rows and lengths that
    both have are in no conflict."""
    shapes = [[n.strip() for n in text.split(",") if n.strip()] for text in sizes]
    if len(shapes) != 2 or len(shapes[0]) != len(shapes[1]) or len(shapes[0]) < 2 or shapes[0] == shapes[1]:
        return sizes
    places = [p for p in range(-len(shapes[0]), 0) if shapes[0][p] != shapes[1][p]]
    return [", ".join(shape[p] for p in places) for shape in shapes] + [", ".join(map(str, places))]


_RANKS = re.compile(r"[Ee]xpected (?:min_)?\d+D|be equal rank|ndim=|target shape|shape='?None")


def of_ranks(message: str) -> bool:
    """Whether a message is about how many axes something has."""
    return _RANKS.search(message) is not None
