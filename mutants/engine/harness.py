"""Faults planted in the harness itself, built in a copy of the tree, and the first test there that turns red."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

from engine.objects import BUILDS, BuildError, NotBuiltHere, run_quietly
from engine.planted import HARNESS, ROOT, InputError, Planted, read_planted

OUTPUT = BUILDS / "harness-mutants"
EVERYTHING = "."
# Of a file that begins so the tests of this folder are built and run first.
NEAREST = {
    "oracles/differential/": "tests/differential",
    "oracles/": "tests/oracles",
    "fuzzers/": "tests/fuzzers",
    "cli/campaign/": "tests/campaign",
    "cli/": "tests/cli",
}
# A sample must be quick, also where nothing was built before: faults of sources whose nearest tests are these.
SAMPLED = "tests/differential"
# As release, but quick to build; a fault may leave a variable unused.
CONFIGURE = ["cmake", "--preset", "release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DLOCKSTEP_WARNINGS_AS_ERRORS=OFF"]
# Whatever hangs has been seen; the tests take seconds.
CTEST = ["ctest", "-L", "quick", "--stop-on-failure", "--output-on-failure", "--timeout", "60"]
RED = re.compile(r"Test +#\d+: (\S+) .*\*\*\*(?:Failed|Timeout|Exception)")


def nearest(mutant: Planted) -> str:
    return next((tests for start, tests in NEAREST.items() if mutant.file.startswith(start)), EVERYTHING)


def samples(mutants: list[Planted]) -> list[Planted]:
    """Those that a sample is drawn from."""
    return [mutant for mutant in mutants if nearest(mutant) == SAMPLED and mutant.file.endswith(".cpp")]


def read_harness_mutants() -> list[Planted]:
    return [read_planted(path, Planted) for path in sorted((ROOT / "mutants" / HARNESS).glob("*.json"))]


def same(a: Path, b: Path) -> bool:
    """The same file, as far as its size and time of change say."""
    one, other = a.stat(), b.stat()
    return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)


def mirror(origin: Path, copy: Path) -> None:
    """Makes `copy` what `origin` is, times of change included; what is the same already is left alone."""
    copy.mkdir(parents=True, exist_ok=True)
    wanted = {entry.name: entry for entry in os.scandir(origin)}
    for entry in os.scandir(copy):
        kept = wanted.get(entry.name)
        if kept is not None and kept.is_dir(follow_symlinks=False) == entry.is_dir(follow_symlinks=False):
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    for name, entry in wanted.items():
        if entry.is_dir(follow_symlinks=False):
            mirror(origin / name, copy / name)
        elif entry.is_symlink():
            (copy / name).unlink(missing_ok=True)
            (copy / name).symlink_to(os.readlink(entry.path))
        elif not (copy / name).exists() or not same(origin / name, copy / name):
            (copy / name).unlink(missing_ok=True)  # a program that still runs cannot be written to
            shutil.copy2(origin / name, copy / name)


class Copy:
    """A copy of the tree with a build of its own, and what both were like before the first mutant."""

    def __init__(self, number: int, cores: int, tests: str) -> None:
        self.tree = OUTPUT / str(number) / "tree"
        self.kept = OUTPUT / str(number) / "kept"
        self.whole = OUTPUT / str(number) / "whole"  # there while `kept` is
        self.build_folder = self.tree / "build" / "release"
        self.cores = cores
        self.tests = tests  # all that is built and run: a folder of tests, or everything

    def prepare(self) -> None:
        """The unmutated tree, built. Raises BuildError."""
        if self.whole.exists():
            mirror(self.kept, self.tree)  # the last run may have ended within a mutant
        self.take_sources()
        if not (self.build_folder / "build.ninja").exists():
            run_quietly(CONFIGURE, self.tree)
        self.build(self.tests)
        self.whole.unlink(missing_ok=True)
        mirror(self.tree, self.kept)
        self.whole.touch()

    def take_sources(self) -> None:
        listed = subprocess.run(
            ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        wanted = {Path(name) for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
        for folder, folders, files in os.walk(self.tree):
            if Path(folder) == self.tree and "build" in folders:
                folders.remove("build")
            for name in files:
                if (Path(folder) / name).relative_to(self.tree) not in wanted:
                    (Path(folder) / name).unlink()
        for name in wanted:
            origin, copy = ROOT / name, self.tree / name
            # By contents, and with the time of now: what was built of other contents is older.
            if not copy.exists() or copy.read_bytes() != origin.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(origin, copy)
                shutil.copymode(origin, copy)

    def build(self, tests: str) -> bool:
        """False if there was nothing to build. Raises BuildError."""
        command = ["cmake", "--build", str(self.build_folder)]
        if tests != EVERYTHING:
            command += ["--target", f"{tests}/all"]
        if "CMAKE_BUILD_PARALLEL_LEVEL" not in os.environ:
            command += ["-j", str(self.cores)]
        return "ninja: no work to do" not in run_quietly(command, self.tree)

    def test(self, tests: str, about: str = "") -> str:
        """The first test that is red, of all or of those whose name holds a word; empty if none is."""
        command = [*CTEST, "--test-dir", tests, "-j", str(self.cores)]
        if about:
            command += ["-R", "".join(f"[{c.lower()}{c.upper()}]" for c in about if c.isalnum())]
        done = subprocess.run(command, cwd=self.build_folder, capture_output=True, text=True, check=False)
        red = RED.search(done.stdout)
        if red is not None:
            return red.group(1)
        if done.returncode != 0:
            raise BuildError(f"{shlex.join(command)}\n{done.stdout[-3000:]}{done.stderr}")
        return ""

    def plant(self, mutant: Planted) -> None:
        (self.tree / mutant.file).write_text(mutant.edited(), encoding="utf-8")

    def restore(self) -> None:
        mirror(self.kept, self.tree)


@dataclasses.dataclass(frozen=True)
class Row:
    id: str
    seen_by: str = ""  # the test that turned red
    seconds: float = 0
    fault: str = ""
    skipped: str = ""


def control(copy: Copy) -> Row:
    """The original, in which no test may be red: or what is red elsewhere proves nothing."""
    name = "(original)"
    start = time.monotonic()
    try:
        red = copy.test(copy.tests)
    except BuildError as error:
        return Row(name, fault=str(error))
    return Row(name, red, time.monotonic() - start, f"{red} is red in the original" if red else "")


def examine(mutant: Planted, copy: Copy) -> Row:
    start = time.monotonic()
    red = ""
    built = False
    try:
        copy.plant(mutant)
        for tests in dict.fromkeys([nearest(mutant), copy.tests]):
            built |= copy.build(tests)
            red = copy.test(tests, about=Path(mutant.file).stem) or copy.test(tests)
            if red:
                break
        if not built:
            raise NotBuiltHere(f"{mutant.file} goes into nothing that is built here")
    except NotBuiltHere as reason:
        return Row(mutant.id, skipped=str(reason))
    except (InputError, BuildError) as error:
        return Row(mutant.id, fault=str(error))
    finally:
        copy.restore()
    return Row(mutant.id, red, time.monotonic() - start, "" if red else "all tests are green")
