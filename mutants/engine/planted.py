"""Planted faults: the files mutants/*/<id>.json, and what they make of a source."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent.parent
HARNESS = "harness"  # the folder of those that are planted in the judge; all others are in the judged
KINDS = ("disagreement", "memory")


class InputError(Exception):
    """A mutant, or a command line, that is wrong."""


@dataclasses.dataclass(frozen=True)
class Edit:
    find: str
    replace: str


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
    origin: str
    target: str
    culprit: str
    kind: str


AnyPlanted = TypeVar("AnyPlanted", bound=Planted)


def text_of(value: object, where: str) -> str:
    """A text in JSON: a string, or a list of lines."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    raise InputError(f"{where} must be a string or a list of lines")


def read_planted(path: Path, kind: type[AnyPlanted], **given: str) -> AnyPlanted:
    """A fault of a file, whose fields are those of `kind` that are not `given`."""
    where = str(path.relative_to(ROOT))
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: {error}") from error
    expected = {field.name for field in dataclasses.fields(kind)} - set(given)
    if not isinstance(raw, dict) or set(raw) != expected:
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


def read_mutants() -> list[Mutant]:
    mutants = []
    seen: set[str] = set()
    for path in sorted((ROOT / "mutants").glob("*/*.json")):
        if path.parent.name == HARNESS:
            continue
        mutant = read_planted(path, Mutant, algorithm=path.parent.name)
        if mutant.kind not in KINDS:
            raise InputError(f"{mutant.id}: the kind must be one of {', '.join(KINDS)}")
        if mutant.id in seen:
            raise InputError(f"two mutants are called {mutant.id}")
        seen.add(mutant.id)
        mutants.append(mutant)
    return mutants


def select(mutants: list[AnyPlanted], patterns: list[str]) -> list[AnyPlanted]:
    if not patterns:
        return mutants
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(mutant.id, pattern) for mutant in mutants):
            raise InputError(f"no mutant is called {pattern}; --list lists them")
    return [m for m in mutants if any(fnmatch.fnmatchcase(m.id, pattern) for pattern in patterns)]
