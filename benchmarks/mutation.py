"""Which small changes of a module do its tests not notice?

    python -m benchmarks.mutation scorer/farkle.py tests/scorer/test_farkle_rules.py [more tests ...]

Every mutant is the module with one comparison, sign, number, truth value, condition or keyword argument
changed. Each runs in a process of its own (a fork, so that nothing is imported twice): first, quickly, the
games of `tests/games` and the golden table, and if all of those come out right the tests, up to the first
failure. What is still alive is printed with its line. One process at a time.

Tools that do this exist; they copy the project and start Python and pytest anew for every mutant, which takes
ten times as long for modules whose tests take a second.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

LIMIT_S = 120
"""A mutant that takes longer runs for ever: its tests have noticed it."""

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.BitAnd: ast.BitOr,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
_MUTABLE = (
    ast.Compare,
    ast.BoolOp,
    ast.BinOp,
    ast.AugAssign,
    ast.UnaryOp,
    ast.Constant,
    ast.If,
    ast.IfExp,
    ast.While,
    ast.Call,
)
_CALLED = {"min": "max", "max": "min", "all": "any", "any": "all"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed module."""

    line: int
    """Where it was changed."""
    what: str
    """How."""
    code: CodeType
    """The module."""


def mutants(source: str, name: str) -> Iterator[Mutant]:
    """Return every module that differs from the source in one place."""
    nodes = list(ast.walk(ast.parse(source)))
    for place in range(len(nodes)):
        for way in range(4 if isinstance(nodes[place], _MUTABLE) else 0):
            tree = ast.parse(source)
            node = list(ast.walk(tree))[place]
            before = _words(node)
            changed = _changed(tree, node, way)
            if changed is None:
                break
            ast.fix_missing_locations(tree)
            line = getattr(node, "lineno", 0)
            yield Mutant(line, f"{before}  ->  {changed}", compile(tree, name, "exec"))


def _words(node: ast.AST) -> str:
    return " ".join(ast.unparse(copy.deepcopy(node)).split())[:90]


def _changed(tree: ast.Module, node: ast.AST, way: int) -> str | None:
    """Change a node in place; return its words after it, or None where there is no such way."""
    match node:
        case ast.Compare(ops=[only]) if way < len(_COMPARED[type(only)]):
            node.ops = [_COMPARED[type(only)][way]()]
        case ast.BoolOp() if way == 0:
            node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        case ast.BinOp() if way == 0 and type(node.op) in _CALCULATED and not _is_text(node):
            node.op = _CALCULATED[type(node.op)]()
        case ast.AugAssign() if way == 0 and type(node.op) in _CALCULATED:
            node.op = _CALCULATED[type(node.op)]()
        case ast.UnaryOp(op=ast.Not()) if way == 0:
            node.op = ast.UAdd()
            node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        case ast.UnaryOp(op=ast.USub()) if way == 0:
            node.op = ast.UAdd()
        case ast.Constant(value=bool() as value) if way == 0:
            node.value = not value
        case ast.Constant(value=int() as value) if not isinstance(value, bool) and way < 2:
            node.value = value + (1 if way == 0 else -1)
        case ast.If() | ast.IfExp() | ast.While() if way < 2:
            node.test = ast.Constant(way == 0)
        case ast.Call(func=ast.Name(id=name)) if way == 0 and name in _CALLED:
            node.func = ast.Name(_CALLED[name], ast.Load())
        case ast.Call() if way < len(node.keywords) and _is_replace(node):
            del node.keywords[way]
        case _:
            return None
    return _words(node) if not isinstance(node, (ast.If, ast.While)) else f"if {way == 0}"


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(each, ast.JoinedStr) for each in (node.left, node.right))


def _is_replace(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in ("replace", "Turn", "Legal")


class _Loader(importlib.abc.Loader):
    def __init__(self, code: CodeType) -> None:
        self._code = code

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the mutant in place of the module."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self._name, self._path, self._code = name, path, code

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=_Loader(self._code))


def survives(path: Path, mutant: Mutant, tests: Sequence[str]) -> bool:
    """Run the tests against a mutant; whether they all passed."""
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT_S)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        code = 1
        try:
            name = ".".join(path.with_suffix("").parts)
            sys.meta_path.insert(0, _Finder(name, path, mutant.code))
            play_games()
            import pytest

            code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *tests]))
        except BaseException:
            code = 1
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def play_games() -> None:
    """Play the games that were worked out by hand, and score the golden table.

    Raises:
        AssertionError: something comes out otherwise; any other error too says that it does.
    """
    from scorer.notation import parse
    from scorer.playthrough import played
    from scorer.rules import preset
    from scorer.scoring import score_table
    from tests.scorer import golden

    for path in sorted(Path("tests/games").glob("*.game")):
        assert not played(parse(path.read_text(encoding="utf-8"))).failed
    for name, rows in golden.read().items():
        scores = score_table(preset(name))
        for roll, worth in rows.items():
            points = [each.points for each in scores.of(roll).selections]
            assert (scores.of(roll).best, scores.of(roll).used, len(points), sum(points)) == worth


def main() -> None:
    """Run all mutants of a module and print those that are alive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("module", type=Path)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--lines", default="", help="only lines A-B")
    wanted = parser.parse_args()
    import pytest  # noqa: F401 - before the forks, so that none of them imports it again

    source = wanted.module.read_text(encoding="utf-8")
    first, _, last = wanted.lines.partition("-")
    unchanged = Mutant(0, "nothing", compile(source, str(wanted.module), "exec"))
    if not survives(wanted.module, unchanged, wanted.tests):
        sys.exit("the tests fail without any change; mend them first")
    began, count, alive = time.monotonic(), 0, 0
    for mutant in mutants(source, str(wanted.module)):
        if wanted.lines and not int(first) <= mutant.line <= int(last or first):
            continue
        count += 1
        if survives(wanted.module, mutant, wanted.tests):
            alive += 1
            print(f"{wanted.module}:{mutant.line}: {mutant.what}", flush=True)
    took = time.monotonic() - began
    print(f"{wanted.module}: {count} mutants, {alive} alive, {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
