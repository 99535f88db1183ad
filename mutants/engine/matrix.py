"""The kill matrix: which planted faults the comparison detects, and after how many cases.

A case of a mutant is one in which its answers were held against the verdict of the unmutated. For each seed one campaign
per target, from an empty corpus, grades all mutants at once (fuzzers/grading.h).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import json
import math
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
from engine import hunting, side_by_side, survival, systematic  # noqa: E402
from engine.grading import PRESET, Campaign, Grade, Graded, GradingError, run  # noqa: E402
from engine.harness import read_harness_mutants  # noqa: E402
from engine.modules import PRESET as MODULES_PRESET  # noqa: E402
from engine.modules import Built, Fault, Module, build, not_available, shipped  # noqa: E402
from engine.objects import BUILDS, BuildError, NotBuiltHere, dependencies, lock  # noqa: E402
from engine.planted import OWN, ROOT, InputError, Mutant, read_json, read_mutants, select  # noqa: E402

HISTORIC, OWN_KIND, SYSTEMATIC = "historic", "own", "systematic"
KINDS = (HISTORIC, OWN_KIND, SYSTEMATIC)
HARNESS_KIND = "harness"  # planted in the judge: a test must turn red; takes as long as all others together
PLANTED_BUDGET = 20_000  # cases within which half of the seeds must detect a planted fault
PLANTED_MEDIAN = 300  # of these medians
SYSTEMATIC_BUDGET = 200_000
SYSTEMATIC_SCORE = 0.99
EQUIVALENT_SHARE = 0.08
HUNT_SECONDS = 60
CONTROL_CASES = 5_000


# --- What is graded


@dataclasses.dataclass(frozen=True)
class Subject:
    id: str
    kind: str
    title: str
    file: str
    lines: tuple[int, ...]  # the edited ones
    fault: Fault
    planted: Mutant | None = None
    proof: str = ""  # that no outcome can show it


@dataclasses.dataclass(frozen=True)
class Equivalent:
    """Why a systematic mutant is none: found again by what it makes of which line of which file."""

    file: str
    line: str  # as it is, without the white space around it
    becomes: str
    proof: str
    function: str = ""  # where the same line stands in several


def read_equivalents() -> list[Equivalent]:
    path = ROOT / "mutants" / "equivalent.json"
    raw = read_json(path)
    where = str(path.relative_to(ROOT))
    fields = {field.name for field in dataclasses.fields(Equivalent)}
    if not isinstance(raw, list):
        raise InputError(f"{where}: not a list")
    result = []
    for number, each in enumerate(raw, 1):
        if not isinstance(each, dict) or not {"function", *each} == fields or not all(each.values()):
            raise InputError(f"{where}: entry {number}: the fields are {', '.join(sorted(fields))}; function may be left out")
        entry = Equivalent(**each)
        file = ROOT / entry.file
        lines = {line.strip() for line in file.read_text(encoding="utf-8").splitlines()} if file.is_file() else set()
        if not lines.issuperset(entry.line.split("\n")):
            raise InputError(f"{where}: entry {number}: {entry.file} has no line {entry.line!r}")
        result.append(entry)
    return result


def changed_line(text: str, edited: str) -> tuple[str, str]:
    """The lines that differ, before and after, without the white space around them."""
    before, after = text.splitlines(), edited.splitlines()
    first = next((i for i, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0)
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1

    def middle(lines: list[str]) -> str:
        return "\n".join(line.strip() for line in lines[first : len(lines) - last])

    return middle(before), middle(after)


def proof_for(candidate: systematic.Candidate, text: str, equivalents: Sequence[Equivalent]) -> str:
    before, after = changed_line(text, candidate.edited(text))
    for each in equivalents:
        same_place = each.file == candidate.file and each.function in ("", candidate.function)
        if same_place and (each.line, each.becomes) == (before, after):
            return each.proof
    return ""


def edited_lines(mutant: Mutant) -> tuple[int, ...]:
    """The lines of the original that an edit changes: of its anchor those that its replacement does not have too."""
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    result: list[int] = []
    for edit in mutant.edits:
        first = text[: text.index(edit.find)].count("\n") + 1
        old, new = edit.find.splitlines(), edit.replace.splitlines()
        start = next((i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new)))
        end = next(
            (i for i, pair in enumerate(zip(old[::-1], new[::-1], strict=False)) if pair[0] != pair[1]),
            min(len(old), len(new)),
        )
        # Where something is only put in, the lines around it.
        low, high = min(start, len(old) - 1), max(len(old) - end, start + 1)
        result += range(first + max(0, low - (high - low <= 0)), first + min(high, len(old)))
    return tuple(sorted(set(result)))


def planted_subjects(mutants: Sequence[Mutant]) -> list[Subject]:
    return [
        Subject(
            id=mutant.id,
            kind=OWN_KIND if mutant.mechanism == OWN else HISTORIC,
            title=mutant.title,
            file=mutant.file,
            lines=edited_lines(mutant),
            fault=Fault(mutant.id, mutant.file, mutant.edited(), (mutant.target,)),
            planted=mutant,
        )
        for mutant in mutants
    ]


def systematic_subject(candidate: systematic.Candidate, texts: dict[str, str], equivalents: Sequence[Equivalent]) -> Subject:
    text = texts[candidate.file]
    before, after = changed_line(text, candidate.edited(text))
    return Subject(
        id=candidate.id,
        kind=SYSTEMATIC,
        title=f"{candidate.operator}: {before}  ->  {after}".replace("\n", " / "),
        file=candidate.file,
        lines=(candidate.line,),
        fault=Fault(candidate.id, candidate.file, candidate.edited(text), ()),
        proof=proof_for(candidate, text, equivalents),
    )


def all_candidates() -> tuple[list[systematic.Candidate], dict[str, str]]:
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in systematic.files()}
    return [c for file, text in texts.items() for c in systematic.candidates(file, text)], texts


# --- Building


Say = Callable[[str], None]


class Progress:
    """One line on a terminal, nothing elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._lock = threading.Lock()

    def __call__(self, text: str) -> None:
        if self._shown:
            with self._lock:
                print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        self("")


def build_all(subjects: Sequence[Subject], jobs: int, say: Say) -> dict[str, Built]:
    built: dict[str, Built] = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for subject, result in zip(subjects, pool.map(lambda s: build(s.fault), subjects), strict=True):
            built[subject.id] = result
            say(f"built {len(built)} of {len(subjects)}")
    return built


def build_systematic(count: int, seed: int, only: Sequence[str], jobs: int, say: Say) -> tuple[list[Subject], dict[str, Built]]:
    """As many that compile as are asked for, in the order of the sample; those named, if some are."""
    every, texts = all_candidates()
    equivalents = read_equivalents()
    if only:
        order = [candidate for candidate in every if candidate.id in only]
        count = len(order)
    else:
        # Stratified; and beyond that, for those that do not compile, any.
        order = systematic.sample(every, min(count + count // 20 + 5, len(every)), seed)
        chosen = {candidate.id for candidate in order}
        order += [c for c in systematic.sample(every, len(every), seed) if c.id not in chosen]
    taken: list[Subject] = []
    built: dict[str, Built] = {}
    at = 0
    while len(taken) < count and at < len(order):
        batch = [systematic_subject(c, texts, equivalents) for c in order[at : at + count - len(taken)]]
        at += len(batch)
        results = build_all(batch, jobs, say)
        for subject in batch:
            result = results[subject.id]
            # What this machine cannot run is nothing that it can say something about.
            if result.compiles and not result.not_here:
                taken.append(subject)
                built[subject.id] = result
    return taken, built


# --- Grading


@dataclasses.dataclass
class Row:
    subject: Subject
    kernel: str
    seeds: int = 0
    reached: int = 0
    triggered: int = 0
    detected: int = 0
    missed: int = 0
    asked: list[int] = dataclasses.field(default_factory=list)  # cases, whether detected or not
    cases: list[int | None] = dataclasses.field(default_factory=list)
    executions: list[int | None] = dataclasses.field(default_factory=list)
    cpu_seconds: list[float | None] = dataclasses.field(default_factory=list)
    engine: str = "in one process"

    @property
    def cases_median(self) -> float:
        return survival.median(self.cases)

    @property
    def killed(self) -> bool:
        """By half of the seeds, which is what a median that is a number says."""
        return self.cases_median <= SYSTEMATIC_BUDGET


def kernel_of(subject: Subject, built: Built) -> str:
    if subject.planted:
        return "glue" if subject.planted.culprit == "lockstep" else subject.planted.culprit
    names = sorted({name for module in built.modules for name in module.participants if name != "hand_over"})
    everyone = {name for module in built.modules for name in shipped()[module.target]}
    return "+".join(names) if set(names) != everyone else Path(subject.file).stem


def ran(lines: dict[str, dict[int, int]], subject: Subject) -> bool:
    """Whether one of the edited lines did, in the original. Tables and declarations have no line that runs: then whether
    anything of the file did."""
    counts = lines.get(subject.file, {})
    known = [counts[line] for line in subject.lines if line in counts]
    return any(known) if known else any(counts.values())


def grade_all(
    subjects: Sequence[Subject], built: dict[str, Built], seeds: Sequence[int], options: argparse.Namespace, say: Say
) -> tuple[dict[str, Row], list[str]]:
    if not subjects:
        return {}, []
    rows = {s.id: Row(s, kernel_of(s, built[s.id])) for s in subjects}
    problems: list[str] = []
    tasks: list[tuple[Campaign, dict]] = []
    for seed in seeds:
        for target in options.published or shipped():
            modules = {
                s.id: module
                for s in subjects
                for module in built[s.id].modules
                # One seed is enough to see that what is said to be no fault shows none.
                if module.target == target and (not s.proof or seed == seeds[0])
            }
            if modules:
                campaign = Campaign(
                    target,
                    seed,
                    options.cases,
                    options.cpu_seconds,
                    options.without,
                    naive=options.naive,
                    inputs=options.published.get(target),
                )
                tasks.append((campaign, modules))

    def one(task: tuple[Campaign, dict]) -> Graded | GradingError:
        campaign, modules = task
        try:
            return run(campaign, modules, BUILDS / PRESET / "runs" / f"{campaign.target}-{campaign.seed}")
        except GradingError as error:
            return error

    problems += [problem for target in shipped() if (problem := control(target, seeds[0]))]
    by_seed: dict[int, list[Graded]] = {seed: [] for seed in seeds}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (task, result) in enumerate(zip(tasks, pool.map(one, tasks), strict=True), 1):
            say(f"graded {number} of {len(tasks)}")
            if isinstance(result, GradingError):
                problems.append(str(result))
            else:
                by_seed[task[0].seed].append(result)
    for seed in seeds:
        for row in rows.values():
            collect(row, by_seed[seed])
    return rows, problems


def control(target: str, seed: int) -> str:
    """A copy without a fault, whose answers must be those of the original: or what is detected elsewhere proves nothing."""
    module = Module(target, BUILDS / MODULES_PRESET / "bin" / f"copy_{target}.so", (*shipped()[target], "hand_over"))
    folder = BUILDS / PRESET / "runs" / f"{target}-control"
    try:
        grade = run(Campaign(target, seed, CONTROL_CASES), {"control": module}, folder).grades["control"]
    except GradingError as error:
        return str(error)
    if grade.triggered:
        return f"{target}: a copy of the library without any fault answers otherwise than the library"
    return "" if grade.cases else f"{target}: a copy of the library was asked nothing"


def collect(row: Row, graded: Sequence[Graded]) -> None:
    """One seed. A fault in what several algorithms share is asked in each: the first to detect it counts."""
    mine: list[tuple[Grade, Graded]] = [(g.grades[row.subject.id], g) for g in graded if row.subject.id in g.grades]
    if not mine:
        return
    row.seeds += 1
    row.triggered += any(grade.triggered for grade, _ in mine)
    row.missed += sum(grade.missed for grade, _ in mine)
    found = [grade for grade, _ in mine if grade.case_at_detection is not None]
    row.detected += bool(found)
    row.asked.append(sum(grade.cases for grade, _ in mine))
    # Whatever triggers has run, also where only a crash told of it.
    row.reached += any(grade.triggered or ran(g.lines, row.subject) for grade, g in mine)
    first = min(found, key=lambda grade: grade.case_at_detection or 0, default=None)
    row.cases.append(first.case_at_detection if first else None)
    row.executions.append(first.execution_at_detection if first else None)
    row.cpu_seconds.append(first.cpu_seconds_at_detection if first else None)


@dataclasses.dataclass(frozen=True)
class Hunted:
    """A hunting.Prey."""

    id: str
    file: str
    target: str
    text: str
    culprit: str = ""
    kind: str = "memory"

    def edited(self) -> str:
        return self.text


def hunt_all(
    subjects: Sequence[tuple[Subject, str, str]], seeds: Sequence[int], options: argparse.Namespace, say: Say
) -> dict[str, Row]:
    """Those that only a sanitizer sees, each with its kernel and its target: one process each, and every execution is a
    case. Nothing but a fault of memory counts, and within the budget."""
    if not subjects:
        return {}
    dependencies("libfuzzer")
    for target in sorted({target for _, _, target in subjects}):
        if faults := hunting.control(target, "libfuzzer").faults:
            raise InputError(f"the libFuzzer build, without any mutant: {faults[0]}")

    def one(item: tuple[Subject, str, str]) -> Row:
        subject, kernel, target = item
        prey = Hunted(subject.id, subject.file, target, subject.fault.text)
        row = Row(subject, kernel, engine="libfuzzer with sanitizers")
        try:
            builds = hunting.build(prey, "libfuzzer")
        except (BuildError, NotBuiltHere):
            return row
        for seed in seeds:
            trial = hunting.try_once(prey, "libfuzzer", seed, HUNT_SECONDS, builds, options.without)
            row.seeds += 1
            found = trial.kind == "memory" and trial.executions <= options.cases
            row.reached += found
            row.triggered += found
            row.detected += found
            row.cases.append(max(1, trial.executions) if found else None)
            row.executions.append(trial.executions if found else None)
            row.cpu_seconds.append(trial.cpu_seconds if found else None)
            if 2 * row.cases.count(None) > len(seeds):
                break  # a survivor, whatever the other seeds say, each of which may cost the full time
        say(f"hunted {subject.id}")
        return row

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return {row.subject.id: row for row in pool.map(one, subjects)}


def hunt_survivors(rows: dict[str, Row], built: dict[str, Built], seeds: Sequence[int], options: argparse.Namespace, say: Say) -> None:
    """Perhaps a sanitizer sees what of a systematic mutant no answer shows: what was found so replaces its row."""
    left = [
        (row.subject, row.kernel, module.target)
        for row in rows.values()
        if row.subject.kind == SYSTEMATIC and not row.killed and not row.subject.proof
        for module in built[row.subject.id].modules[:1]
    ]
    if not left:
        return
    if options.build:
        build_originals(["libfuzzer"])
    for id, row in hunt_all(left, seeds[:3], options, say).items():
        if row.killed:
            row.missed = rows[id].missed
            rows[id] = row


# --- Figures


def number(value: float | None) -> float | int | None:
    if value is None or math.isinf(value):
        return None
    return int(value) if float(value).is_integer() else round(value, 3)


def largest(values: Sequence[int | None]) -> float:
    return max((math.inf if value is None else value for value in values), default=math.inf)


def json_row(row: Row) -> dict:
    return {
        "id": row.subject.id,
        "kind": row.subject.kind,
        "title": row.subject.title,
        "mechanism": row.subject.planted.mechanism if row.subject.planted else None,
        "file": row.subject.file,
        "line": row.subject.lines[0] if row.subject.lines else None,
        "kernel": row.kernel,
        "graded": row.engine,
        "seeds": row.seeds,
        "reached": row.reached,
        "triggered": row.triggered,
        "detected": row.detected,
        "cases": row.cases,
        "cases_median": number(row.cases_median),
        "cases_max": number(largest(row.cases)),
        "executions_median": number(survival.median(row.executions)),
        "cpu_seconds_median": number(survival.median(row.cpu_seconds)),
        "survived": not row.killed,
    }


@dataclasses.dataclass
class Matrix:
    rows: list[Row]
    equivalents: list[tuple[Subject, str]]  # with their proofs
    problems: list[str]
    budget: int
    full: bool  # nothing was left out, so that the bars can be held against it
    harness: list[dict] = dataclasses.field(default_factory=list)
    left_out: list[str] = dataclasses.field(default_factory=list)  # planted in kernels that this CPU cannot run

    def of_kind(self, kind: str) -> list[Row]:
        return [row for row in self.rows if row.subject.kind == kind]

    def score(self, kind: str) -> float | None:
        """Detected / (all - equivalent)."""
        if kind == HARNESS_KIND:
            return sum(row["detected"] for row in self.harness) / len(self.harness) if self.harness else None
        rows = self.of_kind(kind)
        return sum(row.killed for row in rows) / len(rows) if rows else None

    def equivalent_share(self) -> float | None:
        every = len(self.of_kind(SYSTEMATIC)) + len(self.equivalents)
        return len(self.equivalents) / every if every else None

    def faults(self) -> list[str]:
        faults = list(self.problems)
        for row in self.rows:
            if row.missed:
                faults.append(
                    f"{row.subject.id}: in {row.missed} cases its answers were not those of its original, and the "
                    "comparison did not see it"
                )
            if row.subject.kind == HISTORIC and row.cases_median > PLANTED_BUDGET:
                faults.append(f"{row.subject.id}: not detected within {PLANTED_BUDGET} cases")
            elif row.subject.kind == OWN_KIND and not row.killed:
                faults.append(f"{row.subject.id}: not detected")
        faults += [f"{row['id']}: no test turned red" for row in self.harness if not row["detected"]]
        planted = [row.cases_median for row in self.of_kind(HISTORIC)]
        if planted and self.full and (middle := survival.median([number(each) for each in planted])) > PLANTED_MEDIAN:
            faults.append(f"the median over historic mutants is {middle:g} cases, above {PLANTED_MEDIAN}")
        score = self.score(SYSTEMATIC)
        allowed = max(1, (1 - SYSTEMATIC_SCORE) * len(self.of_kind(SYSTEMATIC)))
        if score is not None and len(self.of_kind(SYSTEMATIC)) * (1 - score) > allowed + 1e-9 and self.full:
            names = ", ".join(row.subject.id for row in self.of_kind(SYSTEMATIC) if not row.killed)
            faults.append(f"the systematic score {score:.1%} is below {SYSTEMATIC_SCORE:.0%}; survivors: {names}")
        share = self.equivalent_share()
        if share is not None and share > EQUIVALENT_SHARE and self.full and len(self.rows) >= 100:
            faults.append(f"{share:.1%} of the systematic sample are equivalent, above {EQUIVALENT_SHARE:.0%}")
        return faults


def json_matrix(matrix: Matrix, options: argparse.Namespace) -> dict:
    figures = {}
    for kind in KINDS:
        rows = matrix.of_kind(kind)
        if not rows:
            continue
        times = [time for row in rows for time in row.cases]
        figures[kind] = {
            "mutants": len(rows),
            "survivors": [row.subject.id for row in rows if not row.killed],
            "median_of_cases_median": number(survival.median([number(row.cases_median) for row in rows])),
            "survival": [{"cases": at, "share": round(share, 5)} for at, share in survival.curve(times, matrix.budget)],
            "restricted_mean_cases": round(survival.restricted_mean(times, matrix.budget), 1),
        }
    return {
        "mutants": [json_row(row) for row in matrix.rows] + matrix.harness,
        "equivalent": [{"id": subject.id, "proof": proof} for subject, proof in matrix.equivalents],
        "score": {
            kind: score for kind in (*KINDS, HARNESS_KIND) if (score := matrix.score(kind)) is not None
        },
        "equivalent_share": matrix.equivalent_share(),
        "figures": figures,
        "seeds": options.trials,
        "first_seed": options.first_seed,
        "sample_seed": options.seed,
        "budget_cases": matrix.budget,
        "without": options.without or None,
        "left_out": matrix.left_out,
        "faults": matrix.faults(),
    }


def count_text(value: float) -> str:
    return "-" if math.isinf(value) else f"{value:,.0f}"


def print_matrix(matrix: Matrix, options: argparse.Namespace) -> None:
    width = shutil.get_terminal_size((100, 24)).columns
    name = max(16, min(48, max((len(row.subject.id) for row in matrix.rows), default=16), width - 52))
    print(f"{'mutant':<{name}} {'reached':>7} {'triggered':>9} {'detected':>8} {'seeds':>5} {'median':>8} {'max':>8}")
    for kind in KINDS:
        rows = matrix.of_kind(kind)
        if rows:
            print(f"-- {kind}")
        for row in sorted(rows, key=lambda r: (-r.cases_median, r.subject.id)):
            if not options.all and row.killed and kind == SYSTEMATIC and row.cases_median < 1_000:
                continue
            print(
                f"{row.subject.id[:name]:<{name}} {row.reached:>7} {row.triggered:>9} {row.detected:>8} {row.seeds:>5} "
                f"{count_text(row.cases_median):>8} {count_text(largest(row.cases)):>8}"
                + ("" if row.killed else "  SURVIVED")
            )
    print()
    for kind in KINDS:
        rows = matrix.of_kind(kind)
        if not rows:
            continue
        times = [time for row in rows for time in row.cases]
        killed = sum(row.killed for row in rows)
        middle = survival.median([number(row.cases_median) for row in rows])
        print(
            f"{kind}: {killed} of {len(rows)} detected ({killed / len(rows):.1%}); cases until detection: median over "
            f"mutants {count_text(middle)}, mean restricted to {matrix.budget:,}: "
            f"{survival.restricted_mean(times, matrix.budget):,.0f}"
        )
        shown = [(at, share) for at, share in survival.curve(times, matrix.budget)]
        print("  alive after " + ", ".join(f"{at:,}: {share:.1%}" for at, share in shown))
    share = matrix.equivalent_share()
    if share is not None:
        print(f"equivalent, left out of the score: {len(matrix.equivalents)} ({share:.1%} of the systematic sample)")
    if matrix.left_out:
        print(f"no part of this run, since this CPU cannot run their kernels: {', '.join(matrix.left_out)}")
    if matrix.harness:
        red = sum(row["detected"] for row in matrix.harness)
        print(f"{HARNESS_KIND}: {red} of {len(matrix.harness)} turned a test red")
    print(f"seeds {options.first_seed} .. {options.first_seed + options.trials - 1}, seed of the sample {options.seed}")
    for fault in matrix.faults():
        print(f"FAULT: {fault}")


# --- The program


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lockstep mutants", description=__doc__, allow_abbrev=False)
    parser.add_argument("ids", nargs="*", metavar="ID", help="ids or globs; all without any")
    parser.add_argument("--kind", default=",".join(KINDS), help="of " + ",".join((*KINDS, HARNESS_KIND)))
    parser.add_argument("--trials", type=int, default=None, help="seeds; 10, or 3 side by side")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=500, help="systematic mutants that compile")
    parser.add_argument("--planted-sample", type=int, default=0, help="of the planted ones only so many, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1, help="of the samples")
    parser.add_argument("--cases", type=int, default=SYSTEMATIC_BUDGET, help="executions of a campaign")
    parser.add_argument("--cpu-seconds", type=float, default=None, help="of a campaign; no limit, or 30 side by side")
    parser.add_argument("--without", default="", help="as lockstep fuzz --without")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--all", action="store_true", help="also the rows of systematic mutants that fell soon")
    parser.add_argument("--no-build", dest="build", action="store_false", help="the originals are built already")
    parser.add_argument("--side-by-side", action="store_true", help=side_by_side.__doc__)
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(naive="", published={})
    options = parser.parse_args(words)
    if options.trials is None:
        options.trials = side_by_side.SEEDS if options.side_by_side else 10
    options.kind = options.kind.split(",")
    if not set(options.kind) <= {*KINDS, HARNESS_KIND}:
        raise InputError(f"the kinds are {', '.join((*KINDS, HARNESS_KIND))}")
    if min(options.trials, options.sample, options.cases, options.jobs) < 1:
        raise InputError("--trials, --sample, --cases and --jobs must be at least 1")
    if options.first_seed < 1:
        raise InputError("--first-seed must be at least 1: libFuzzer takes 0 for any")
    return options


def harness_rows() -> list[dict]:
    """What ci/harness-mutants says, in the words of the matrix."""
    figures = BUILDS / "harness-mutants.json"
    figures.unlink(missing_ok=True)
    command = [ROOT / "ci" / "harness-mutants", "--json", figures]
    subprocess.run(command, stdout=sys.stderr, check=False)
    if not figures.exists():
        raise InputError("ci/harness-mutants has failed")
    files = {mutant.id: mutant.file for mutant in read_harness_mutants()}
    rows = json.loads(figures.read_text(encoding="utf-8"))["rows"]
    if original := [row["fault"] for row in rows if row["id"] not in files and row["fault"]]:
        raise InputError(f"ci/harness-mutants: {original[0]}")
    return [
        {
            "id": row["id"],
            "kind": HARNESS_KIND,
            "file": files[row["id"]],
            "kernel": HARNESS_KIND,
            "seeds": 1,
            "reached": int(bool(row["seen_by"])),
            "triggered": int(bool(row["seen_by"])),
            "detected": int(bool(row["seen_by"])),
            "cases_median": None,
            "cases_max": None,
            "executions_median": None,
            "seen_by": row["seen_by"],
        }
        for row in rows
        if row["id"] in files and not row["skipped"]
    ]


def build_originals(presets: Sequence[str]) -> None:
    if subprocess.run([ROOT / "ci" / "build", *presets], stdout=sys.stderr, check=False).returncode != 0:
        raise InputError("the originals do not build")


def make_matrix(options: argparse.Namespace, say: Say) -> Matrix:
    planted: list[Subject] = []
    everyone = read_mutants()
    candidates = {c.id for c in all_candidates()[0]} if options.ids else set()
    chosen_systematic = [id for glob in options.ids for id in sorted(fnmatch.filter(candidates, glob))]
    planted_ids = [glob for glob in options.ids if not fnmatch.filter(candidates, glob)]
    if not options.ids or planted_ids:
        planted = planted_subjects(select(everyone, planted_ids))
        planted = [s for s in planted if s.kind in options.kind]
    if options.planted_sample and len(planted) > options.planted_sample:
        planted = random.Random(options.seed).sample(planted, options.planted_sample)
    hunted = [s for s in planted if s.planted and s.planted.seen_by == "sanitizer"]
    planted = [s for s in planted if s not in hunted]
    if options.build:
        build_originals([MODULES_PRESET, PRESET, *(["libfuzzer"] if hunted and not options.side_by_side else [])])
    dependencies(MODULES_PRESET)  # before there are threads, which would all ask
    shipped()
    not_available()
    built = build_all(planted, options.jobs, say)
    problems = []
    for subject in planted:
        if not built[subject.id].compiles:
            problems.append(f"{subject.id}: does not compile: {built[subject.id].error}")
        elif built[subject.id].identical:
            problems.append(f"{subject.id}: the object code is that of the original")
    graded = [s for s in planted if built[s.id].modules]
    left_out = [s.id for s in planted if built[s.id].not_here]

    equivalents: list[tuple[Subject, str]] = []
    if SYSTEMATIC in options.kind and (not options.ids or chosen_systematic):
        sample, sample_built = build_systematic(options.sample, options.seed, chosen_systematic, options.jobs, say)
        built |= sample_built
        equivalents += [(s, "identical object code") for s in sample if built[s.id].identical]
        graded += [s for s in sample if not built[s.id].identical]

    seeds = range(options.first_seed, options.first_seed + options.trials)
    rows, failed = grade_all(graded, built, seeds, options, say)
    problems += failed
    # Side by side nobody is hunted: those campaigns have no counterpart.
    if not options.side_by_side:
        rows |= hunt_all([(s, s.planted.culprit, s.planted.target) for s in hunted if s.planted], seeds, options, say)
        hunt_survivors(rows, built, seeds, options, say)
    for subject in graded:
        if subject.proof:
            row = rows.pop(subject.id)
            equivalents.append((subject, subject.proof))
            if row.triggered:
                problems.append(f"{subject.id}: equivalent.json says that no outcome shows it, and one does")
    full = not options.ids and not options.without and options.cpu_seconds is None
    harness = harness_rows() if HARNESS_KIND in options.kind and not options.ids else []
    return Matrix(list(rows.values()), equivalents, problems, options.cases, full, harness, left_out)


def main(words: Sequence[str]) -> int:
    options = arguments(words)
    lock(BUILDS / PRESET)
    progress = Progress()
    if options.side_by_side:
        return side_by_side.compare(options, make_matrix, progress)
    matrix = make_matrix(options, progress)
    progress.clear()
    if options.json:
        print(json.dumps(json_matrix(matrix, options), indent=1))
    else:
        print_matrix(matrix, options)
    return 1 if matrix.faults() or not (matrix.rows or matrix.harness) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (InputError, BuildError, NotBuiltHere) as error:
        print(f"lockstep mutants: error: {error}", file=sys.stderr)
        sys.exit(5)
    except KeyboardInterrupt:
        sys.exit(130)
