"""A system of coroutines as guarded transitions: one for each path from an await to the next."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import PurePath
from types import FunctionType, ModuleType
from typing import Any

from mule.errors import MuleError, Place
from mule.frontends.actors.frames import MISSING, NotHere
from mule.frontends.actors.layout import assigned_attributes
from mule.frontends.actors.paths import Infeasible, Path, TooManyPaths, explore
from mule.frontends.actors.processes import Process as WithFields
from mule.frontends.actors.purity import is_written
from mule.frontends.actors.shapes import put_together, taken_apart
from mule.frontends.actors.sources import Sources, parse, place_of
from mule.frontends.actors.types import Kind
from mule.frontends.actors.values import Failing, Symbol, type_name
from mule.frontends.python import objects as library
from mule.frontends.python.awaited import TooManyProcesses
from mule.frontends.python.code import Code, Local, Wait, live_at
from mule.frontends.python.control import Control
from mule.frontends.python.exceptions import Exceptions
from mule.frontends.python.kinds import Kinds, NoneKind
from mule.frontends.python.memory import (
    Memory,
    cancels,
    looks_at_results,
    shared_objects,
    unused_fields,
)
from mule.frontends.python.objects import Shared
from mule.frontends.python.objects import Task as Handle
from mule.frontends.python.predicates import ProcessPredicates, TaskView
from mule.frontends.python.statics import Statics
from mule.frontends.python.step import Step
from mule.frontends.python.system import System, Task
from mule.frontends.python.walking import RunningEvaluator, Walk
from mule.model import INT, Action, Assertion, Claim, Model, Move, Statement
from mule.model import Kind as TransitionKind
from mule.model.builder import ModelBuilder
from mule.model.expressions import Constant, Expression, Read
from mule.model.variables import Variable

EXACT_PASSES, MOST_PASSES = 8, 40
MOST_PROCESSES = 64


@dataclass
class Program:
    """One process: its code, and what is found out about it while it is compiled."""

    task: Task
    code: Code
    live: dict[int, frozenset[Local]]
    bound: dict[int, frozenset[Local]] = field(default_factory=dict)
    """For each place to stop, the variables that have a value on every way there."""
    start: tuple[int, dict[Local, int]] | None = None
    """Where it begins, if nothing happens before its first await that others could see."""

    @property
    def locations(self) -> list[str]:
        names = ["start"]
        for position in self.code.waits:
            wait = self.code.instructions[position]
            assert isinstance(wait, Wait)
            names.append(_unique(f"line {wait.line}{wait.copy}", names))
        return [*names, "end"]

    def location(self, position: int) -> int:
        return self.code.waits.index(position) + 1 if position < self.code.end else len(self.code.waits) + 1


def translate(system: System) -> Model:
    """The model. The types of variables that are not declared are found by compiling again until nothing changes."""
    compiler = _Compiler(system)
    for number in range(MOST_PASSES):
        compiler.kinds.widening = number >= EXACT_PASSES
        model = compiler.compiled()
        if model is not None:
            return model
    raise MuleError("the types of variables cannot be found: annotate them")


class _Compiler:
    def __init__(self, system: System) -> None:
        self.system = system
        for task in system.tasks:
            task.close()
        self.sources = Sources()
        self.objects = shared_objects(_roots(system))
        self.files = _files(system, self.objects)
        trees = {file: parse("".join(linecache.getlines(file)), file) for file in sorted(self.files)}
        own = [tree for file, tree in trees.items() if file != inspect.getfile(library)]
        self.assigned = (assigned_attributes(trees.values()) - unused_fields(own)) | {"outcome"}
        statics = Statics(self.objects, self.sources, self.files, self.assigned)
        self.cancels = statics.cancels = cancels(own)
        self.kinds = Kinds(self.objects)
        self.exceptions = Exceptions()
        self.tasks = list(system.tasks)
        self.programs: list[Program] = []
        while len(self.programs) < len(self.tasks):
            task = self.tasks[len(self.programs)]
            statics.running = len(self.programs)
            code = Control(task, statics, self._begin).code()
            self.programs.append(Program(task, code, {}))
        for program in self.programs:
            handle = program.task.handle
            if handle is not None and looks_at_results(own):
                handle.__dict__.update(wanted=True, awaited=True)
            kept = {handle.result} if handle is not None and handle.wanted and handle.result is not None else set()
            program.live = live_at(program.code, frozenset(kept))

    def _begin(self, task: Task) -> Handle:
        """A process that another one starts."""
        if len(self.tasks) >= MOST_PROCESSES:
            raise TooManyProcesses(f"more than {MOST_PROCESSES} processes: no task can start itself")
        word = task.code.co_name.replace("_", " ").strip()
        taken = {each.name for each in self.tasks}
        task.name = next(name for number in count(1) if (name := f"{word} {number}") not in taken)
        task.handle = Handle(len(self.tasks), name=task.name)
        self.objects.append(task.handle)
        self.tasks.append(task)
        return task.handle

    def compiled(self) -> Model | None:
        """None where something was found out that changes what was compiled before."""
        known = dict(self.kinds.found)
        bounds = [dict(program.bound) for program in self.programs]
        starts = [program.start for program in self.programs]
        codes = self._codes()
        translation = _Translation(self)
        translation.transitions()
        if (known, bounds, starts, codes) != (
            self.kinds.found,
            [program.bound for program in self.programs],
            [program.start for program in self.programs],
            self._codes(),
        ):
            return None
        return translation.model()

    def _codes(self) -> list[frozenset[int]]:
        """How tasks were found to end."""
        return [frozenset(task.handle.codes) for task in self.tasks if task.handle is not None]


class _Translation:
    def __init__(self, compiler: _Compiler) -> None:
        self.compiler = compiler
        self.system = compiler.system
        self.kinds = compiler.kinds
        self.builder = ModelBuilder(self.system.name, "python")
        for program in compiler.programs:
            locations = program.locations
            initial = 0 if program.start is None else program.location(program.start[0])
            if program.task.coroutine is None:
                initial = len(locations) - 1
            # When the tasks of the system have ended, the program has: others need not.
            may_wait = program.task.background or program.task.coroutine is None
            ends = range(len(locations)) if may_wait else [len(locations) - 1]
            name = program.task.code.co_name
            self.builder.process(program.task.name, locations, initial, ends=ends, declaration=name)
        self.memory = Memory(self.builder, compiler.objects, compiler.assigned, len(compiler.programs))
        self.variables: dict[Local, tuple[Variable, Kind]] = {}
        self._scratch: dict[tuple[int, int], Read] = {}
        self._names: set[str] = set()

    def model(self) -> Model:
        views = [
            TaskView(program.task.name, self.builder.processes[number], program.code, self._locals_of(program))
            for number, program in enumerate(self.compiler.programs)
        ]
        step = partial(Step, self.memory, self.compiler.sources, self.compiler.files)
        predicates = ProcessPredicates(self.system, self.compiler.objects, views, self.compiler.sources, step)
        for name, function in self.system.invariants.items():
            holds = predicates.of_function(function)
            place = Place(function.__code__.co_filename, function.__code__.co_firstlineno)
            self.builder.assertions.append(Assertion(name, holds, place, True))
        for name, formula in self.system.ltl.items():
            self.builder.claims.append(Claim(name, formula=formula))
        return self.builder.build(parse_expression=predicates.of_text, parse_number=predicates.number)

    def _locals_of(self, program: Program) -> dict[str, Symbol]:
        return {
            f"{scope.prefix}{name}": Symbol(Read(variable), kind)
            for (scope, name), (variable, kind) in self.variables.items()
            if scope is program.code.scope
        }

    # steps ------------------------------------------------------------------------------------------------------------

    def transitions(self) -> None:
        for number, program in enumerate(self.compiler.programs):
            if program.task.coroutine is None and 0 not in program.bound:
                continue  # no way to where it begins was found yet
            self._start(number, program)
            done: set[int] = set()
            pending = [position for position in program.code.waits if position in program.bound]
            while pending:
                position = pending.pop(0)
                if position < program.code.end and position not in done:
                    done.add(position)
                    pending += self._steps(number, program, position)

    def _start(self, number: int, program: Program) -> None:
        """The way to the first await is a step of its own, unless nobody would notice it."""
        found = list(self._paths(number, program, None))
        if len(found) == 1 and program.task.coroutine is not None:
            path, (walk, target, _) = found[0]
            if not path.conditions and isinstance(target, int):
                values = self._kept(program, walk, target)
                constants = {local: code.value for local, code in values.items() if isinstance(code, Constant)}
                unseen = not walk.started and not walk.evaluator.step.statements({}, partial(self._spare, number))
                if unseen and len(constants) == len(values):
                    program.start = target, constants
                    for local, code in constants.items():
                        self._variable(program, local, code)
                    return
        program.start = None
        for path, (walk, target, failure) in found:
            self._add(number, program, 0, path, walk, target, failure)

    def _steps(self, number: int, program: Program, position: int) -> list[int]:
        reached = []
        for path, (walk, target, failure) in self._paths(number, program, position):
            self._add(number, program, program.location(position), path, walk, target, failure)
            if target is not None:
                reached.append(target)
        return reached

    def _paths(
        self, number: int, program: Program, position: int | None
    ) -> Iterable[tuple[Path, tuple[Walk, int | None, Failing | None]]]:
        compiler = self.compiler
        location = 0 if position is None else program.location(position)

        def run(path: Path) -> tuple[Walk, int | None, Failing | None]:
            step = Step(self.memory, compiler.sources, compiler.files)
            evaluator = RunningEvaluator(path, compiler.objects, step, compiler.exceptions, self._result)
            walk = Walk(
                program.code,
                path,
                evaluator,
                self._ended,
                compiler.exceptions,
                self._result,
                program.task.handle,
                compiler.cancels,
            )
            try:
                if position is None:
                    if program.task.coroutine is None:
                        walk.restore((local, self._read(program, local)) for local in self._held(program, 0))
                    return walk, walk.from_start(), None
                walk.restore((local, self._read(program, local)) for local in self._held(program, position))
                return walk, walk.from_wait(position), None
            except Failing as failure:
                return walk, None, failure

        place = None if position is None else program.code.instructions[position].place
        try:
            yield from explore(run)
        except TooManyPaths:
            where = program.locations[location]
            raise MuleError(f"{program.task.name}: too many ways from {where} to the next await", place) from None
        except NotHere as why:
            raise MuleError(str(why), place) from None

    def _held(self, program: Program, position: int) -> list[Local]:
        """The variables that are needed at a place to stop, in a fixed order."""
        return sorted(
            program.live[position] & program.bound.get(position, frozenset()),
            key=lambda each: (each[0].prefix, each[1]),
        )

    def _add(
        self,
        number: int,
        program: Program,
        source: int,
        path: Path,
        walk: Walk,
        target: int | None,
        failure: Failing | None,
    ) -> None:
        statements: list[Statement] = []
        location = source
        if target is not None:
            location = program.location(target)
            values = self._kept(program, walk, target)
            own = {Read(self._variable(program, local, 0)[0]): code for local, code in values.items()}
            for child in walk.started:
                began = self.compiler.programs[child]
                given = self._kept(began, walk, 0)
                own |= {Read(self._variable(began, local, 0)[0]): code for local, code in given.items()}
            statements = walk.evaluator.step.statements(own, partial(self._spare, number))
            if location != source:
                statements.append(self.builder.go(number, location))
        moves = [Move(number, source, location)]
        for child in walk.started:
            statements.append(self.builder.go(child, 0))
            moves.append(Move(child, len(self.compiler.programs[child].locations) - 1, 0))
        conditions = [self.builder.at(number, source), *path.conditions]
        shown = [Action(number, each.text, each.place, 0) for each in walk.shown]
        if failure is not None and failure.place is not None and (not shown or shown[-1].place != failure.place):
            shown.append(Action(number, "fails", failure.place, 0))
        if not shown:
            shown.append(Action(number, "begins", place_of(program.code.scope.definition, program.code.scope.file), 0))
        last = shown[-1]
        shown[-1] = Action(number, last.text, last.place, len(statements))
        name = _unique(f"{program.task.name}: {program.locations[source]}", self._names)
        self._names.add(name)
        self.builder.transition(
            name,
            [guard for condition in conditions for guard in self.builder.guards(condition)],
            statements,
            moves,
            text=shown[0].text,
            place=shown[0].place,
            kind=TransitionKind.STEP if failure is None else TransitionKind.ERROR,
            failure="" if failure is None else failure.text,
            asserts=failure is not None and failure.asserts,
            message=() if failure is None else failure.message,
            actions=shown,
        )

    def _ended(self, number: int) -> Expression:
        return self.builder.at(number, len(self.compiler.programs[number].locations) - 1)

    # variables of processes -------------------------------------------------------------------------------------------

    def _kept(self, program: Program, walk: Walk, target: int) -> dict[Local, Expression]:
        """What the variables hold that will be needed."""
        found: dict[Local, Expression] = {}
        held: set[Local] = set()
        for local in sorted(program.live[target], key=lambda each: (each[0].prefix, each[1])):
            value = walk.value(local, MISSING)
            if value is not MISSING:
                found |= self._codes(program, walk, target, local, value)
                held.add(local)
        bound = frozenset(held)
        program.bound[target] = program.bound.get(target, bound) & bound
        return found

    def _codes(self, program: Program, walk: Walk, target: int, local: Local, value: Any) -> dict[Local, Expression]:
        """A tuple or a frozen dataclass takes a variable for each of its parts."""
        scope, name = local
        apart = taken_apart(value)
        shape = None if apart is None else (apart[0], tuple(apart[1]))
        known = self.kinds.parts.get(local, shape)
        if apart is None or known != shape or local in self.kinds.found:
            if known is not None:
                what = f"{name} is {type_name(value)} here, and something else elsewhere"
                raise MuleError(f"{what}: use names of their own", self._place(program, target))
            return {local: self._code(program, walk, target, local, value)}
        assert shape is not None
        self.kinds.parts[local] = shape
        found: dict[Local, Expression] = {}
        for part, each in apart[1].items():
            found |= self._codes(program, walk, target, (scope, f"{name}.{part}"), each)
        return found

    def _place(self, program: Program, target: int) -> Place | None:
        return program.code.instructions[min(target, program.code.end - 1)].place

    def _code(self, program: Program, walk: Walk, target: int, local: Local, value: Any) -> Expression:
        scope, name = local
        kind = self.kinds.hold(local, value, walk.path)
        place = self._place(program, target)
        if kind is None:
            what = f"is {type_name(value)} here, and {before}" if (before := self.kinds.found.get(local)) else None
            what = what or f"is {type_name(value)}, which cannot be kept"
            hint = "annotate it, or use names of their own" if before else "keep numbers, enums and objects, or a field"
            shown = "a value in this expression" if name in scope.extra else name
            raise MuleError(f"{shown} {what} across an await: {hint}", place)
        evaluator = walk.evaluator
        return evaluator.code(evaluator.coerced(value, kind, name), kind)

    def _read(self, program: Program, local: Local) -> Any:
        if local in self.kinds.parts:
            (scope, name), (cls, parts) = local, self.kinds.parts[local]
            return put_together(cls, {part: self._read(program, (scope, f"{name}.{part}")) for part in parts})
        variable, kind = self._variable(program, local, 0)
        return None if isinstance(kind, NoneKind) else Symbol(Read(variable), kind)

    def _variable(self, program: Program, local: Local, initial: int) -> tuple[Variable, Kind]:
        if local not in self.variables:
            scope, name = local
            kind = self.kinds.found[local]
            number = self.compiler.programs.index(program)
            first = min(max(initial, kind.low), kind.high)
            named = _unique(f"{program.task.name}.{scope.prefix}{name}", {each.name for each in self.builder.variables})
            variable = self.builder.variable(named, kind.integers, (first,), process=number)
            self.variables[local] = variable, kind
        return self.variables[local]

    def _result(self, task: Handle) -> Any:
        local = task.result
        assert task.wanted
        if local is None or (local not in self.kinds.found and local not in self.kinds.parts):
            raise Infeasible  # no way to its end was found yet
        return self._read(self.compiler.programs[task.number], local)

    def _spare(self, number: int, position: int) -> Read:
        known = self._scratch.get((number, position))
        if known is None:
            name = f"{self.compiler.tasks[number].name}: aside {position}"
            known = self._scratch[number, position] = Read(self.builder.variable(name, INT, process=number))
        return known


def _unique(name: str, taken: Iterable[str]) -> str:
    """Copies of one name are numbered."""
    known = set(taken)
    number, found = 1, name
    while found in known:
        number += 1
        found = f"{name} #{number}"
    return found


def _roots(system: System) -> list[Any]:
    """Where shared objects are found: in the arguments of tasks, and among the names that their modules know."""
    found: list[Any] = []
    for task in system.tasks:
        found += task.variables.values()
    for task in system.tasks:
        found += [value for name, value in task.free.items() if not name.startswith("__")]
    for function in (*system.invariants.values(), *system.propositions.values()):
        found += [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    return found


def _files(system: System, objects: list[Shared]) -> frozenset[str]:
    """Where the model is written."""
    classes = {cls for each in objects for cls in type(each).__mro__ if cls not in (object, WithFields)}
    members = [member for cls in classes for member in vars(cls).values()]
    functions = [*members, *system.invariants.values(), *system.propositions.values()]
    found = {
        function.__code__.co_filename
        for function in functions
        if isinstance(function, FunctionType) and is_written(function)
    }
    found |= {task.code.co_filename for task in system.tasks}
    folders = {PurePath(file).parent for file in found - {inspect.getfile(library)}}
    found |= {file for task in system.tasks for file in _imported(task.free, folders)}
    return frozenset(found | {inspect.getfile(library)})


def _imported(names: Mapping[str, Any], folders: set[PurePath]) -> set[str]:
    """The files in these folders whose functions a module knows by name, and so on."""
    found: set[str] = set()
    pending: list[Mapping[str, Any]] = [names]
    while pending:
        for value in list(pending.pop().values()):
            known = vars(value) if isinstance(value, ModuleType) else getattr(value, "__globals__", {})
            file = known.get("__file__") if isinstance(value, FunctionType | ModuleType) else None
            if isinstance(file, str) and PurePath(file).parent in folders and file not in found:
                found.add(file)
                pending.append(known)
    return found
