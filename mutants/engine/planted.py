"""Planted faults: the files mutants/<algorithm>/<id>.json, what they make of a source, and whether each mechanism of
mutants/mechanisms.json is planted wherever it fits."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import re
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent.parent
HARNESS = "harness"  # the folder of those that are planted in the judge; all others are in the judged
KINDS = ("disagreement", "memory")
OWN = "own"  # the mechanism of a fault that is our own idea
GLUE = "glue"  # the part of an algorithm that is no kernel
GLUE_CULPRITS = ("lockstep", "hand_over")


class InputError(Exception):
    """A mutant, or a command line, that is wrong."""


@dataclasses.dataclass(frozen=True)
class Edit:
    find: str
    replace: str


@dataclasses.dataclass(frozen=True)
class Mechanism:
    id: str
    title: str
    seen_in: str
    not_in: dict[str, str]  # one or several globs of kernels, separated by spaces, and why it cannot be planted there


@dataclasses.dataclass(frozen=True)
class Planted:
    """A fault in a file, wherever it is planted."""

    id: str
    title: str
    file: str
    edits: tuple[Edit, ...]

    def edited(self) -> str:
        """The mutated text of its file. Raises InputError if an anchor is missing or ambiguous."""
        text = (ROOT / self.file).read_text(encoding="utf-8")
        places = []
        for number, edit in enumerate(self.edits, 1):
            count = text.count(edit.find)
            if count != 1:
                raise InputError(
                    f"{self.id}: the anchor of edit {number} stands {count} times in {self.file}, it must stand there "
                    f"once: {edit.find!r}"
                )
            places.append((text.index(edit.find), edit))
        # Every anchor is looked for in the original: from the end, so that no edit moves another one's place.
        places.sort(key=lambda place: place[0], reverse=True)
        end = len(text)
        for at, edit in places:
            if at + len(edit.find) > end:
                raise InputError(f"{self.id}: two edits overlap in {self.file}")
            text = text[:at] + edit.replace + text[at + len(edit.find) :]
            end = at
        return text


@dataclasses.dataclass(frozen=True)
class Mutant(Planted):
    """A fault in the library, which the fuzzers must find."""

    algorithm: str
    mechanism: str
    origin: str  # of an own one what its file says, else where the mechanism was seen
    target: str
    culprit: str
    kind: str
    seen_by: str = ""  # "sanitizer": by nobody else


AnyPlanted = TypeVar("AnyPlanted", bound=Planted)


def text_of(value: object, where: str) -> str:
    """A text in JSON: a string, or a list of lines."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    raise InputError(f"{where} must be a string or a list of lines")


def read_json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise InputError(f"{path.relative_to(ROOT)}: {error}") from error


def read_mechanisms() -> dict[str, Mechanism]:
    path = ROOT / "mutants" / "mechanisms.json"
    where = str(path.relative_to(ROOT))
    raw = read_json(path)
    expected = {field.name for field in dataclasses.fields(Mechanism)}
    if not isinstance(raw, list):
        raise InputError(f"{where}: not a list")
    mechanisms: dict[str, Mechanism] = {}
    for number, each in enumerate(raw, 1):
        if not isinstance(each, dict) or set(each) != expected:
            raise InputError(f"{where}: mechanism {number}: the fields must be exactly {', '.join(sorted(expected))}")
        if not all(isinstance(each[key], str) and each[key] for key in ("id", "title", "seen_in")):
            raise InputError(f"{where}: mechanism {number}: id, title and seen_in must be strings that are not empty")
        mechanism = Mechanism(**each)
        if not re.fullmatch("[a-z][a-z0-9_]*", mechanism.id) or mechanism.id == OWN:
            raise InputError(f"{where}: {mechanism.id} is no id of a mechanism")
        if mechanism.id in mechanisms:
            raise InputError(f"{where}: two mechanisms are called {mechanism.id}")
        reasons = mechanism.not_in
        if not isinstance(reasons, dict) or not all(isinstance(reason, str) and reason for reason in reasons.values()):
            raise InputError(f"{where}: {mechanism.id}: not_in must give a reason for each kernel")
        mechanisms[mechanism.id] = mechanism
    return mechanisms


def read_planted(path: Path, kind: type[AnyPlanted], **given: str) -> AnyPlanted:
    """A fault of a file, whose fields are those of `kind` that are not `given`."""
    where = str(path.relative_to(ROOT))
    raw = read_json(path)
    fields = dataclasses.fields(kind)
    expected = {field.name for field in fields} - set(given)
    optional = {field.name for field in fields if field.default is not dataclasses.MISSING}
    if not isinstance(raw, dict) or not expected - optional <= set(raw) <= expected:
        raise InputError(f"{where}: the fields must be exactly {', '.join(sorted(expected))}")
    edits = raw.pop("edits")
    if not isinstance(edits, list) or not edits:
        raise InputError(f"{where}: no edits")
    for edit in edits:
        if not isinstance(edit, dict) or set(edit) != {"find", "replace"}:
            raise InputError(f"{where}: an edit has exactly the fields find and replace")
    parsed = tuple(
        Edit(text_of(edit["find"], f"{where}: find"), text_of(edit["replace"], f"{where}: replace")) for edit in edits
    )
    words = {key: text_of(value, f"{where}: {key}") for key, value in raw.items()}
    planted = kind(edits=parsed, **words, **given)
    if planted.id != path.stem:
        raise InputError(f"{where}: the id {planted.id} is not the name of the file")
    if not (ROOT / planted.file).is_file():
        raise InputError(f"{where}: there is no file {planted.file}")
    if any(edit.find == edit.replace or not edit.find for edit in parsed):
        raise InputError(f"{where}: an edit that changes nothing")
    return planted


def read_mutant(path: Path, mechanisms: dict[str, Mechanism]) -> Mutant:
    where = str(path.relative_to(ROOT))
    raw = read_json(path)
    if not isinstance(raw, dict) or not isinstance(raw.get("mechanism"), str):
        raise InputError(f"{where}: no field mechanism: an id of mutants/mechanisms.json, or {OWN}")
    name = raw["mechanism"]
    if name != OWN and name not in mechanisms:
        raise InputError(f"{where}: unknown mechanism {name}: it must be an id of mutants/mechanisms.json, or {OWN}")
    given = {} if name == OWN else {"origin": f"{name}, {mechanisms[name].seen_in}"}
    mutant = read_planted(path, Mutant, algorithm=path.parent.name, **given)
    if mutant.kind not in KINDS:
        raise InputError(f"{where}: the kind must be one of {', '.join(KINDS)}")
    if mutant.seen_by not in ("", "sanitizer"):
        raise InputError(f"{where}: seen_by can only be sanitizer")
    return mutant


def kernels() -> dict[str, list[str]]:
    """Of each algorithm the implementations that its list names."""
    lists = sorted((ROOT / "impls").glob("*/implementations.cpp"))
    named = {
        path.parent.name: re.findall(r"^extern const Implementation (\w+);", path.read_text(encoding="utf-8"), re.M)
        for path in lists
    }
    for algorithm, names in named.items():
        if not names:
            raise InputError(f"impls/{algorithm}/implementations.cpp names no implementation that could be read")
    return named


def blamed(mutant: Mutant, names: list[str]) -> set[str]:
    """The kernels of its algorithm, and the glue, that are wrong by a mutant: those that its culprit names. If a
    sanitizer sees it in a shared header, which kernels it was is not known: those that include it themselves; the glue's
    file bears the algorithm's name."""
    parts: set[str] = set()
    for culprit in mutant.culprit.split("+"):
        if culprit in names:
            parts.add(culprit)
        elif culprit in GLUE_CULPRITS or culprit == mutant.algorithm:
            parts.add(GLUE)
        elif culprit == Path(mutant.file).stem:
            include = f'#include "{mutant.file}"'
            files = {name: ROOT / "impls" / mutant.algorithm / f"{name}.cpp" for name in names}
            parts |= {n for n, file in files.items() if file.is_file() and include in file.read_text(encoding="utf-8")}
        else:
            raise InputError(f"{mutant.id}: {culprit} is no kernel of {mutant.algorithm}, nor the file that is edited")
    return parts


def check_complete(mechanisms: dict[str, Mechanism], mutants: list[Mutant]) -> None:
    """Each mechanism is planted in every kernel and every glue, or a reason says why it cannot be."""
    named = kernels()
    planted: dict[tuple[str, str], str] = {}
    for mutant in mutants:
        if mutant.mechanism != OWN:
            for part in blamed(mutant, named.get(mutant.algorithm, [])):
                planted[mutant.mechanism, f"{mutant.algorithm}/{part}"] = mutant.id
    places = [f"{algorithm}/{part}" for algorithm, names in named.items() for part in (*names, GLUE)]
    problems: list[str] = []
    for mechanism in mechanisms.values():
        excused: dict[str, str] = {}
        for glob in (glob for key in mechanism.not_in for glob in key.split()):
            matched = [place for place in places if fnmatch.fnmatchcase(place, glob)]
            if not matched:
                problems.append(f"mechanism {mechanism.id}: not_in {glob} is no kernel")
            excused |= dict.fromkeys(matched, glob)
        for place in places:
            planted_by = planted.get((mechanism.id, place))
            if planted_by is None and place not in excused:
                problems.append(f"mechanism {mechanism.id} is not planted in {place}, and not_in gives no reason")
            elif planted_by is not None and place in excused:
                problems.append(
                    f"mechanism {mechanism.id}: not_in {excused[place]} gives a reason for {place}, where {planted_by} is "
                    "planted"
                )
    if problems:
        raise InputError("\n".join(problems))


def read_mutants() -> list[Mutant]:
    """All of them. Raises InputError if a mechanism has neither a mutant nor a reason for some kernel."""
    mechanisms = read_mechanisms()
    paths = [path for path in sorted((ROOT / "mutants").glob("*/*.json")) if path.parent.name != HARNESS]
    mutants = [read_mutant(path, mechanisms) for path in paths]
    seen: set[str] = set()
    for mutant in mutants:
        if mutant.id in seen:
            raise InputError(f"two mutants are called {mutant.id}")
        seen.add(mutant.id)
    check_complete(mechanisms, mutants)
    return mutants


def select(mutants: list[AnyPlanted], patterns: list[str]) -> list[AnyPlanted]:
    if not patterns:
        return mutants
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(mutant.id, pattern) for mutant in mutants):
            raise InputError(
                f"no mutant is called {pattern}; `ci/mutants --list` and `ci/harness-mutants --list` say what there is"
            )
    return [m for m in mutants if any(fnmatch.fnmatchcase(m.id, pattern) for pattern in patterns)]
