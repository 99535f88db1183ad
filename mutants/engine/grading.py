"""One campaign that grades many mutants at once: runs it, reads what it wrote, goes on where a mutant broke the process."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import signal
import struct
import subprocess
from pathlib import Path

from engine.modules import Module
from engine.objects import BUILDS
from engine.planted import ROOT

PRESET = "matrix"
MAGIC = 0x31304445415247
HEADER = struct.Struct("<5Q")
RECORD = struct.Struct("<120s8Q")


class GradingError(Exception):
    """A campaign whose grades mean nothing."""


@dataclasses.dataclass(frozen=True)
class Grade:
    """What one seed said of one mutant."""

    cases: int = 0
    triggered: int = 0
    detected: int = 0
    missed: int = 0  # triggered, and everyone asked, and yet no disagreement
    case_at_detection: int | None = None
    execution_at_detection: int | None = None
    cpu_seconds_at_detection: float | None = None
    deaths: int = 0


@dataclasses.dataclass(frozen=True)
class Campaign:
    target: str
    seed: int
    executions: int  # at most; -1: as many as there is time for
    cpu_seconds: float | None = None
    without: str = ""
    naive: str = ""  # as LOCKSTEP_NAIVE
    inputs: Path | None = None  # the files of this folder once each, by name, in place of a search


@dataclasses.dataclass
class Graded:
    grades: dict[str, Grade]
    lines: dict[str, dict[int, int]]  # file -> line -> how often it ran, in the originals
    executions: int = 0
    cpu_seconds: float = 0.0


def read_grades(path: Path) -> tuple[dict[str, Grade], int, float, str | None]:
    """The grades, executions, CPU seconds, and who was being asked when the file was written last."""
    data = path.read_bytes()
    magic, count, executions, microseconds, asking = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise GradingError(f"{path} holds no grades")
    grades: dict[str, Grade] = {}
    ids = []
    for place in range(count):
        raw, cases, triggered, detected, missed, case, execution, cpu, deaths = RECORD.unpack_from(
            data, HEADER.size + place * RECORD.size
        )
        ids.append(raw.rstrip(b"\0").decode())
        found = detected > 0
        grades[ids[-1]] = Grade(
            cases,
            triggered,
            detected,
            missed,
            case if found else None,
            execution if found else None,
            cpu / 1e6 if found else None,
            deaths,
        )
    return grades, executions, microseconds / 1e6, ids[asking - 1] if asking else None


def read_lines(program: Path, profile: Path) -> dict[str, dict[int, int]]:
    merged = profile.with_suffix(".profdata")
    tools = {name: shutil.which(name) or shutil.which(f"{name}-14") or name for name in ("llvm-profdata", "llvm-cov")}
    subprocess.run([tools["llvm-profdata"], "merge", "-o", merged, profile], check=True, capture_output=True)
    command = [tools["llvm-cov"], "export", "-format=lcov", f"-instr-profile={merged}", str(program)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, dict[int, int]] = {}
    lines: dict[int, int] = {}
    for line in text.splitlines():
        if line.startswith("SF:"):
            lines = result.setdefault(os.path.relpath(line[3:], ROOT), {})
        elif match := re.match(r"DA:(\d+),(\d+)", line):
            lines[int(match[1])] = int(match[2])
    return result


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One process: how it ended, and what it had written by then."""

    code: int
    log: str
    grades: dict[str, Grade]
    executions: int
    cpu_seconds: float
    asked: str | None  # who was being asked when it ended; nobody if it ended well
    program: Path
    profile: Path


def attempt(campaign: Campaign, modules: dict[str, Module], folder: Path) -> Attempt:
    program = BUILDS / PRESET / "bin" / f"fuzz_{campaign.target}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    list_of = folder / "mutants"
    list_of.write_text(
        "".join(f"{id}\t{module.path}\t{','.join(module.participants)}\n" for id, module in modules.items()),
        encoding="utf-8",
    )
    profile = folder / "lines.profraw"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LOCKSTEP_")}
    environment |= {
        "LOCKSTEP_MUTANTS": str(list_of),
        "LOCKSTEP_GRADES": str(folder / "grades"),
        "LOCKSTEP_STATISTICS": str(folder / "statistics"),
        "LLVM_PROFILE_FILE": str(profile),
    }
    if campaign.without:
        environment["LOCKSTEP_WITHOUT"] = campaign.without
    if campaign.cpu_seconds is not None:
        environment["LOCKSTEP_GRADES_CPU_SECONDS"] = str(campaign.cpu_seconds)
    if campaign.naive:
        environment["LOCKSTEP_NAIVE"] = campaign.naive
    command = [str(program), f"-seed={campaign.seed}", f"-runs={campaign.executions}"]
    if not campaign.naive:  # whose lengths are libFuzzer's own affair
        command += ["-max_len=8192", "-len_control=0"]
    # The harness notices hangs itself; libFuzzer's clock is that of the wall, and for all mutants of a case together.
    command += ["-timeout=1200", "-rss_limit_mb=0", "-detect_leaks=0", "-reload=0", "-print_final_stats=0"]
    command += [f"-artifact_prefix={folder}/"]
    cwd = folder
    if campaign.inputs:
        # From there, so that tens of thousands of names fit into one command.
        cwd = campaign.inputs
        command = [str(program), *sorted(os.listdir(cwd))]
    with open(folder / "log", "wb") as log:
        code = subprocess.run(command, cwd=cwd, env=environment, stdout=log, stderr=log, check=False).returncode
    text = (folder / "log").read_text(encoding="utf-8", errors="replace")
    if code == 5 or code in (-signal.SIGKILL, -signal.SIGTERM) or not (folder / "grades").exists():
        raise GradingError(f"{' '.join(command[:20])}\nexit code {code}\n{text[-3000:]}")
    return Attempt(code, text, *read_grades(folder / "grades"), program, profile)


def run(campaign: Campaign, modules: dict[str, Module], folder: Path) -> Graded:
    """Until all are detected or the budget is used up. A mutant that breaks the process has thereby been detected; the
    campaign is begun again without it, and comes, having the same seed, to the same cases."""
    left = dict(modules)
    broken: dict[str, Grade] = {}
    while left:
        tried = attempt(campaign, left, folder)
        if tried.code == 0:
            lines = read_lines(tried.program, tried.profile)
            return Graded(tried.grades | broken, lines, tried.executions, tried.cpu_seconds)
        if tried.asked is None:
            signature = re.search(r"LOCKSTEP-SIGNATURE (.*)", tried.log)
            raise GradingError(
                f"{campaign.target}, seed {campaign.seed}: the originals do not agree after {tried.executions} "
                f"executions: {signature[1] if signature else tried.log[-3000:]}"
            )
        guilty = breaks_alone(campaign, tried, left, folder)
        if guilty is not None:
            broken[tried.asked] = guilty
            del left[tried.asked]
            continue
        # Then one that died before has left something behind. All such have been detected.
        suspects = [id for id, grade in tried.grades.items() if grade.deaths and grade.detected]
        if not suspects:
            raise GradingError(
                f"{campaign.target}, seed {campaign.seed}: the process ended with code {tried.code} while "
                f"{tried.asked} was asked, which by itself does not end it\n{tried.log[-3000:]}"
            )
        for id in suspects:
            broken[id] = tried.grades[id]
            del left[id]
    return Graded(broken, {})


def breaks_alone(campaign: Campaign, tried: Attempt, modules: dict[str, Module], folder: Path) -> Grade | None:
    """The grade of who was asked when the process ended, if it ends too, or is detected, with nobody else there."""
    asked = tried.asked or ""
    shorter = dataclasses.replace(campaign, executions=tried.executions, cpu_seconds=None)
    alone = attempt(shorter, {asked: modules[asked]}, folder.with_name(folder.name + "-alone"))
    before = alone.grades[asked]
    if alone.code != 0 and alone.asked == asked:
        return Grade(
            before.cases + 1,
            before.triggered + 1,
            before.detected + 1,
            before.missed,
            before.case_at_detection or before.cases + 1,
            before.execution_at_detection or alone.executions,
            before.cpu_seconds_at_detection or alone.cpu_seconds,
            before.deaths + 1,
        )
    return before if before.detected else None
