"""Compiling and linking mutants with the commands of a build: ninja's own, so that a mutant is made as the original is."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shlex
import subprocess
from pathlib import Path

from engine.planted import ROOT, InputError

BUILDS = ROOT / "build"


class BuildError(Exception):
    """A mutant that cannot be built."""


class NotBuiltHere(Exception):
    """A mutant of a file that this machine does not build."""


def lock(folder: Path) -> int:
    """For as long as this process lives, the folder is its own. Raises InputError."""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError(f"another run is at work in {os.path.relpath(folder)}") from error
    return file


def run_quietly(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


@functools.cache
def dependencies(preset: str) -> dict[str, set[Path]]:
    """Object file -> all files that it was compiled from."""
    result: dict[str, set[Path]] = {}
    files: set[Path] = set()
    for line in run_quietly(["ninja", "-t", "deps"], BUILDS / preset).splitlines():
        if not line.startswith(" "):
            files = result.setdefault(line.partition(":")[0], set())
        else:
            files.add(Path(os.path.normpath(BUILDS / preset / line.strip())))
    return result


def units_with(preset: str, file: Path) -> list[str]:
    """The objects of the library that a file goes into. Oracles are not mutated, even if they include it."""
    return sorted(o for o, files in dependencies(preset).items() if o.startswith("impls/") and file in files)


@functools.cache
def command_for(preset: str, output: str) -> tuple[str, ...]:
    """The command that makes a file of the original build, without the shell around it."""
    words = shlex.split(run_quietly(["ninja", "-t", "commands", "-s", output], BUILDS / preset))
    return tuple(word for word in words if word not in (":", "&&"))


@functools.cache
def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def compile_command(original: tuple[str, ...], overlay: Path, output: Path) -> list[str]:
    """The command of a translation unit, with the files in `overlay` standing in for those of the tree."""
    # What is in the overlay is found first: by an include, whose path starts at the root, and as the unit itself.
    result: list[str] = []
    overlaid = False
    words = iter(original)
    for word in words:
        if word in ("-MT", "-MF"):
            next(words)
        elif word == "-o":
            next(words)
            result += [word, str(output)]
        elif word == "-c":
            source = Path(next(words))
            copy = overlay / os.path.relpath(source, ROOT)
            result += [word, str(copy if copy.exists() else source)]
        elif word == "-MD" or word == "-Werror":
            continue  # a fault may leave a variable unused
        else:
            if word.startswith("-I") and not overlaid:
                result += [f"-I{overlay}", f"-I{overlay / 'impls' / 'include'}", "-w"]
                overlaid = True
            result.append(word)
    return result


def link_command(original: tuple[str, ...], objects: list[Path], output: Path) -> list[str]:
    """The objects in front of the archives: what they define is then not taken from there."""
    result: list[str] = []
    words = iter(original)
    for word in words:
        if word == "-o":
            next(words)
            result += [word, str(output)]
            continue
        if word.endswith(".a") and objects:
            result += [str(o) for o in objects]
            objects = []
        result.append(word)
    return result
