"""What the names in an async function are: its own or not, and which of them have one value wherever they are used."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

Loops = (ast.For, ast.While, ast.AsyncFor)
Functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def parameters(definition: ast.AsyncFunctionDef) -> list[ast.arg]:
    return [*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs]


def own_names(definition: ast.AsyncFunctionDef) -> frozenset[str]:
    """Parameters, and what the function assigns."""
    return frozenset(each.arg for each in parameters(definition)) | frozenset(_stores(definition))


def _stores(definition: ast.AsyncFunctionDef) -> Counter[str]:
    found: Counter[str] = Counter()
    inner = {
        id(name)
        for node in ast.walk(definition)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
    }
    for node in ast.walk(definition):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in inner:
            found[node.id] += 1
        named = ast.MatchAs | ast.MatchStar | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, named) and node is not definition and node.name is not None:
            found[node.name] += 1
        if isinstance(node, ast.ExceptHandler) and node.name is not None:
            found[node.name] += 2
    return found


def free_names(node: ast.AST) -> frozenset[str]:
    """The names of an expression that have their values from outside of it. A comprehension has variables of its own,
    whatever else their names stand for around it; only its first iterable is evaluated outside."""
    if isinstance(node, ast.Name):
        return frozenset({node.id})
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        first = node.generators[0]
        bound = {name.id for each in node.generators for name in ast.walk(each.target) if isinstance(name, ast.Name)}
        inside = [*(each for each in ast.iter_child_nodes(node) if each is not first), *first.ifs]
        return free_names(first.iter) | (frozenset().union(*map(free_names, inside)) - bound)
    return frozenset().union(*map(free_names, ast.iter_child_nodes(node)))


def fixed_names(definition: ast.AsyncFunctionDef) -> frozenset[str]:
    """Parameters that are never assigned; names that one statement assigns, used only after it in the same block."""
    stores = _stores(definition)
    found = {each.arg for each in parameters(definition) if each.arg not in stores}
    everywhere = _loads(definition)
    for name, block in _single_stores(definition):
        if stores[name] == 1 and name not in found:
            inside: Counter[str] = Counter()
            for statement in block:
                inside += _loads(statement)
            if inside[name] == everywhere[name]:
                found.add(name)
    return frozenset(found)


def _loads(tree: ast.AST) -> Counter[str]:
    return Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def _single_stores(definition: ast.AsyncFunctionDef) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Names with the statements that come after their assignment in its block."""
    return _stores_in(definition.body, [])


def _stores_in(block: list[ast.stmt], after: list[ast.stmt]) -> Iterator[tuple[str, list[ast.stmt]]]:
    """`after` comes next whenever the block is done: it belongs to it."""
    for position, statement in enumerate(block):
        rest = [*block[position + 1 :], *after]
        inner: list[ast.stmt] = []
        match statement:
            case ast.Assign([target]) | ast.AnnAssign(target):
                for name in bound_names(target) or ():
                    yield name, rest
            case ast.AsyncWith(items=items, body=body):
                inner = rest
                for item in items:
                    if isinstance(item.optional_vars, ast.Name):
                        yield item.optional_vars.id, [*body, *rest]
            case ast.For(target=target, body=body):
                for name in bound_names(target) or ():
                    yield name, body
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.ExceptHandler | ast.match_case):
                yield from _stores_in(child.body, [])
        if not isinstance(statement, Functions):
            for name in ("body", "orelse", "finalbody"):
                yield from _stores_in(getattr(statement, name, None) or [], inner)


def bound_names(target: ast.expr) -> list[str] | None:
    """The names that an assignment binds, if it does nothing else."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else None


def awaits(tree: ast.AST) -> bool:
    """Whether there is a scheduling point inside, or a task that begins, or an exception that is caught."""
    return any(
        isinstance(node, ast.Await | ast.AsyncWith | ast.AsyncFor | ast.Try | ast.TryStar)
        or (isinstance(node, ast.Raise) and node.exc is None)
        or starts(node)
        for node in ast.walk(tree)
    )


def starts(node: ast.AST) -> bool:
    """Whether it looks like a call that makes a task."""
    match node:
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
            return name in ("create_task", "ensure_future")
    return False


def leaves(statement: ast.stmt) -> bool:
    """Whether control may go on elsewhere than after the statement: return, or break of a loop around it."""
    return _leaves(statement, inside=False)


def _leaves(node: ast.AST, inside: bool) -> bool:
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, ast.Break | ast.Continue):
        return not inside
    if isinstance(node, Functions):
        return False
    if isinstance(node, Loops):
        return any(_leaves(each, True) for each in node.body) or any(_leaves(each, inside) for each in node.orelse)
    return any(_leaves(child, inside) for child in ast.iter_child_nodes(node))


def ends(loop: ast.While) -> bool:
    """Whether there is any way out of a loop, besides its test."""
    return any(isinstance(node, ast.Return | ast.Break | ast.Raise | ast.Assert) for node in ast.walk(loop))
