"""TensorFlow 1's control flow (frames, Switch and Merge) lifted to While and If nodes: every graph is a DAG.

The forms are those of "Dynamic Control Flow in Large-Scale Machine Learning" (Yu et al., EuroSys 2018):
a loop variable is Enter -> Merge -> Switch -> (Exit | body -> NextIteration -> Merge); a conditional guards what its
branches read by Switch and joins what they return by Merge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from analyzer.loading.files import shown
from analyzer.loading.tensorflow_functions import substitute
from analyzer.loading.tensorflow_nodes import Attribute, GraphBody, Node, Tensor, reads
from analyzer.operators.registry import operator_named
from analyzer.problem import TargetProblem

ENTER, MERGE, SWITCH, EXIT, NEXT = (
    frozenset(operator_named(name).tf) for name in ("Enter", "Merge", "Switch", "Exit", "NextIteration")
)
PLUMBING = ENTER | MERGE | SWITCH | EXIT | NEXT | {"LoopCond"}
Context = tuple[tuple[Tensor, int], ...]  # the predicates, outermost first, under which a node runs, with their values


def lift(body: GraphBody) -> None:
    """Lift the loops, then the conditionals, of `body` and of all bodies inside it.

    Conditionals without a result, and forms that no TensorFlow writes, stay as Switch and Merge nodes.

    Raises:
        TargetProblem: a loop is not well formed.
    """
    for node in body.nodes:
        for inner in (node.graphs or {}).values():
            lift(inner)
    if any(node.op in ENTER for node in body.nodes):
        _lift_loops(body)
    if any(node.op in MERGE for node in body.nodes):
        _lift_conditionals(body)


def ordered(nodes: Iterable[Node], back_edges: bool = False) -> list[Node]:
    """Nodes so that each comes after those it depends on. With `back_edges`, NextIteration -> Merge does not count.

    Raises:
        TargetProblem: the graph has a cycle.
    """
    nodes = list(nodes)
    owner = {node.name: node for node in nodes}
    for node in nodes:
        for name, _ in node.outputs or ():
            owner[name] = node
    waiting: dict[int, int] = {}
    followers: dict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        before = {id(found) for name, _ in reads(node) if (found := owner.get(name)) is not None}
        before |= {id(found) for name in node.controls if (found := owner.get(name)) is not None}
        if back_edges and node.op in MERGE:
            before = {
                i
                for i in before
                if i not in {id(owner[n]) for n, _ in node.inputs if n in owner and owner[n].op in NEXT}
            }
        waiting[id(node)] = len(before)
        for i in before:
            followers[i].append(node)
    ready = [node for node in reversed(nodes) if not waiting[id(node)]]
    result: list[Node] = []
    while ready:
        node = ready.pop()
        result.append(node)
        for follower in reversed(followers[id(node)]):
            waiting[id(follower)] -= 1
            if not waiting[id(follower)]:
                ready.append(follower)
    if len(result) != len(nodes):
        stuck = next(node for node in nodes if waiting[id(node)])
        raise TargetProblem(f"node '{shown(stuck.name)}' depends on itself outside of a loop; the graph is damaged.")
    return result


def _lift_loops(body: GraphBody) -> None:
    order = ordered(body.nodes, back_edges=True)
    frame: dict[str, tuple[str, ...]] = {}
    for node in order:
        around = max((frame.get(n, ()) for n in [*(n for n, _ in node.inputs), *node.controls]), key=len, default=())
        if node.op in ENTER:
            around = (*around, str(node.attributes.get("frame_name", Attribute("s", "")).value))
        elif node.op in EXIT:
            around = around[:-1]
        frame[node.name] = around
    members: dict[tuple[str, ...], list[Node]] = defaultdict(list)
    for node in order:
        members[frame[node.name]].append(node)
    exits: dict[Tensor, list[Node]] = defaultdict(list)
    for node in order:
        if node.op in EXIT:
            exits[node.inputs[0]].append(node)
    paths = {path[:end] for path in members for end in range(len(path) + 1)}
    for path in sorted(paths, key=len, reverse=True):
        if path:
            loop, gone = _loop(path[-1], members[path], exits, {n.name for n in body.nodes})
            outer = members[path[:-1]]
            members[path[:-1]] = [n for n in outer if n.name not in gone] + [loop]
    body.nodes = members[()]
    known = {name for node in body.nodes for name in (node.name, *(n for n, _ in node.outputs or ()))}
    for node in body.nodes:
        node.controls = [c for c in node.controls if c in known]


def _loop(name: str, members: list[Node], exits: dict[Tensor, list[Node]], used: set[str]) -> tuple[Node, set[str]]:
    """The While node of one frame, and the names of the Exit nodes it replaces."""
    by_name = {node.name: node for node in members}

    def malformed(what: str) -> TargetProblem:
        return TargetProblem(f"the loop '{shown(name)}' {what}; the graph is damaged.")

    conditions = [node for node in members if node.op == "LoopCond"]
    if len(conditions) != 1:
        raise malformed(f"has {len(conditions)} conditions")
    condition = conditions[0]
    merges = [node for node in members if node.op in MERGE and any(_is(by_name, t, NEXT) for t in node.inputs)]
    aliases: dict[Tensor, Tensor] = {(n.name, 0): n.inputs[0] for n in members if n.op in ENTER}
    initial, following, formal, results = [], [], [], []
    gone: set[str] = set()
    switches: dict[Tensor, Node] = {}
    for node in members:
        if node.op in SWITCH and len(node.inputs) == 2 and node.inputs[1] == (condition.name, 0):
            switches[node.inputs[0]] = node
    loop_name = name.removesuffix("/while_context")
    while loop_name in used:
        loop_name += "_loop"
    for index, merge in enumerate(merges):
        entering = [t for t in merge.inputs if _is(by_name, t, ENTER)]
        coming = [t for t in merge.inputs if _is(by_name, t, NEXT)]
        if len(entering) != 1 or len(coming) != 1:
            raise malformed(
                f"has a variable '{shown(merge.name)}' without one value to start with and one to go on with"
            )
        initial.append(by_name[entering[0][0]].inputs[0])
        following.append(by_name[coming[0][0]].inputs[0])
        switch = switches.get((merge.name, 0))
        formal.append((switch.name, 1) if switch is not None else (f"{merge.name}/body", 0))
        leaving = exits.get((switch.name, 0), []) if switch is not None else []
        results.append((leaving[0].name, 0) if leaving else (loop_name, index))
        gone.update(node.name for node in leaving)
        if len(leaving) > 1:
            raise malformed("leaves a variable twice")

    def with_aliases(
        nodes: list[Node], outputs: list[Tensor], extra: dict[Tensor, Tensor]
    ) -> tuple[list[Node], list[Tensor]]:
        table = aliases | extra

        def resolve(tensor: Tensor) -> Tensor:
            for _ in range(len(table) + 1):
                if tensor not in table:
                    return tensor
                tensor = table[tensor]
            raise malformed("has a value that is its own start")

        copies = [_copied(node) for node in nodes]
        substitute(copies, resolve)
        return copies, [resolve(tensor) for tensor in outputs]

    values = [(merge.name, 0) for merge in merges]
    in_condition = _slice(by_name, [condition.inputs[0]])
    in_body = _slice(by_name, following)
    rest = [n.name for n in members if n.op not in PLUMBING and n.name not in in_condition]
    in_body |= _slice(by_name, [(n, 0) for n in rest]) | set(rest)

    def is_kept(node: Node, names: set[str]) -> bool:
        if node.name not in names or node.op in ENTER or node.op in NEXT or node.op == "LoopCond":
            return False
        return node not in merges and not (node.op in SWITCH and (node.name, 1) in formal)

    condition_nodes, predicate = with_aliases(
        [n for n in members if is_kept(n, in_condition)], [condition.inputs[0]], {}
    )
    inside = dict(zip(values, formal, strict=True)) | {(condition.name, 0): condition.inputs[0]}
    if any((condition.name, 0) in reads(n) for n in members if is_kept(n, in_body)):
        in_body |= in_condition
    body_nodes, next_values = with_aliases([n for n in members if is_kept(n, in_body)], following, inside)
    cond, body = GraphBody(values, condition_nodes, predicate), GraphBody(formal, body_nodes, next_values)
    for graph in (cond, body):
        if any(node.op in MERGE for node in graph.nodes):
            _lift_conditionals(graph)
    loop = Node(loop_name, "While", initial, [], {}, outputs=results, graphs={"cond": cond, "body": body})
    loop.controls = [c for n in members if n.op in ENTER for c in n.controls]
    return loop, gone


def _is(by_name: dict[str, Node], tensor: Tensor, operators: frozenset[str]) -> bool:
    node = by_name.get(tensor[0])
    return node is not None and node.op in operators and bool(node.inputs)


def _copied(node: Node) -> Node:
    graphs = None
    if node.graphs is not None:
        graphs = {
            k: GraphBody(list(b.inputs), [_copied(n) for n in b.nodes], list(b.outputs)) for k, b in node.graphs.items()
        }
    return Node(
        node.name, node.op, list(node.inputs), list(node.controls), node.attributes, node.label, node.outputs, graphs
    )


def _slice(by_name: dict[str, Node], targets: list[Tensor]) -> set[str]:
    """Names of the nodes among `by_name` on which `targets` depend, control inputs left aside."""
    makers = {output: node for node in by_name.values() for output in node.outputs or ()}
    found: set[str] = set()
    stack = list(targets)
    while stack:
        tensor = stack.pop()
        node = makers.get(tensor) or by_name.get(tensor[0])
        if node is None or node.name in found:
            continue
        found.add(node.name)
        if node.op not in ENTER and node.op not in NEXT:
            stack.extend(reads(node))
    return found


def _lift_conditionals(body: GraphBody) -> None:
    try:
        order = ordered(body.nodes)
    except TargetProblem:
        return  # `tensorflow_graph` reports it
    by_name = {node.name: node for node in body.nodes}

    def origin(tensor: Tensor) -> Tensor:
        node = by_name.get(tensor[0])
        while node is not None and node.op == "Identity" and len(node.inputs) == 1:
            tensor = node.inputs[0]
            node = by_name.get(tensor[0])
        return tensor

    context: dict[str, Context] = {}

    def context_of(tensor: Tensor) -> Context:
        node = by_name.get(tensor[0])
        around = context.get(tensor[0], ())
        if node is not None and node.op in SWITCH and len(node.inputs) == 2 and tensor[1] in (0, 1):
            return (*around, (origin(node.inputs[1]), tensor[1]))
        return around

    value_index_read = {t[0] for node in body.nodes for t in reads(node) if t[1] == 1}
    groups: dict[tuple[Context, Tensor, str], list[tuple[Node, Tensor, Tensor]]] = defaultdict(list)
    for node in order:
        contexts = [context_of(t) for t in reads(node)] + [context.get(c, ()) for c in node.controls]
        around = max(contexts, key=len, default=())
        if node.op in MERGE and len(node.inputs) == 2 and around:
            outer, predicate = around[:-1], around[-1][0]
            first, second = (context_of(t) for t in node.inputs)
            chosen = first[-1] if len(first) >= len(second) else (second[-1][0], 1 - second[-1][1])
            on_false, on_true = node.inputs if chosen[1] == 0 else node.inputs[::-1]
            agrees = all(not c or c[:-1] != outer or c[-1][0] == predicate for c in (first, second))
            if agrees and first != second and node.name not in value_index_read:
                groups[outer, predicate, node.name.rpartition("/")[0]].append((node, on_false, on_true))
            around = outer
        context[node.name] = around

    used = {node.name for node in body.nodes}
    for (outer, predicate, scope), merges in sorted(groups.items(), key=lambda item: -len(item[0][0])):
        _lift_group(body, by_name, context, outer, predicate, scope, merges, used, origin)


def _lift_group(
    body: GraphBody,
    by_name: dict[str, Node],
    context: dict[str, Context],
    outer: Context,
    predicate: Tensor,
    scope: str,
    merges: list[tuple[Node, Tensor, Tensor]],
    used: set[str],
    origin: Callable[[Tensor], Tensor],
) -> None:
    """Replace the Merge nodes of one conditional by an If node."""
    makers: dict[Tensor, Node] = {}
    for node in by_name.values():
        for output in node.outputs or ():
            makers[output] = node

    def maker(tensor: Tensor) -> Node | None:
        return makers.get(tensor) or by_name.get(tensor[0])

    def is_guard(node: Node) -> bool:
        if node.op not in SWITCH or len(node.inputs) != 2:
            return False
        return origin(node.inputs[1]) == predicate and context.get(node.name, ()) == outer

    def branch(outputs: list[Tensor], value: int) -> tuple[GraphBody, set[str]]:
        inside = (*outer, (predicate, value))
        names: set[str] = set()
        stack = list(outputs)
        while stack:
            node = maker(stack.pop())
            if node is None or node.name in names or context.get(node.name, ())[: len(inside)] != inside:
                continue
            names.add(node.name)
            stack.extend(reads(node))

        def resolve(tensor: Tensor) -> Tensor:
            node = by_name.get(tensor[0])
            for _ in range(len(by_name)):
                if node is None or node.name in names or not is_guard(node):
                    break
                tensor = node.inputs[0]
                node = by_name.get(tensor[0])
            return tensor

        copies = [_copied(node) for node in by_name.values() if node.name in names]
        substitute(copies, resolve)
        return GraphBody([], copies, [resolve(t) for t in outputs]), names

    otherwise, names_false = branch([on_false for _, on_false, _ in merges], 0)
    then, names_true = branch([on_true for _, _, on_true in merges], 1)
    name = scope or merges[0][0].name
    while name in used:
        name += "_if"
    used.add(name)
    conditional = Node(
        name,
        "If",
        [predicate],
        [],
        {},
        outputs=[(merge.name, 0) for merge, _, _ in merges],
        graphs={"then_branch": then, "else_branch": otherwise},
    )
    for merge, _, _ in merges:
        del by_name[merge.name]
        context.pop(merge.name, None)
        context[merge.name] = outer
    by_name[name] = conditional
    context[name] = outer
    guarded = {(*outer, (predicate, value)) for value in (0, 1)}
    pivots = {n.name for n in by_name.values() if n.op == "Identity" and context.get(n.name, ()) in guarded}
    _drop_unread(by_name, names_false | names_true | pivots, is_guard, body.outputs)
    body.nodes = list(by_name.values())


def _drop_unread(
    by_name: dict[str, Node], candidates: set[str], is_guard: Callable[[Node], bool], outputs: list[Tensor]
) -> None:
    """Remove the nodes that only served a lifted conditional, and its guards once nothing reads them."""
    candidates = candidates | {node.name for node in by_name.values() if is_guard(node)}
    owner = {output: node.name for node in by_name.values() for output in _names(node)}
    readers: dict[str, int] = defaultdict(int)
    for node in by_name.values():
        for name, _ in reads(node):
            readers[owner.get(name, name)] += 1
    for name, _ in outputs:
        readers[owner.get(name, name)] += 1
    stack = sorted(name for name in candidates if not readers[name])
    while stack:
        gone = by_name.pop(stack.pop(), None)
        for name, _ in reads(gone) if gone is not None else ():
            maker = owner.get(name, name)
            readers[maker] -= 1
            if not readers[maker] and maker in candidates:
                stack.append(maker)


def _names(node: Node) -> set[str]:
    """The names that tensors of a node carry."""
    return {node.name} if node.outputs is None else {node.name, *(name for name, _ in node.outputs)}
