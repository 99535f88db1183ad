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


def own_objects(target: str) -> str:
    """Where the objects of a module lie that are not the library's: what calls it."""
    return f"oracles/CMakeFiles/copy_{target}.dir/"


def units(file: Path) -> list[str]:
    mine = (LIBRARY, *(own_objects(target) for target in shipped()))
    return sorted(o for o, files in dependencies(PRESET).items() if o.startswith(mine) and file in files)


def participants(target: str, changed: list[str]) -> tuple[str, ...]:
    """Those that a fault in these objects can be seen in: a kernel alone and in mixtures, or everyone."""
    folder = f"{LIBRARY}{target}/"
    kernels = {Path(o).name.removesuffix(".cpp.o") for o in changed if o.startswith(folder)}
    names = shipped()[target]
    elsewhere = [o for o in changed if not o.startswith(folder) and o.startswith((LIBRARY + "core/", own_objects(target)))]
    unavailable = {name for algorithm, name in not_available() if algorithm == target}
    if elsewhere or not kernels <= {*names, *unavailable}:
        return (*names, "hand_over")
    here = tuple(name for name in names if name in kernels)
    return (*here, "hand_over") if here else ()


def concerns(target: str, changed: str) -> bool:
    return changed.startswith((f"{LIBRARY}{target}/", LIBRARY + "core/", own_objects(target)))


def compile_unit(unit: str, overlay: Path, output: Path) -> str:
    command = ["nice", *compile_command(command_for(PRESET, unit), overlay, output)]
    done = subprocess.run(command, cwd=BUILDS / PRESET, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def link_module(target: str, objects: dict[str, Path], output: Path) -> str:
    """What belongs to the module itself takes its original's place; the library's stands in front of the archive."""
    original = tuple(str(objects.get(word, word)) for word in command_for(PRESET, f"bin/copy_{target}.so"))
    library = [path for unit, path in objects.items() if unit.startswith(LIBRARY)]
    command = link_command(original, library, output)
    done = subprocess.run(command, cwd=BUILDS / PRESET, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def fingerprint(fault: Fault) -> str:
    originals = [digest(BUILDS / PRESET / "bin" / f"copy_{target}.so") for target in sorted(shipped())]
    return hashlib.sha256(repr((fault, originals)).encode()).hexdigest()


def build(fault: Fault) -> Built:
    folder = OUTPUT / fault.id
    stamp = folder / "stamp.json"
    print_of = fingerprint(fault)
    if stamp.exists():
        kept = json.loads(stamp.read_text(encoding="utf-8"))
        if kept.pop("fingerprint") == print_of:
            modules = [Module(m["target"], Path(m["path"]), tuple(m["participants"])) for m in kept.pop("modules")]
            return Built(modules=tuple(modules), **kept)
    shutil.rmtree(folder, ignore_errors=True)
    built = build_anew(fault, folder)
    folder.mkdir(parents=True, exist_ok=True)
    kept = dataclasses.asdict(built) | {"fingerprint": print_of}
    stamp.write_text(json.dumps(kept, default=str), encoding="utf-8")
    return built


def build_anew(fault: Fault, folder: Path) -> Built:
    all_units = units(ROOT / fault.file)
    if not all_units:
        return Built(not_here=True)
    overlay = folder / "source"
    copy = overlay / fault.file
    copy.parent.mkdir(parents=True)
    copy.write_text(fault.text, encoding="utf-8")
    changed: dict[str, Path] = {}
    for unit in all_units:
        output = folder / unit.replace("/", "_")
        if error := compile_unit(unit, overlay, output):
            shutil.rmtree(folder)
            return Built(compiles=False, error=error[-2000:])
        # Compiled from another folder, but no path of a source goes into an object.
        if output.read_bytes() == (BUILDS / PRESET / unit).read_bytes():
            output.unlink()
        else:
            changed[unit] = output
    shutil.rmtree(overlay)
    if not changed:
        return Built(identical=True)
    modules = []
    for target in shipped():
        mine = [unit for unit in changed if concerns(target, unit)]
        if not mine or (fault.targets and target not in fault.targets):
            continue
        names = participants(target, mine)
        if not names:
            continue
        path = folder / f"{target}.so"
        if error := link_module(target, {unit: changed[unit] for unit in mine}, path):
            return Built(compiles=False, error=error[-2000:])
        modules.append(Module(target, path, names))
    for output in changed.values():
        output.unlink()
    return Built(modules=tuple(modules), not_here=not modules)
