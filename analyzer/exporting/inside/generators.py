"""Random numbers that a generator of the model's own draws (``torch.randn(3, generator=g)``): draws like any other.

The exporter knows no generators. What is said of independent draws holds for those of one generator, and for two that
start with the same seed, as well: their numbers are among them.
"""

from __future__ import annotations

from typing import Any

NOTE = "numbers drawn by a generator of the model's own were taken for any that it may draw, whatever its seed is"


def take_away(program: Any) -> bool:
    """Draws of an exported program are made without their generators, which are then no inputs of it.

    Whether there were any: one that was left out by name (``generator=None``) is none.
    """
    graph, used, changed = program.graph, set(), False
    for node in graph.nodes:
        if node.op != "call_function" or "generator" not in node.kwargs:
            continue
        given = node.kwargs["generator"]
        target = _without_generator(node.target)
        if target is None:
            continue
        node.target = target
        node.kwargs = {name: value for name, value in node.kwargs.items() if name != "generator"}
        changed = True
        if given is not None:
            used.add(given)
    specs = program.graph_signature.input_specs
    for node in [n for n in used if getattr(n, "op", "") == "placeholder" and not n.users]:
        spec = next(s for s in specs if s.arg.name == node.name)
        specs.remove(spec)
        program.constants.pop(spec.target, None)
        graph.erase_node(node)
    if changed:
        program.graph_module.recompile()
    return bool(used)


def _without_generator(target: Any) -> Any:
    """The overload that takes the same operands and no generator, or the same where it may be left out; else None."""
    schema = getattr(target, "_schema", None)
    packet = getattr(target, "overloadpacket", None)
    if schema is None or packet is None:
        return None
    if "generator" not in target._overloadname:  # `generator`, `low_generator`
        return target  # `normal(mean, std, *, generator=None)`
    wanted = [(a.name, str(a.type)) for a in schema.arguments if a.name != "generator"]
    for name in packet.overloads():
        other = getattr(packet, name)
        if [(a.name, str(a.type)) for a in other._schema.arguments] == wanted:
            return other
    return None
