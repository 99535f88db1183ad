"""Mutants as modules: a copy of the library with one fault in it, that a campaign loads beside the sound one."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

from engine.objects import BUILDS, command_for, compile_command, dependencies, digest, link_command
from engine.planted import ROOT

PRESET = "release"  # what ships is what is graded
OUTPUT = BUILDS / "matrix" / "mutants"
LOCKSTEP = BUILDS / PRESET / "bin" / "lockstep"
LIBRARY = "impls/CMakeFiles/lockstep.dir/"


@dataclasses.dataclass(frozen=True)
class Fault:
    """One edited file."""

    id: str
    file: str
    text: str
    targets: tuple[str, ...]  # where to look for it; empty: wherever its code goes


@dataclasses.dataclass(frozen=True)
class Module:
    target: str
    path: Path
    participants: tuple[str, ...]  # those that the fault can be seen in


@dataclasses.dataclass(frozen=True)
class Built:
    modules: tuple[Module, ...] = ()
    compiles: bool = True
    identical: bool = False  # the object code of all units is that of the original
    not_here: bool = False  # the file goes into nothing that is built on this machine
    error: str = ""


@functools.cache
def shipped() -> dict[str, tuple[str, ...]]:
    """Algorithm -> its implementations that this machine can run, from the library's own lists."""
    done = subprocess.run([str(LOCKSTEP), "list", "--json"], capture_output=True, text=True, check=True)
    result: dict[str, list[str]] = {}
    for each in json.loads(done.stdout)["implementations"]:
        names = result.setdefault(each["algorithm"], [])
        if each["available"]:
            names.append(each["name"])
    return {algorithm: tuple(names) for algorithm, names in result.items()}


@functools.cache
def not_available() -> frozenset[tuple[str, str]]:
    done = subprocess.run([str(LOCKSTEP), "list", "--json"], capture_output=True, text=True, check=True)
    return frozenset(
        (each["algorithm"], each["name"])
        for each in json.loads(done.stdout)["implementations"]
        if not each["available"]
    )


def units(file: Path) -> list[str]:
    """Of the library. What calls it keeps the headers as they are, as it would in a build of its own."""
    return sorted(o for o, files in dependencies(PRESET).items() if o.startswith(LIBRARY) and file in files)


def participants(target: str, changed: list[str]) -> tuple[str, ...]:
    """Those that a fault in these objects can be seen in: a kernel alone and in mixtures, or everyone."""
    folder = f"{LIBRARY}{target}/"
    kernels = {Path(o).name.removesuffix(".cpp.o") for o in changed if o.startswith(folder)}
    names = shipped()[target]
    elsewhere = [o for o in changed if o.startswith(LIBRARY + "core/")]
    unavailable = {name for algorithm, name in not_available() if algorithm == target}
    if elsewhere or not kernels <= {*names, *unavailable}:
        return (*names, "hand_over")
    here = tuple(name for name in names if name in kernels)
    return (*here, "hand_over") if here else ()


def concerns(target: str, changed: str) -> bool:
    return changed.startswith((f"{LIBRARY}{target}/", LIBRARY + "core/"))


def compile_unit(unit: str, overlay: Path, output: Path) -> str:
    command = ["nice", *compile_command(command_for(PRESET, unit), overlay, output)]
    done = subprocess.run(command, cwd=BUILDS / PRESET, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def link_module(target: str, objects: dict[str, Path], output: Path) -> str:
    """The objects stand in front of the archive."""
    command = link_command(command_for(PRESET, f"bin/copy_{target}.so"), list(objects.values()), output)
    done = subprocess.run(command, cwd=BUILDS / PRESET, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@functools.cache
def library_digest() -> str:
    """Of what the fault's unit is linked with and compiled like: the objects of the library."""
    every = sorted(o for o in dependencies(PRESET) if o.startswith(LIBRARY))
    return hashlib.sha256("".join(digest(BUILDS / PRESET / o) for o in every).encode()).hexdigest()


def build(fault: Fault) -> Built:
    """Compiled once for each state of the library, linked once for each state of what calls it."""
    folder = OUTPUT / fault.id
    stamp = folder / "stamp.json"
    own = [digest(BUILDS / PRESET / "bin" / f"copy_{target}.so") for target in sorted(shipped())]
    commands = [command_for(PRESET, unit) for unit in units(ROOT / fault.file)]
    compiled_from = hashlib.sha256(repr((fault, library_digest(), commands)).encode()).hexdigest()
    kept = json.loads(stamp.read_text(encoding="utf-8")) if stamp.exists() else {}
    if kept.get("compiled_from") != compiled_from:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        kept = compile_all(fault, folder) | {"compiled_from": compiled_from}
    if kept.get("linked_from") != own:
        modules, error = link_all(fault, folder, kept["changed"])
        kept |= {"modules": modules, "linked_from": own, "link_error": error}
        stamp.write_text(json.dumps(kept), encoding="utf-8")
    modules = tuple(Module(target, Path(path), tuple(names)) for target, path, names in kept["modules"])
    return Built(
        modules=modules,
        compiles=kept["compiles"] and not kept["link_error"],
        identical=kept["identical"],
        not_here=kept["not_here"] or (kept["compiles"] and not kept["identical"] and not modules),
        error=kept["error"] or kept["link_error"],
    )


def object_in(folder: Path, unit: str) -> Path:
    return folder / unit.replace("/", "_")


def compile_all(fault: Fault, folder: Path) -> dict:
    """Every unit that the file goes into; those whose object is not that of the original are kept."""
    result: dict = {"changed": [], "compiles": True, "identical": False, "not_here": False, "error": ""}
    all_units = units(ROOT / fault.file)
    if not all_units:
        return result | {"not_here": True}
    overlay = folder / "source"
    copy = overlay / fault.file
    copy.parent.mkdir(parents=True)
    copy.write_text(fault.text, encoding="utf-8")
    for unit in all_units:
        output = object_in(folder, unit)
        if error := compile_unit(unit, overlay, output):
            return result | {"changed": [], "compiles": False, "error": error[-2000:]}
        # Compiled from another folder, but no path of a source goes into an object.
        if output.read_bytes() == (BUILDS / PRESET / unit).read_bytes():
            output.unlink()
        else:
            result["changed"].append(unit)
    shutil.rmtree(overlay)
    return result | {"identical": not result["changed"]}


def link_all(fault: Fault, folder: Path, changed: list[str]) -> tuple[list, str]:
    modules = []
    for target in shipped():
        mine = [unit for unit in changed if concerns(target, unit)]
        if not mine or (fault.targets and target not in fault.targets):
            continue
        names = participants(target, mine)
        if not names:
            continue
        path = folder / f"{target}.so"
        if error := link_module(target, {unit: object_in(folder, unit) for unit in mine}, path):
            return [], error[-2000:]
        modules.append((target, str(path), names))
    return modules, ""
