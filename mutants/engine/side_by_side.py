"""The same mutants, the same CPU time: Lockstep, Lockstep without some part, published vectors, a naive target."""

from __future__ import annotations

import argparse
import copy
import dataclasses
import json
import math
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from engine import survival
from engine.modules import shipped
from engine.objects import BUILDS
from engine.planted import ROOT, InputError

SEEDS = 3
CPU_SECONDS = 30.0
KINDS = ("historic", "own", "systematic")
PACKAGE = "python3-cryptography-vectors"


@dataclasses.dataclass(frozen=True)
class Approach:
    name: str
    title: str
    without: str = ""  # as LOCKSTEP_WITHOUT
    naive: str = ""  # as LOCKSTEP_NAIVE
    published: bool = False  # vectors, once, in place of a search


APPROACHES = (
    Approach("lockstep", "Lockstep"),
    Approach("without_steering", "without steering", without="steering"),
    Approach("without_mutator", "without the structure-aware mutator", without="mutator"),
    Approach("without_cells", "without semantic cells", without="cells"),
    Approach("published_vectors", "published vectors, once", naive="cases", published=True),
    Approach("naive", "naive target", naive="bytes"),
)


# --- What is compared


class Subject(Protocol):
    id: str
    kind: str


class Row(Protocol):
    """Of one mutant, over all seeds."""

    subject: Subject
    asked: list[int]
    cases_median: float
    cpu_seconds: list[float | None]
    killed: bool


@dataclasses.dataclass(frozen=True)
class Line:
    """What one approach came to."""

    approach: Approach
    mutants: int
    detected: int  # by half of the seeds, so that it is what the median seed says
    shares: dict[str, float]  # of the kinds that there are
    cases: float  # the median over those that it detected; infinite if there are none
    cpu_seconds: float
    survived_cases: float  # the median over those that it did not detect: how many cases they were asked
    survivors: tuple[str, ...]


def line_of(approach: Approach, rows: Sequence[Row]) -> Line:
    killed = [row for row in rows if row.killed]
    survivors = [row for row in rows if not row.killed]
    shares = {}
    for kind in KINDS:
        of_kind = [row for row in rows if row.subject.kind == kind]
        if of_kind:
            shares[kind] = sum(row.killed for row in of_kind) / len(of_kind)
    return Line(
        approach=approach,
        mutants=len(rows),
        detected=len(killed),
        shares=shares,
        cases=survival.median([row.cases_median for row in killed]),
        cpu_seconds=survival.median([survival.median(row.cpu_seconds) for row in killed]),
        survived_cases=survival.median([survival.median(row.asked or [0]) for row in survivors]),
        survivors=tuple(sorted(row.subject.id for row in survivors)),
    )


# --- Published vectors


def vector_files() -> tuple[list[Path], list[str]]:
    """Those that ci/test takes, and what is to be said about them."""
    files: list[Path] = []
    said: list[str] = []
    done = subprocess.run(["dpkg", "-L", PACKAGE], capture_output=True, text=True, check=False)
    for path in map(Path, done.stdout.splitlines()):
        folder = str(path.parent)
        if (folder.endswith("/ciphers/AES/GCM") and path.suffix == ".rsp") or (
            folder.endswith("/hashes/blake2") and path.suffix == ".txt"
        ):
            files.append(path)
    said.append(f"vectors of {PACKAGE}: {len(files)} files" if files else f"vectors left out: {PACKAGE} is not installed")
    wycheproof = sorted((ROOT.parent / "shared" / "vectors" / "wycheproof").glob("*.json"))
    said.append(f"Wycheproof: {len(wycheproof)} files" if wycheproof else "Wycheproof left out: it is not there")
    return files + wycheproof, said


def published_cases(say: Callable[[str], None]) -> tuple[dict[str, Path], list[str]]:
    """Target -> the folder of its cases."""
    files, said = vector_files()
    if not files:
        return {}, said
    say("writing published vectors as cases")
    folder = BUILDS / "matrix" / "vectors"
    shutil.rmtree(folder, ignore_errors=True)
    command = [str(BUILDS / "release" / "bin" / "vector_cases"), *map(str, files), "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    cases = {each.name: each for each in sorted(folder.iterdir())}
    said += done.stdout.splitlines()
    said += [f"{target}: none, so that its mutants survive" for target in shipped() if target not in cases]
    return cases, said


# --- The table


def text_of(value: float, digits: int) -> str:
    return "-" if math.isinf(value) else f"{value:,.{digits}f}"


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


HEAD = ("approach", "detected", "% historic", "% systematic", "median cases", "median CPU s", "survivors", "cases survived")


def table(lines: Iterable[Line]) -> list[str]:
    cells = [HEAD]
    for line in lines:
        cells.append(
            (
                line.approach.title,
                f"{line.detected} of {line.mutants}",
                percent(line.shares.get("historic")),
                percent(line.shares.get("systematic")),
                text_of(line.cases, 0),
                text_of(line.cpu_seconds, 2),
                str(len(line.survivors)),
                text_of(line.survived_cases, 0),
            )
        )
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEAD))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])
        for row in cells
    ]


def finite(value: float, digits: int) -> float | None:
    return None if math.isinf(value) else round(value, digits)


def json_line(line: Line) -> dict:
    return {
        "approach": line.approach.name,
        "mutants": line.mutants,
        "detected": line.detected,
        "share": {kind: round(share, 5) for kind, share in line.shares.items()},
        "cases_median_of_detected": finite(line.cases, 0),
        "cpu_seconds_median_of_detected": finite(line.cpu_seconds, 3),
        "cases_median_of_survivors": finite(line.survived_cases, 0),
        "survivors": list(line.survivors),
    }


# --- All of it


def compare(options: argparse.Namespace, make_matrix: Callable, progress) -> int:
    cpu_seconds = CPU_SECONDS if options.cpu_seconds is None else options.cpu_seconds
    published, said = {}, []
    lines: list[Line] = []
    problems: dict[str, None] = {}  # each once, in their order
    for approach in APPROACHES:
        asked = copy.copy(options)
        asked.without, asked.naive = approach.without, approach.naive
        # Time alone ends a campaign, and vectors their number.
        asked.cases, asked.cpu_seconds = -1, cpu_seconds
        asked.build = options.build and not lines
        if approach.published:
            published, said = published_cases(progress)
            if not published:
                continue
            asked.published, asked.cpu_seconds, asked.trials = published, None, 1
        matrix = make_matrix(asked, lambda text, title=approach.title: progress(f"{title}: {text}"))
        problems |= dict.fromkeys(f"{approach.title}: {problem}" for problem in matrix.problems)
        problems |= dict.fromkeys(
            f"{approach.title}: {row.subject.id}: in {row.missed} cases its answers were not those of its original, and the "
            "comparison did not see it"
            for row in matrix.rows
            if row.missed
        )
        lines.append(line_of(approach, matrix.rows))
    progress.clear()
    if options.json:
        result = {
            "side_by_side": [json_line(line) for line in lines],
            "seeds": options.trials,
            "first_seed": options.first_seed,
            "sample_seed": options.seed,
            "cpu_seconds": cpu_seconds,
            "published": said,
            "faults": list(problems),
        }
        print(json.dumps(result, indent=1))
    else:
        for text in table(lines):
            print(text)
        print()
        print(f"Of Lockstep survived: {', '.join(lines[0].survivors) or 'none'}.")
        print(
            f"{options.trials} seeds, {cpu_seconds:g} CPU-seconds for each target and seed, shared by all mutants. Detected: by "
            "half of the seeds. Medians: over what the approach itself detected; cases survived: over what it did not. "
            "Left out: faults that only a sanitizer sees."
        )
        print("; ".join(said) + "; one pass, without a limit.")
        for problem in problems:
            print(f"FAULT: {problem}")
    return 1 if problems or not lines[0].mutants else 0
