"""The public functions of the package: they load puzzles and solvers by name, and solve, check and make boards.

>>> import puzzlelab
>>> puzzle = puzzlelab.load("tiles-3x3")
>>> board = puzzle.read("8 6 7 2 5 4 3 0 1")
>>> result = puzzlelab.solve(board, solver="ida", estimate="walking")
>>> result.length, result.proof
(31, 'optimal')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from puzzlelab import api_arguments as checked
from puzzlelab.core import errors, registry
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance, naming_bad_boards
from puzzlelab.core.cover import ExactCover
from puzzlelab.core.errors import BadBoard, BadOption, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt, Solver
from puzzlelab.core.verify import Verdict
from puzzlelab.core.verify import verify as run_verify
from puzzlelab.engine.solving import attempts_of
from puzzlelab.engine.solving import solve as run_solve

PuzzleClass = TypeVar("PuzzleClass", bound=Puzzle)

if TYPE_CHECKING:
    import pyarrow

    from puzzlelab.analysis.count_estimates import CountEstimate
    from puzzlelab.analysis.game_analysis import Analysis
    from puzzlelab.analysis.hints import Hint
    from puzzlelab.analysis.logical_hints import LogicalHint
    from puzzlelab.analysis.needless_clues import NeedlessClues
    from puzzlelab.analysis.proofs import ProofCheck
    from puzzlelab.analysis.true_candidates import TrueCandidates
    from puzzlelab.analysis.unavoidable_sets import UnavoidableSet
    from puzzlelab.core.logic import Rating, Step
    from puzzlelab.core.result import Count
    from puzzlelab.engine.enumeration import Listing
    from puzzlelab.engine.executor import Executor
    from puzzlelab.jobs.checks import Check
    from puzzlelab.training.recipe import OnEvaluation, OnStep
    from puzzlelab.training.train import Source, Training


@overload
def load(name: str) -> Puzzle: ...
@overload
def load(name: str, kind: type[PuzzleClass]) -> PuzzleClass: ...
def load(name: str, kind: type[Puzzle] | None = None) -> Puzzle:
    """Return the puzzle with this name, such as `tiles-4x4`.

    Args:
        name: a name that `puzzlelab list` shows, or one of another size.
        kind: the class of the puzzle, such as `puzzlelab.Tiles`, for code that uses what not every puzzle has, such as
            `goal`: type checkers then know the class, and it is checked here.

    Raises:
        UnknownName: if there is no such family of puzzles.
        BadOption: if the family has no puzzle of this size or variant, or if the puzzle is of another class.

    >>> puzzlelab.load("sudoku-9x9").move_count
    729
    >>> puzzlelab.load("tiles-3x3", puzzlelab.Tiles).goal
    (1, 2, 3, 4, 5, 6, 7, 8, 0)
    """
    puzzle = registry.load(registry.with_files(name) if isinstance(name, str) else name)
    if kind is None:
        return puzzle
    expected = "a class of puzzles such as puzzlelab.Tiles"
    if errors.require_kind(kind, type, "the kind of a puzzle", expected) not in type(puzzle).__mro__:
        raise BadOption(f"{puzzle.name} is of the class {type(puzzle).__name__}, not {kind.__name__}")
    return puzzle


def read(text: str, puzzle: str | Puzzle | None = None) -> Instance:
    """Return the board in a text of any form: rows, a table, a list, a link.

    Args:
        text: a text with one board.
        puzzle: the puzzle or its name; by default the one that the text looks like.

    Raises:
        BadBoard: with the place of what is wrong, or with the boards that the text may be.

    >>> puzzlelab.read("8 6 7 / 2 5 4 / 3 _ 1")
    <tiles-3x3: 8 6 7 2 5 4 3 0 1>
    """
    boards = read_many(text, puzzle)
    if len(boards) > 1:
        raise BadBoard(f"{len(boards):,} boards are in this text, and one is expected; read_many reads them all")
    return boards[0]


def read_many(text: str, puzzle: str | Puzzle | None = None) -> Boards:
    """Return all boards in a text of any form: a file of many, with a board on each line, in rows, or in a table.

    Args:
        text: a text with boards of one puzzle.
        puzzle: the puzzle or its name; by default the one that the text looks like.

    Raises:
        BadBoard: with the place of what is wrong, or with the boards that the text may be.

    >>> len(puzzlelab.read_many("[[[1, 2], [3, 0]], [[1, 2], [0, 3]]]"))
    2
    """
    from puzzlelab.text.reader import read_all, read_any

    expected = "a text with a board, such as '8 6 7 2 5 4 3 0 1'"
    given = errors.require_kind(text, str, "the text", expected, BadBoard)
    boards = read_any(given) if puzzle is None else read_all(registry.as_puzzle(puzzle), given)
    names = dict.fromkeys(board.puzzle.name for board in boards)
    if len(names) > 1:
        raise BadBoard(f"boards of several puzzles are in this text ({', '.join(names)}): give one of them")
    return Boards.of(boards)


def attempts(
    instance: Instance | ExactCover, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any
) -> Iterator[Attempt]:
    """Yield `Progress` and ever better `Result`s of a solver on a board while it runs.

    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 0 7 8")
    >>> *_, last = puzzlelab.attempts(board, "ida")
    >>> last.moves, last.proof
    ((2, 2), 'optimal')
    """
    with _question(instance, solver, limit, options) as question:
        return attempts_of(*question)


def solve(
    instance: Instance | ExactCover,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    watch: Callable[[Attempt], bool] | None = None,
    **options: Any,
) -> Result:
    """Return the best answer of a solver to one board, verified by replay.

    Args:
        instance: a board, as `puzzle.read` gives it, or an exact cover, whose moves are its options.
        solver: a solver or its name, such as `ida` or `beam:width=100`, by default the puzzle's default solver.
        limit: where to stop; `result.stop` says whether a limit ended the search, `result.proof` what is proven.
        watch: is called with every attempt, and ends the search by returning True.
        options: the solver's settings, such as `estimate="pdb"`.

    >>> board = puzzlelab.load("tiles-3x3").read("8 6 7 2 5 4 3 0 1")
    >>> result = puzzlelab.solve(board, "ida", estimate="walking")
    >>> result.length, result.proof
    (31, 'optimal')
    """
    checked.callback(watch, "watch", "with every attempt")
    with _question(instance, solver, limit, options) as question:
        return run_solve(*question, watch)


def solve_many(
    instances: Iterable[Instance],
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    jobs: int | None = None,
    executor: str | Executor | None = None,
    **options: Any,
) -> Iterator[Result]:
    """Yield the answers to many boards, in order, on `jobs` threads (by default all cores); `limit` is for each board.

    With `executor`, the boards are solved by processes of this machine or by a cluster: it is what `open_executor`
    returns, or its name, such as `local` (with `jobs` processes) or `ray:10.0.0.1:6379`.

    The first board is solved alone, so that kernels are compiled and tables are built once. A solver that solves many
    boards together gets batches: `greedy` of a thousand boards, and the first batch alone; `ida` and `bands` of as many
    as take a fraction of a second. A board that takes long does not hold back the answers to those before it.

    >>> boards = puzzlelab.generate("tiles-3x3", count=3, level=10)
    >>> [result.proof for result in puzzlelab.solve_many(boards, jobs=1)]
    ['optimal', 'optimal', 'optimal']
    """
    answers = _answers(instances, solver, limit, jobs, executor, options)
    return (result for _, some in answers for result in some)


def _answers(
    boards: Iterable[Instance],
    solver: str | Solver | None,
    limit: Limit | None,
    jobs: int | None,
    executor: str | Executor | None,
    options: Mapping[str, Any],
) -> Iterator[tuple[Solver, Answers]]:
    """Yield the solver with its answers, in order; it is by default that of the first board's puzzle.

    The arguments are checked now, and no board is taken before the first answer is wanted.
    """
    workers = None if jobs is None else errors.whole_number(jobs, "the number of jobs", least=1)
    named_solver = None if solver is None else registry.as_solver(solver, options)
    boards = boards.with_own_states() if isinstance(boards, Boards) else boards
    instances, chosen_limit = checked.boards(boards), checked.limit(limit)

    def answers() -> Iterator[tuple[Solver, Answers]]:
        from puzzlelab.jobs.solve_parts import answers_of

        first = next(instances, None)
        if first is None:
            return
        chosen = named_solver or registry.solver(None, first.puzzle, **options)
        batch = boards if isinstance(boards, Boards) else None
        with _opened(executor, workers) as worker, naming_bad_boards(batch or [first]):
            for some in answers_of(chosen, chosen_limit, worker, batch, chain([first], instances)):
                yield chosen, some

    return answers()


def _opened(executor: str | Executor | None, jobs: int | None) -> AbstractContextManager[Executor]:
    """Return the executor of this name, this process without one, or the executor itself, which stays open."""
    if isinstance(executor, str):
        return open_executor(executor, jobs)
    if executor is not None:
        return nullcontext(executor)
    from puzzlelab.engine.parallel import ThisProcess

    return ThisProcess(jobs)


def open_executor(name: str, jobs: int | None = None) -> Executor:
    """Open worker processes of this machine (`local`), or a cluster (`ray`, `ray:ADDRESS`), for `solve_many`.

    Use it in a `with` statement, which ends its processes: `with puzzlelab.open_executor("local") as executor: ...`.

    Args:
        name: `local`; `ray`, the Ray cluster that this machine belongs to; or `ray:ADDRESS`, that of its head.
        jobs: the processes of `local`, by default one for each core.

    Raises:
        BadInput: if there is no such executor or cluster, or if a node has another version than this process.

    >>> boards = puzzlelab.generate("tiles-3x3", count=3, level=10)
    >>> with puzzlelab.open_executor("local", jobs=1) as executor:
    ...     [result.proof for result in puzzlelab.solve_many(boards, executor=executor)]
    ['optimal', 'optimal', 'optimal']
    """
    from puzzlelab.cluster import open_executor

    jobs = None if jobs is None else errors.whole_number(jobs, "the number of jobs", least=1)
    return open_executor(errors.require_text(name, "the executor", "a text such as 'local' or 'ray'"), jobs)


def solve_table(
    boards: Iterable[Instance],
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    jobs: int | None = None,
    executor: str | Executor | None = None,
    **options: Any,
) -> pyarrow.Table:
    """Return the answers to many boards as a table of Arrow, with a row a board and the columns of a file of rows.

    Boards are solved as `solve_many` solves them. pandas and polars take the table as it is, by `table.to_pandas()` and
    `polars.from_arrow(table)`; `table["length"].to_numpy()` is a column as an array. A `Boards` of boards that are
    an array already, and a solver that solves many boards together, need no Python object for each board.

    Raises:
        BadInput: if pyarrow is not installed.

    >>> boards = puzzlelab.generate("tiles-3x3", count=3, level=10)
    >>> puzzlelab.solve_table(boards, jobs=1)["proof"].to_pylist()
    ['optimal', 'optimal', 'optimal']
    """
    from puzzlelab.storage.row_columns import table_of

    return table_of(_answers(boards, solver, limit, jobs, executor, options), checked.limit(limit))


def check(
    instance: Instance | ExactCover, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any
) -> Check:
    """Check a board: whether it can be solved, and how hard it is.

    For puzzles whose boards should have a unique solution, the solver looks for a second one within the limit.

    Raises:
        Unsupported: if the solver must look for a second solution, and cannot enumerate solutions.

    >>> board = puzzlelab.load("tiles-3x3").read("2 1 3 4 5 6 7 8 0")
    >>> puzzlelab.check(board).unsolvable
    True
    """
    from puzzlelab.jobs.checks import check_many

    with _question(instance, solver, limit, options) as (chosen, board, limit):
        return check_many(Boards.of([board]), chosen, limit)[0]


def count(
    instance: Instance | ExactCover,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    most: int | None = None,
    optimal: bool = False,
    **options: Any,
) -> Count:
    """Count the solutions of a board, up to `most`; `stop` says whether these are all.

    Of puzzles whose solutions differ in length, such as tiles, those with the fewest moves are counted; with `optimal`
    of every puzzle.

    Raises:
        Unsupported: if the solver cannot count.

    >>> blank = puzzlelab.load("sudoku-4x4").read("0" * 16)
    >>> puzzlelab.count(blank, "dancing-links").solutions
    288
    >>> puzzlelab.count(puzzlelab.load("tiles-3x3").read("8 6 7 2 5 4 3 0 1")).solutions
    40
    """
    from puzzlelab.engine.enumeration import count as run_count

    with _question(instance, solver, limit, options, lists=True, optimal=optimal) as question:
        return run_count(*question, checked.solution_count(most))


def solutions(
    instance: Instance | ExactCover,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    most: int | None = None,
    optimal: bool = False,
    **options: Any,
) -> Listing:
    """Iterate over the solutions of a board, up to `most`; each is verified.

    After the iteration, `stop` says whether these are all ('done'). Of puzzles whose solutions differ in length, such
    as tiles, these are those with the fewest moves; with `optimal` of every puzzle.

    Raises:
        Unsupported: if the solver cannot enumerate solutions.

    >>> blank = puzzlelab.load("sudoku-4x4").read("0" * 16)
    >>> listing = puzzlelab.solutions(blank, "dancing-links", most=3)
    >>> len(list(listing)), listing.stop
    (3, 'solutions')
    """
    from puzzlelab.engine.enumeration import Listing

    with _question(instance, solver, limit, options, lists=True, optimal=optimal) as question:
        return Listing(*question, checked.solution_count(most))


def generate(
    puzzle: str | Puzzle,
    count: int = 1,
    scale: str | None = None,
    level: int | tuple[int, int] | str | None = None,
    seed: int | None = None,
    rng: checked.RandomSource | None = None,
    **settings: Any,
) -> Iterator[Instance]:
    """Yield new boards of a requested difficulty; equal seeds make equal boards.

    Without a scale and a level, the puzzle decides which boards it makes. Sliding tiles: levels drawn evenly from the
    main scale, so that easy boards are as frequent as hard ones. Dust: uniformly random full boards. Sudoku: boards
    without a superfluous clue. `scale="uniform"` makes uniformly random boards of sliding tiles and dust.

    Args:
        puzzle: a puzzle or its name.
        count: how many boards.
        scale: the scale of difficulty, by default the puzzle's main one, the first that `puzzlelab list PUZZLE` shows.
        level: a level on it, such as 15, or a range such as (10, 20) or '10-20', whose levels are equally frequent.
        seed: the seed of the random boards, by default 0.
        rng: in place of the seed a NumPy generator, from which one is drawn, so that the next call makes other boards;
            or whatever `numpy.random.default_rng` takes.
        settings: further settings of the puzzle's own generator, such as `clues`.

    Raises:
        BadOption: for unknown settings, and for settings that exclude each other, such as `seed` and `rng`.
        Unsupported: if the puzzle cannot make boards.

    >>> [board] = puzzlelab.generate("tiles-3x3", level=10, seed=1)
    >>> puzzlelab.check(board).difficulty["level"]
    10
    """
    from puzzlelab.jobs.board_generation import boards

    chosen = registry.as_puzzle(puzzle)
    count = errors.whole_number(count, "the number of boards", least=1)
    seed = checked.seed(seed, rng)
    scale = None if scale is None else errors.require_text(scale, "the scale", "a text such as 'uniform'")
    states = boards(chosen, count, scale, checked.levels(level), seed, **settings)
    return (Instance(chosen, state) for state in states)


def verify(instance: Instance, result: Result) -> Verdict:
    """Tell whether the claims of a result agree with the rules and with each other; its moves are replayed.

    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 7 0 8")
    >>> puzzlelab.verify(board, puzzlelab.solve(board)).holds
    True
    >>> puzzlelab.verify(board, puzzlelab.Result(moves=(0,))).reason
    'move 1 of 1, U, cannot be made on 1 2 3 4 5 6 7 0 8'
    """
    expected = "a Result, as puzzlelab.solve gives it"
    return run_verify(checked.board(instance), errors.require_kind(result, Result, "the result", expected))


def prove(
    instance: Instance, result: Result, claimed_by: str | Solver | None = None, limit: Limit | None = None
) -> ProofCheck | None:
    """Prove or refute what a result claims beyond its moves, by another method than the one that claimed it.

    A claim is that a solution is optimal or the only one, that there is none, or a lower bound. The puzzle names the
    methods (`Presentation.provers`). Returns None if the result claims nothing.

    Args:
        instance: a board.
        result: its answer; `verify` confirms its moves.
        claimed_by: the solver that made the claim, or its name with default options; it is tried last, and can only
            refute. Without it any method may prove the claim.
        limit: for all methods together.

    Raises:
        PuzzlelabError: if the moves of the result are wrong, or its columns contradict each other.

    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 0 7 8")
    >>> result = puzzlelab.solve(board, "ida")
    >>> puzzlelab.prove(board, result, claimed_by="ida").outcome
    'proven'
    """
    from puzzlelab.analysis.proofs import Method
    from puzzlelab.analysis.proofs import prove as run_prove

    verdict = verify(instance, result)
    if not verdict.holds:
        raise PuzzlelabError(f"the result does not hold: {verdict.reason}")
    claimant = None if claimed_by is None else Method.of(instance.puzzle, *_name_and_options(claimed_by))
    return run_prove(instance, result, checked.limit(limit), claimant)


def hint(
    instance: Instance,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    moves: Sequence[int] | str = (),
    removed: Sequence[int] | str = (),
    **options: Any,
) -> Hint | LogicalHint:
    """Return the optimal moves at a position (`best`), and the regret of every other move.

    For puzzles whose solutions are all equally long, such as Sudoku, it is the easiest next step of logic.

    Args:
        instance: a board.
        solver: the solver that values the moves, or lists the solutions that the moves of a game are compared with.
        limit: for all searches together; 60 seconds if not given.
        moves: a game from the board on, at whose end the hint is; numbers, or a text such as 'r1c9=6'.
        removed: candidates that were ruled out, as numbers of moves or a text such as 'r3c4<>5'.
        options: settings of the solver.

    >>> puzzle = puzzlelab.load("tiles-3x3")
    >>> hint = puzzlelab.hint(puzzle.read("1 2 3 4 5 6 0 7 8"))
    >>> [puzzle.write_move(move) for move in hint.best], hint.length
    (['L'], 2)
    >>> puzzlelab.hint(puzzlelab.load("sudoku-9x9").read("easy")).step.sentence
    '2 has one place left in box 1: r2c3'
    """
    from puzzlelab.analysis.bounded_queries import DEFAULT_LIMIT
    from puzzlelab.analysis.hints import hint_after, require_hints

    with _question(instance, solver, DEFAULT_LIMIT if limit is None else limit, options) as (chosen, board, limit):
        require_hints(chosen, board.puzzle)
        game, ruled_out = checked.moves(board, moves), checked.candidates(board.puzzle, removed)
        return hint_after(chosen, board, game, limit, removed=ruled_out)


def steps(
    instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any
) -> Iterator[Step]:
    """Yield the steps of logic that are possible on a board of a puzzle such as Sudoku, the easiest first.

    Harder techniques are looked for when their steps are needed. Steps rest on the assumption that the board has one
    solution only if the solver proves it within the limit.

    Raises:
        BadBoard: if the board has no solution.
        Unsupported: if the puzzle is not solved by logic.

    >>> board = puzzlelab.load("sudoku-9x9").read("easy")
    >>> step = next(puzzlelab.steps(board))
    >>> step.technique, [board.puzzle.write_move(move) for move in step.placements], step.rating
    ('hidden-single', ['r2c3=2'], 1.2)
    """
    from puzzlelab.analysis.logic_steps import possible_steps

    with _question(instance, solver, limit, options) as question:
        return possible_steps(*question)


def rate(
    boards: Iterable[Instance],
    scale: str | None = None,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    **options: Any,
) -> list[Rating]:
    """Rate boards of a puzzle such as Sudoku by the hardest step of logic that they need.

    A board that has no solution, or several, has a `reason` in the place of its rating.

    Args:
        boards: boards of one puzzle.
        scale: the scale, such as '121' or '118'; by default the puzzle's main one.
        solver: the solver that looks for a second solution of each board.
        limit: for each board.
        options: settings of the solver.

    Raises:
        UnknownName: if there is no such scale.
        Unsupported: if the puzzle has no ratings.

    >>> puzzle = puzzlelab.load("sudoku-9x9")
    >>> easy, blank = puzzlelab.rate([puzzle.read("easy"), puzzle.read("." * 81)])
    >>> easy.rating, easy.scale, easy.hardest
    (1.2, '121', 'hidden-single')
    >>> blank.rating, blank.reason
    (None, 'it has more than one solution')
    """
    from puzzlelab.jobs.ratings import rated_parts

    instances = list(checked.boards(boards))
    if not instances:
        return []
    with _question(instances[0], solver, limit, options) as (chosen, _, limit):
        parts = rated_parts(Boards.of(instances), scale, chosen, limit)
        return [rating for _, ratings in parts for rating in ratings]


def analyse(
    instance: Instance,
    moves: Sequence[int] | str,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    **options: Any,
) -> Analysis:
    """Return how many moves each move of a game wastes, the first mistake, and what was best instead.

    `limit` is for the whole game, by default 60 seconds. The game need not be finished. `moves` are numbers, or a text
    with the moves as the puzzle writes them and spaces between, such as 'U D'.

    Raises:
        BadBoard: if a move is illegal, or is none.
        Unsupported: if all solutions of this puzzle are equally long, as those of a Sudoku.

    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 0 7 8")
    >>> analysis = puzzlelab.analyse(board, "L R L L")
    >>> [str(step.regret) for step in analysis.steps], analysis.first_mistake, analysis.continuation
    (['0', '2', '0', '0'], 1, (2,))
    """
    from puzzlelab.analysis.bounded_queries import DEFAULT_LIMIT
    from puzzlelab.analysis.game_analysis import Game
    from puzzlelab.analysis.game_analysis import analyse as run_analyse

    with _question(instance, solver, DEFAULT_LIMIT if limit is None else limit, options) as (chosen, board, limit):
        return run_analyse(chosen, Game.of(board, checked.moves(board, moves)), limit)


def read_moves(instance: Instance, moves: str, letters: str | None = None) -> list[int]:
    """Return the moves in a text, from a board on, as numbers.

    Args:
        instance: the board before the first move.
        moves: the moves in any form that the puzzle has, such as 'R2U2LD', 'left down' or '8 6 5' (tiles that slide).
        letters: what letters of moves mean, such as 'blank' for sliding tiles; by default what the puzzle means.

    Raises:
        BadBoard: with the number of a move that is none, or cannot be made.
        Unsupported: if moves of the puzzle have one form, and `letters` is given.

    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 7 8 0")
    >>> puzzlelab.read_moves(board, "D2R") == puzzlelab.read_moves(board, "UUL", letters="blank") == [1, 1, 3]
    True
    """
    from puzzlelab.text.moves import read_game

    return read_game(checked.board(instance), errors.require_text(moves, "moves", "a text such as 'U D'"), letters)


def write_moves(
    instance: Instance, moves: Sequence[int] | str, form: str | None = None, letters: str | None = None
) -> str:
    """Return the text of legal moves from a board on, in one of the forms that the puzzle has.

    Args:
        instance: the board before the first move.
        moves: numbers, such as `result.moves`, or a text that `read_moves` reads.
        form: the form, such as 'counts', 'words' or 'numbers' for sliding tiles; by default names with spaces between.
        letters: what letters of moves mean in the form.

    Raises:
        BadBoard: with the number of a move that is none, or cannot be made.
        UnknownName: if there is no such form.
        Unsupported: if moves of the puzzle have one form, and another is named.

    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 7 8 0")
    >>> [puzzlelab.write_moves(board, "D D R", form) for form in ("counts", "words", "numbers", "blank")]
    ['D2R', 'down down right', '6 3 2', 'uul']
    """
    from puzzlelab.text.moves import move_notation, positions_of

    board = checked.board(instance)
    game, notation = checked.moves(board, moves), move_notation(board.puzzle, form, letters)
    list(positions_of(board, game))  # every move is legal
    return notation.write(board.state, game)


def scramble(puzzle: str | Puzzle, moves: str, letters: str | None = None) -> Instance:
    """Return the board after these moves from the goal; `letters` is that of `read_moves`.

    Raises:
        BadBoard: with the number of a move that is none, or cannot be made.
        Unsupported: if moves of the puzzle cannot be undone, or it has several goals.

    >>> puzzlelab.scramble("tiles-3x3", "D2R")
    <tiles-3x3: 1 0 2 4 5 3 7 8 6>
    """
    from puzzlelab.text.moves import move_notation, scrambled

    text = errors.require_text(moves, "moves", "a text such as 'R2U2LD'")
    return scrambled(move_notation(registry.as_puzzle(puzzle), None, letters), text)[0]


def canonical(boards: Iterable[Instance]) -> Boards:
    """Return the canonical form of each of these boards of one puzzle such as Sudoku.

    Two boards have the same one if, and only if, a symmetry makes one of the other. For Sudoku it is the least board
    that the symmetries make, cell by cell and with blanks first.

    Raises:
        BadOption: if there are no boards.
        Unsupported: if the puzzle has no canonical form, or that of a board takes too much memory.

    >>> read = puzzlelab.load("sudoku-4x4").read
    >>> one, other = puzzlelab.canonical([read("12......21......"), read("......43......34")])
    >>> one == other, one
    (True, <sudoku-4x4: .........1.2.2.1>)
    """
    from puzzlelab.analysis.classes import canonical_boards

    instances = list(checked.boards(boards))
    if not instances:
        raise BadOption("there are no boards: give at least one")
    with naming_bad_boards(instances):
        return canonical_boards(Boards.of(instances))


def true_candidates(
    instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any
) -> TrueCandidates:
    """Return what each cell of a board such as a Sudoku is in some solution.

    `limit` is for all searches together; where it ends them, `undecided` has the candidates that are not known.

    Raises:
        Unsupported: if the puzzle has no cells with candidates, or the solver cannot list solutions.

    >>> board = puzzlelab.load("sudoku-4x4").read("12..34..2143....")
    >>> true = puzzlelab.true_candidates(board)
    >>> [board.puzzle.write_cell(cell) for cell in true.open_cells]
    ['r2c3', 'r2c4', 'r4c3', 'r4c4']
    """
    from puzzlelab.analysis.true_candidates import true_candidates as of_boards

    with _question(instance, solver, limit, options) as (chosen, board, limit):
        return next(of_boards(Boards.of([board]), chosen, limit))


def needless_clues(
    instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any
) -> NeedlessClues:
    """Return the clues of a board with one solution that can be left out, each by itself; without any it is minimal.

    `limit` is for each clue.

    Raises:
        BadBoard: if the board has no solution or several, or if that is not known within the limit.
        Unsupported: if the puzzle has no cells with candidates, or the solver cannot count solutions.

    >>> board = puzzlelab.load("sudoku-4x4").read("1300003004000002")
    >>> [board.puzzle.write_move(move) for move in puzzlelab.needless_clues(board).clues]
    ['r1c2=3']
    """
    from puzzlelab.analysis.needless_clues import needless_clues as of_boards
    from puzzlelab.engine.enumeration import count as run_count

    with _question(instance, solver, limit, options) as (chosen, board, limit):
        counted = run_count(chosen, board, limit, 2)
        if counted.solutions != 1 or not counted.complete:
            raise BadBoard("only a board that is known to have one solution has needless clues")
        return next(of_boards(Boards.of([board]), chosen, limit))


def estimate_count(
    instance: Instance,
    probes: int | None = None,
    seed: int = 0,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    **options: Any,
) -> CountEstimate:
    """Estimate the number of solutions of a board where they are too many to count, with the error of the estimate.

    Args:
        instance: a board.
        probes: the random probes from which the estimate is made, by default 500; four times as many halve the error.
        seed: equal seeds give equal estimates.
        solver: the solver that counts up to some dozens of solutions.
        limit: its time ends the probes.
        options: settings of the solver.

    Raises:
        Unsupported: if the puzzle has no cells with candidates, or the solver cannot count solutions.

    >>> found = puzzlelab.estimate_count(puzzlelab.load("sudoku-4x4").read("." * 16), probes=50)
    >>> found.solutions, found.standard_error, found.is_exact
    (288.0, 0.0, False)
    """
    from puzzlelab.analysis.count_estimates import PROBES
    from puzzlelab.analysis.count_estimates import estimate_count as run

    number = errors.whole_number(PROBES if probes is None else probes, "the number of probes", least=2)
    with _question(instance, solver, limit, options) as (chosen, board, limit):
        return run(chosen, board, limit, number, checked.seed(seed, None))


def unavoidable_set(
    instance: Instance,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    most: int | None = None,
    **options: Any,
) -> UnavoidableSet | None:
    """Return the smallest set of cells in which two solutions of a board differ; None if no two were found.

    Up to `most` solutions are compared, by default 1,000; `is_smallest` says whether it is proven that no smaller set
    exists.

    Raises:
        Unsupported: if the puzzle has no cells with candidates, or the solver cannot list solutions.

    >>> board = puzzlelab.load("sudoku-4x4").read("1234.......1....")
    >>> found = puzzlelab.unavoidable_set(board)
    >>> [board.puzzle.write_cell(cell) for cell in found.cells], found.is_smallest
    (['r3c1', 'r3c3', 'r4c1', 'r4c3'], True)
    """
    from puzzlelab.analysis.unavoidable_sets import COMPARED
    from puzzlelab.analysis.unavoidable_sets import unavoidable_set as run

    with _question(instance, solver, limit, options) as (chosen, board, limit):
        return run(chosen, board, limit, checked.solution_count(most) or COMPARED)


def train(
    recipe: str,
    settings: Source | None = None,
    *,
    run: str | PathLike[str],
    changes: Mapping[str, Any] | None = None,
    on_step: OnStep | None = None,
    on_evaluation: OnEvaluation | None = None,
    executor: str | Executor | None = None,
    restart: bool = False,
) -> Training:
    """Train a network by a recipe, as `puzzlelab train` does; the same call continues a run.

    The callbacks run in this process, which learns, and cannot change the run. One that returns True stops the training
    as Ctrl-C does: the state and the network so far are saved. They are saved too when a callback raises an error,
    which is passed on.

    Args:
        recipe: the name of a recipe, such as `imitation`.
        settings: a file of TOML, the name of one of the package such as `tiles-3x3`, or a mapping with the same
            contents; by default those of the existing run.
        run: the folder of the run; an existing one is continued.
        changes: settings by their whole names, such as `{"learning.steps": 2000}`.
        on_step: is called after each step with its number and its losses. Reading them waits for a graphics card.
        on_evaluation: is called after each evaluation with the number of the step and a copy of the metrics.
        executor: makes the samples, as `open_executor` returns it, or its name; by default a process of this machine.
        restart: whether the files of an existing run are removed first.

    Raises:
        BadInput: if the settings cannot be trained with, the folder holds something else, or PyTorch is not installed.

    >>> from tempfile import TemporaryDirectory
    >>> settings = {"puzzle": "tiles-2x2", "learning": {"steps": 20}, "evaluation": {"every": 5}}
    >>> with TemporaryDirectory() as folder:
    ...     stop = lambda step, metrics: metrics["solved"] == 1
    ...     training = puzzlelab.train("tabular", settings, run=folder, on_evaluation=stop)
    >>> training.metrics["solved"]
    1.0
    """
    from puzzlelab.engine.worker_processes import end_if_unguarded
    from puzzlelab.runtime import libraries

    end_if_unguarded()  # before the run of the parent is touched
    libraries.require()
    from puzzlelab.training import recipe as recipes
    from puzzlelab.training.runs import Run
    from puzzlelab.training.train import settings_from
    from puzzlelab.training.train import train as run_training

    if not isinstance(run, str | PathLike):
        raise errors.wrong_argument("the run", "a folder such as 'runs/eight'", run)
    checked.callback(on_step, "on_step", "with the number of the step and its losses")
    checked.callback(on_evaluation, "on_evaluation", "with the number of the step and the metrics")
    expected = "a mapping such as {'learning.steps': 2000}"
    changed = errors.require_kind({} if changes is None else changes, Mapping, "the changes", expected)
    chosen = recipes.find(errors.require_text(recipe, "the recipe", "a name such as 'imitation'"))
    folder = Run(Path(run))
    values = settings_from(recipe, folder, settings, changed)
    if executor is not None:
        chosen.check_executor(values)
    callbacks = recipes.Callbacks(on_step, on_evaluation)
    with _opened(executor, 1 if executor is None else None) as workers:
        return run_training(chosen, values, folder, workers, callbacks, restart=restart)


@contextmanager
def _question(
    instance: Instance | ExactCover,
    solver: str | Solver | None,
    limit: Limit | None,
    options: Mapping[str, Any],
    lists: bool = False,
    optimal: bool = False,
) -> Iterator[tuple[Solver, Instance, Limit]]:
    """Give the solver, the board and the limit of a call, all checked; errors about the board name it.

    With `lists` the solver is by default one that lists solutions; see `enumerator_of` for `optimal`.
    """
    board = checked.board(instance)
    with naming_bad_boards([board]):
        if lists:
            from puzzlelab.engine.enumeration import enumerator_of

            solver = enumerator_of(board.puzzle, solver, optimal)
        chosen = (
            registry.solver(None, board.puzzle, **options) if solver is None else registry.as_solver(solver, options)
        )
        yield chosen, board, checked.limit(limit)


def _name_and_options(choice: str | Solver) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the options of a solver, which need not be installed here if `choice` is a text."""
    if isinstance(choice, str):
        return registry.solver_and_options(choice, {})
    chosen_solver = registry.as_solver(choice, {})
    return chosen_solver.name, chosen_solver.options()
