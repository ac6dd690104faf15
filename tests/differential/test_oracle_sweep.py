"""The oracle against what others compute, on cases that are generated (`oracle_cases`): a seeded part, and the whole.

ONNX Runtime (unoptimised) is asked first; where it refuses a case or disagrees, OpenVINO is, and where neither runs it,
the function body that the standard gives of the operator. Two that agree against the oracle make it the suspect, and so
does one alone; where two engines differ and the oracle sides with one, the other has an artefact.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from analyzer.differential.distances import relative_error
from analyzer.differential.pool import Pool
from analyzer.differential.rounding import small_scale
from tests.differential.oracle_cases import ALL, Generated, cases
from tests.differential.test_reference_sweep import DISPUTED, Case, in_openvino, in_ort, in_reference

SEED = 20261125
PORTION = 300  # cases of each run

# Parts of cases' names where the only engine that runs them is wrong by the standard's text, and why.
ENGINES_OWN = {
    "'layout': 1": "OpenVINO leaves the layout out; ONNX Runtime refuses it",
    "'storage_order': 1": "OpenVINO swaps the sizes of the result; with `SAME_…` ONNX Runtime forgets the dilations",
    "output_padding": "beside `auto_pad` or `output_shape`, where the standard gives no one formula",
    "'input_forget': 1": "OpenVINO leaves it out",
    "RoiAlign-22": "OpenVINO's, of a version that ONNX Runtime lacks: the same inputs agree in operator set 16",
    "'size': 2": "LRN of an even size, which ONNX Runtime refuses; the oracle sums what the standard names",
    "OneHot-9": "OpenVINO does not wrap negative indices of 32-bit values",
    "'mode': b'wrap'": "ONNX Runtime cuts first and wraps then, where a pad is negative; the standard is silent",
    "align_corners": "published and open: engines compute the scale from the rounded size",
    "exclude_outside": "OpenVINO leaves it out of cubic interpolation over one or three axes; ONNX Runtime has two",
    "'antialias': 1": "OpenVINO leaves it out of an ONNX file",
}


@dataclass
class Tally:
    settled: Counter[str] = field(default_factory=Counter)  # by operator
    nobody: Counter[str] = field(default_factory=Counter)
    artefacts: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))  # engine, operator
    wrong: list[str] = field(default_factory=list)
    alone: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def looked_at(generated: Iterable[Generated], pool: Pool, path: Path) -> Tally:
    tally = Tally()
    for each in generated:
        case = Case(each.opset, each.node, each.feeds, each.weights)
        try:
            model = case.model()
        except Exception:
            tally.nobody[each.node.op_type] += 1
            continue
        _look(each, case, model, pool, path, tally)
    return tally


def _look(each: Generated, case: Case, model: onnx.ModelProto, pool: Pool, path: Path, tally: Tally) -> None:
    op, name = each.node.op_type, f"{each.space.label} {case.name}"
    small = small_scale(each.feeds)
    try:
        oracle: list[np.ndarray] | None = in_reference(model, case)
    except Exception as error:
        oracle, said = None, f"{type(error).__name__}: {error}"[:200]
    first = in_ort(model, case)
    if first is not None and oracle is not None and near(oracle, first, small):
        tally.settled[op] += 1
        return
    second = in_openvino(model, case, pool, path)
    witnesses = [w for w in (first, second) if w is not None]
    if not witnesses:
        body = in_body(model, case)
        witnesses = [body] if body is not None else []
    if not witnesses:
        tally.nobody[op] += 1
    elif oracle is None:
        tally.lost.append(f"{name}: {said}")
    elif any(near(oracle, w, small) for w in witnesses):
        tally.settled[op] += 1
        for engine, given in (("onnxruntime", first), ("openvino", second)):
            if given is not None and not near(oracle, given, small):
                tally.artefacts[engine, op].append(name)
    elif len(witnesses) == 1 or near(witnesses[0], witnesses[1], small):
        (tally.wrong if len(witnesses) == 2 else tally.alone).append(f"{name}: {_difference(oracle, witnesses[0])}")
    else:
        tally.alone.append(
            f"{name}: three answers, {_difference(oracle, witnesses[0])}, {_difference(oracle, witnesses[1])}"
        )


def near(oracle: list[np.ndarray], given: list[np.ndarray], small: float) -> bool:
    """Within rounding; a byte that a sum between two steps may be rounded to is one step apart.

    `small`: the scale below which results count as small (`rounding.small_scale`).
    """
    if len(oracle) != len(given):
        return False
    for x, y in zip(oracle, given, strict=True):
        if x.shape != y.shape:
            return False
        if x.dtype.kind in "iu" and x.dtype.itemsize == 1 and x.size:
            if np.abs(x.astype(int) - y.astype(int)).max() > 1:
                return False
        elif relative_error(x, y, small) > (2e-3 if y.dtype == np.float16 else 1e-4):
            return False
    return True


def _difference(oracle: list[np.ndarray], given: list[np.ndarray]) -> str:
    pairs = list(zip(oracle, given, strict=False))
    shapes = [(list(x.shape), list(y.shape)) for x, y in pairs if x.shape != y.shape]
    return f"shapes {shapes}" if shapes else str([float(f"{relative_error(x, y):.2g}") for x, y in pairs])


def in_body(model: onnx.ModelProto, case: Case) -> list[np.ndarray] | None:
    """The operator as the function that the standard defines it by, evaluated in float64; None without one."""
    schema = onnx.defs.get_schema(case.node.op_type, case.opset)
    if not schema.has_function:
        return None
    body = onnx.FunctionProto()
    body.CopyFrom(schema.function_body)
    body.domain = "body"
    twin = onnx.ModelProto()
    twin.CopyFrom(model)
    twin.graph.node[0].domain = "body"
    twin.opset_import.append(helper.make_opsetid("body", 1))
    twin.functions.append(body)
    try:
        return in_reference(twin, case)
    except Exception:
        return None


def portion(seed: int, count: int) -> list[Generated]:
    """`count` cases, the same number of each operator as far as there are, drawn by seed."""
    rng = np.random.default_rng(seed)
    spaces = [ALL[i] for i in rng.permutation(len(ALL))]
    by_operator: dict[str, list[Generated]] = defaultdict(list)
    for space in spaces:
        if len(by_operator[space.op]) < 12:
            found = list(cases(seed, 2, [space]))
            by_operator[space.op] += [found[i] for i in rng.permutation(len(found))[:4]]
    rounds = [each[i] for i in range(12) for each in by_operator.values() if i < len(each)]
    return rounds[:count]


def _told(tally: Tally) -> None:
    wrong = [w for w in tally.wrong if not any(part in w for part in DISPUTED)]
    assert not wrong, "two engines agree against the oracle:\n" + "\n".join(wrong)
    assert not tally.lost, "the oracle cannot run what an engine runs:\n" + "\n".join(tally.lost)
    left = [a for a in tally.alone if not any(part in a for part in ENGINES_OWN)]
    assert not left, "nobody agrees with the oracle:\n" + "\n".join(left)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_seeded_part_of_the_generated_cases(pool: Pool, tmp_path: Path) -> None:
    tally = looked_at(portion(SEED, PORTION), pool, tmp_path / "model.onnx")
    assert sum(tally.settled.values()) > PORTION // 2
    _told(tally)


@pytest.mark.study
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_all_generated_cases(pool: Pool, tmp_path: Path) -> None:
    """``ORACLE_SEED`` and ``ORACLE_DRAWS`` choose others; ``ORACLE_REPORT`` names a file for what was found."""
    seed, draws = int(os.environ.get("ORACLE_SEED", SEED)), int(os.environ.get("ORACLE_DRAWS", 4))
    tally = looked_at(cases(seed, draws), pool, tmp_path / "model.onnx")
    if "ORACLE_REPORT" in os.environ:
        artefacts = {" ".join(key): names for key, names in tally.artefacts.items()}
        found = {
            "settled": tally.settled,
            "nobody": tally.nobody,
            "artefacts": artefacts,
            "wrong": tally.wrong,
            "alone": tally.alone,
            "lost": tally.lost,
        }
        Path(os.environ["ORACLE_REPORT"]).write_text(json.dumps(found, indent=1), encoding="utf-8")
    _told(tally)
