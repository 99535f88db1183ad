"""The hunt for one mutant: its own build of the fuzz target, an engine, an empty corpus, the first finding."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
import shlex
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Protocol

from engine.objects import (
    BUILDS,
    BuildError,
    NotBuiltHere,
    command_for,
    compile_command,
    digest,
    link_command,
    run_quietly,
    units_with,
)
from engine.planted import ROOT, InputError

OUTPUT = BUILDS / "mutants"
LOCKSTEP = BUILDS / "release" / "bin" / "lockstep"
ENGINES = ("libfuzzer", "afl")  # the presets of the fuzz builds bear the engines' names
CPU_SECONDS_BAR = 20.0
CONTROL_SECONDS = 5


class Prey(Protocol):
    """What a hunt has to know: a planted mutant, or one of another make."""

    id: str
    file: str
    target: str
    culprit: str
    kind: str

    def edited(self) -> str: ...


def build(mutant: Prey, preset: str) -> Path:
    """The folder that `lockstep fuzz --builds` takes, with the mutant's fuzz target of this preset in it."""
    text = mutant.edited()
    program = f"bin/fuzz_{mutant.target}"
    units = units_with(preset, ROOT / mutant.file)
    if not units:
        raise NotBuiltHere(f"{mutant.file} goes into no object of the {preset} build")
    folder = OUTPUT / mutant.id / preset
    overlay = folder / "source"
    compilations = [(command_for(preset, unit), folder / unit.replace("/", "_")) for unit in units]
    link = command_for(preset, program)

    # The digest of the original program stands for every other source.
    everything = (text, mutant.file, compilations, link, digest(BUILDS / preset / program))
    fingerprint = hashlib.sha256(repr(everything).encode()).hexdigest()
    stamp = folder / "stamp"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint and (folder / program).exists():
        return OUTPUT / mutant.id

    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bin").mkdir(parents=True)
    copy = overlay / mutant.file
    copy.parent.mkdir(parents=True)
    copy.write_text(text, encoding="utf-8")
    for command, output in compilations:
        run_quietly(compile_command(command, overlay, output), BUILDS / preset)
    run_quietly(link_command(link, [output for _, output in compilations], folder / program), BUILDS / preset)
    for _, output in compilations:
        output.unlink()
    stamp.write_text(fingerprint, encoding="utf-8")
    return OUTPUT / mutant.id


@dataclasses.dataclass(frozen=True)
class Trial:
    cpu_seconds: float  # until the first finding; infinite without one
    executions: int
    signature: str
    fault: str  # why the trial does not count; empty if it does
    kind: str = ""  # of the first finding


def fuzz(
    target: str, engine: str, seconds: int, seed: int, builds: Path, state: Path, without: str = ""
) -> tuple[int, dict]:
    """A campaign that ends with its first finding; its exit code and its JSON."""
    shutil.rmtree(state, ignore_errors=True)
    command = [str(LOCKSTEP), "fuzz", target, "--engine", engine, "--for", f"{seconds}s", "--jobs", "1"]
    command += ["--until-finding", "--empty-corpus", "--seed", str(seed), "--builds", str(builds)]
    command += ["--state", str(state), "--json"]
    if without:
        command += ["--without", without]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds + 60)
        return done.returncode, json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise BuildError(f"{shlex.join(command)}\ndid not end") from error
    except json.JSONDecodeError as error:
        raise BuildError(f"{shlex.join(command)}\nexit code {done.returncode}\n{done.stdout}{done.stderr}") from error


def names(signature: str, culprit: str) -> bool:
    """Whole words: x86_aesni is not named by x86_aesni_2way. Of several culprits all, or the library as a whole."""
    words = set(re.split(r"[/:+]", signature))
    culprits = culprit.split("+")
    return words.issuperset(culprits) or (len(culprits) > 1 and "lockstep" in words)


def try_once(mutant: Prey, engine: str, seed: int, seconds: int, builds: Path, without: str) -> Trial:
    state = OUTPUT / mutant.id / engine / "state"
    code, result = fuzz(mutant.target, engine, seconds, seed, builds, state, without)
    findings = result["findings"]
    if not findings:
        executions = sum(each["executions"] for each in result["targets"])
        return Trial(math.inf, executions, "", f"seed {seed}: not found in {seconds} s")
    first = min(findings, key=lambda finding: finding["first_seen_cpu_seconds"])
    signature = first["signature"]
    fault = ""
    if not names(signature, mutant.culprit):
        fault = f"seed {seed}: {signature} does not name {mutant.culprit}"
    elif mutant.kind == "disagreement" and first["kind"] != "disagreement":
        # The reverse may be: a byte written where it must not be can change an answer before any guard sees it.
        fault = f"seed {seed}: found as a fault of {first['kind']}"
    elif code not in (1, 2):
        fault = f"seed {seed}: exit code {code} in spite of a finding"
    return Trial(float(first["first_seen_cpu_seconds"]), int(first["first_seen_executions"]), signature, fault, first["kind"])


@dataclasses.dataclass(frozen=True)
class Row:
    id: str
    engine: str
    trials: tuple[Trial, ...]
    faults: tuple[str, ...]
    skipped: str = ""

    @property
    def median(self) -> float:
        return statistics.median(trial.cpu_seconds for trial in self.trials) if self.trials else math.inf


def examine(mutant: Prey, engine: str, seeds: int, seconds: int, without: str) -> Row:
    try:
        builds = build(mutant, engine)
        trials = tuple(try_once(mutant, engine, seed, seconds, builds, without) for seed in range(1, seeds + 1))
    except NotBuiltHere as reason:
        return Row(mutant.id, engine, (), (), str(reason))
    except (InputError, BuildError) as error:
        return Row(mutant.id, engine, (), (str(error),))
    faults = [trial.fault for trial in trials if trial.fault]
    row = Row(mutant.id, engine, trials, tuple(faults))
    # One trial has no median: the time to a find is about exponential, and its tail says little.
    if seeds > 1 and row.median >= CPU_SECONDS_BAR:
        faults.append(f"the median is not below {CPU_SECONDS_BAR:g} CPU seconds")
    if not faults:
        shutil.rmtree(OUTPUT / mutant.id / engine / "state", ignore_errors=True)
    return dataclasses.replace(row, faults=tuple(faults))


def control(target: str, engine: str) -> Row:
    """The original, in which nothing may be found: or what is found elsewhere proves nothing."""
    state = OUTPUT / f"control-{target}" / engine / "state"
    name = f"(original, {target})"
    try:
        code, result = fuzz(target, engine, CONTROL_SECONDS, 1, BUILDS, state)
    except BuildError as error:
        return Row(name, engine, (), (str(error),))
    executions = sum(each["executions"] for each in result["targets"])
    signatures = ", ".join(finding["signature"] for finding in result["findings"])
    faults = []
    if code != 0 or signatures:
        faults.append(f"exit code {code}, found in the original: {signatures or 'nothing'}")
    elif executions == 0:
        faults.append("nothing was executed")
    return Row(name, engine, (Trial(math.inf, executions, signatures, ""),), tuple(faults))
