"""Candidate mutants, made of a source by rules: every place where an operator fits, each one small edit.

What is left out, because no outcome could ever show it, or because tests of its own hold it:

- comments, preprocessor lines, static_assert, using, attributes, noexcept, types, parameter lists and template
  parameter lists (arguments of templates in a call are mutated);
- inline assembly and keep_order(), which only steer the compiler; little_or_swapped(), which does nothing here;
- descriptors: the `const Implementation NAME = {...}` initialisers, tail_strides, linux_aliases, the lists of
  implementations.cpp; kernel.h and the public headers, which are layouts that oracles share;
- core/cpu.cpp, core/status.cpp, core/probe.*, and statements that only count (count_bulk_iteration());
- core::wipe of locals: what is left on the stack is no outcome. Wiping members is one, and stays;
- what is known to be the same: operands of commutative operators swapped, adjacent statements that are independent.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from engine.cpp import ASSIGNMENTS, Function, Source, Statement
from engine.planted import ROOT

UNMUTATED_FILES = {"cpu.cpp", "status.cpp", "probe.cpp", "probe.h", "implementations.cpp", "kernel.h"}
# Whole statements and declarations that are left alone. `wipe` of what is no member: no `this`, no trailing underscore.
UNMUTATED = re.compile(
    r"count_bulk_iteration|\bImplementation\s*\*?\s+\w+(\[\])?\s*=|\btail_strides\[|\blinux_aliases\[|^keep_order\("
    r"|__asm__|\blittle_or_swapped\(|^core::wipe\((?!this|&?\w+_,)"
)
# From so many on, literals in braces or in a call are a table.
TABLE = 5


@dataclasses.dataclass(frozen=True)
class Candidate:
    file: str
    line: int
    column: int
    operator: str
    find: str
    replace: str
    offset: int
    function: str
    number: int = 0  # tells candidates of one operator at one place apart

    @property
    def id(self) -> str:
        """By folder, file and place: no new file changes it."""
        path = Path(self.file)
        folder = path.parent.name
        stem = path.stem if path.stem.startswith(folder) else f"{folder}_{path.stem}"
        return f"{stem}_{self.line}_{self.column}_{self.operator}_{self.number}"

    def edited(self, text: str) -> str:
        end = self.offset + len(self.find)
        if text[self.offset : end] != self.find:
            raise ValueError(f"{self.id}: {self.find!r} does not stand at its place")
        return text[: self.offset] + self.replace + text[end:]


def files() -> list[str]:
    """The kernels and the glue, relative to the tree."""
    found = [path for path in (ROOT / "impls").glob("*/*") if path.suffix in (".cpp", ".h")]
    return sorted(str(path.relative_to(ROOT)) for path in found if path.name not in UNMUTATED_FILES)


def candidates(file: str, text: str) -> list[Candidate]:
    return Mutator(file, text).all()


# --- Numbers


@dataclasses.dataclass(frozen=True)
class Number:
    value: int
    prefix: str
    digits: str
    suffix: str

    @staticmethod
    def parse(text: str) -> Number | None:
        found = re.fullmatch(r"(0[xX]|0[bB]|)([0-9a-fA-F']+?)([uUlLzZ]*)", text)
        if found is None:
            return None
        prefix, digits, suffix = found.groups()
        base = {"0x": 16, "0b": 2}.get(prefix.lower(), 10)
        if base == 10 and not digits.replace("'", "").isdecimal():
            return None
        return Number(int(digits.replace("'", ""), base), prefix, digits, suffix)

    def with_value(self, value: int) -> str:
        """Another number, written alike."""
        width = len(self.digits.replace("'", ""))
        form = {"0x": f"0{width}X", "0b": f"0{width}b"}.get(self.prefix.lower(), "d")
        return self.prefix + format(value, form) + self.suffix

    @property
    def bits(self) -> int:
        digits = len(self.digits.replace("'", ""))
        return max(1, {"0x": 4 * digits, "0b": digits}.get(self.prefix.lower(), self.value.bit_length()))

    @property
    def is_mask(self) -> bool:
        return self.prefix != "" and (self.bits > 8 or self.prefix.lower() == "0b")


def lowest_set(value: int) -> int:
    return value & -value


def lowest_clear(value: int, bits: int) -> int:
    """The lowest bit that is not set; 0 if all are."""
    return ~value & (value + 1) & ((1 << bits) - 1)


# --- What is known of names


@dataclasses.dataclass
class Names:
    """Of a file and of all that it includes from the tree."""

    returns: dict[str, set[str]] = dataclasses.field(default_factory=dict)
    written: dict[str, set[int]] = dataclasses.field(default_factory=dict)
    members: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    constants: dict[str, str] = dataclasses.field(default_factory=dict)
    enumerators: dict[str, list[str]] = dataclasses.field(default_factory=dict)

    def add(self, other: Names | Source) -> None:
        for name, kinds in other.returns.items():
            self.returns[name] = self.returns.get(name, set()) | kinds
        for name, numbers in other.written.items():
            self.written[name] = self.written.get(name, set()) | numbers
        self.members.update(other.members)
        self.constants.update(other.constants)
        self.enumerators.update(other.enumerators)


@functools.cache
def declared(header: str) -> Names:
    path = next((p for p in (ROOT / header, ROOT / "impls" / "include" / header) if p.is_file()), None)
    if path is None:
        return Names()
    text = path.read_text(encoding="utf-8")
    return names_in(Source(text), text)


def names_in(source: Source, text: str) -> Names:
    result = Names()
    for header in re.findall(r'^#include "(.*)"', text, re.MULTILINE):
        result.add(declared(header))
    result.add(source)
    return result


INTEGERS = {
    "std::size_t", "std::uint64_t", "std::uint32_t", "std::uint8_t", "std::uintptr_t", "unsigned", "int", "bool", "auto"
}
WIDE = {"std::size_t", "std::uint64_t"}
REDUCTIONS = re.compile(r"reduc|^fold|^combine$|^divide_by_x$|^multiply_by_x$|^catch_up$|^twice$")
HALVES = {
    "low": "high", "high": "low", "middle": "low", "first": "second", "second": "first", "third": "fourth",
    "fourth": "third", "a": "b", "b": "c", "c": "d", "d": "a",
    "low_reversed": "high_reversed", "high_reversed": "low_reversed", "sum": "high",
    "multiple": "later", "later": "multiple",
    "salt": "personal", "personal": "salt", "keystream": "partial", "partial": "keystream",
    "aad_bytes": "text_bytes", "text_bytes": "aad_bytes",
}
CALLEES = {
    "load_be32": "load_le32", "load_be64": "load_le64", "store_be32": "store_le32", "store_be64": "store_le64",
    "load_le32": "load_be32", "load_le64": "load_be64", "store_le32": "store_be32", "store_le64": "store_be64",
}
# What the order of arguments does not matter to, or what takes them in no other.
COMMUTATIVE = re.compile(
    r"xor|_or_|_and_|add|^multiply$|multiply_low|ternary|overlap|apart|equal|^min$|^max$|overflow|sums?_of|^absorb$"
    r"|^rotr$"
)
INTRINSIC = re.compile(r"^_mm\d*_")
WIDTHS = re.compile(r"^(_mm\d*_(?:add|sub|slli|srli|unpacklo|unpackhi|ror|rol|maskz_\w+))_epi(32|64)$")


class Mutator:
    """Walks a file once; `emit` collects."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.source = Source(text, UNMUTATED)
        self.tokens = self.source.tokens
        self.names = names_in(self.source, text)
        self.found: list[Candidate] = []
        self.seen: set[tuple[int, str, str]] = set()
        self.numbers: dict[tuple[int, int, str], int] = defaultdict(int)
        self.lines = [0] + [found.end() for found in re.finditer("\n", text)]
        self.template_literals = self._template_literals()

    def all(self) -> list[Candidate]:
        for k, token in enumerate(self.tokens):
            if self.source.function[k] is None:
                continue
            if token.kind == "number":
                self.number(k)
            elif self.source.in_template[k]:
                continue
            elif token.kind == "name":
                self.name(k)
            elif token.text == "(" and self.source.callee(k)[1]:
                self.call(k)
            elif token.text == "{":
                self.braces(k)
            elif token.text == "[":
                self.index(k)
            elif token.text in ("++", "--"):
                self.replace_token("replace_operator", k, "--" if token.text == "++" else "++")
            elif self.source.is_binary(k):
                self.binary(k)
        for statement in self.source.statements:
            self.statement(statement)
        for before, after in zip(self.source.statements, self.source.statements[1:]):
            self.adjacent(before, after)
        for condition in self.source.conditions:
            self.condition(condition.kind, condition.first, condition.last, condition.constexpr)
        return sorted(self.found, key=lambda c: (c.offset, c.operator, c.number))

    # --- Emitting

    def emit_at(self, operator: str, start: int, end: int, replacement: str, function: str) -> None:
        find = self.text[start:end]
        # The same edit in another guise is left out.
        head = 0
        while head < min(len(find), len(replacement)) and find[head] == replacement[head]:
            head += 1
        tail = 0
        while tail < min(len(find), len(replacement)) - head and find[-1 - tail] == replacement[-1 - tail]:
            tail += 1
        key = (start + head, find[head : len(find) - tail], replacement[head : len(replacement) - tail])
        if find == replacement or key in self.seen:
            return
        self.seen.add(key)
        line = self._line(start)
        column = start - self.lines[line - 1] + 1
        number = self.numbers[line, column, operator]
        self.numbers[line, column, operator] += 1
        self.found.append(Candidate(self.file, line, column, operator, find, replacement, start, function, number))

    def _line(self, offset: int) -> int:
        low, high = 0, len(self.lines)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.lines[middle] <= offset else (low, middle)
        return low + 1

    def emit(self, operator: str, first: int, last: int, replacement: str, function: Function | None = None) -> None:
        where = function or self.source.function[first] or Function("", "")
        self.emit_at(operator, self.tokens[first].start, self.tokens[last].end, replacement, where.name)

    def replace_token(self, operator: str, k: int, replacement: str) -> None:
        self.emit(operator, k, k, replacement)

    def part(self, part: tuple[int, int]) -> str:
        return self.source.between(*part)

    def operand(self, part: tuple[int, int]) -> str:
        """As an operand of anything."""
        return self.part(part) if self.is_primary(part) else f"({self.part(part)})"

    def is_primary(self, part: tuple[int, int]) -> bool:
        return not any(self.source.is_binary(k) for k in self.outside(*part))

    def outside(self, first: int, last: int) -> Iterator[int]:
        """The tokens that are in no bracket."""
        k = first
        while k <= last:
            yield k
            k = self.source.skip(k)

    # --- Types, as far as they can be told

    def type_of(self, part: tuple[int, int]) -> str:
        s = self.source
        first, last = part
        function = s.function[first] or s.function[last] or Function("", "")
        binaries = [k for k in self.outside(first, last) if s.is_binary(k)]
        if binaries:
            compared = any(s[k] in ("==", "!=", "<", ">", "<=", ">=", "&&", "||") for k in binaries)
            return "bool" if compared else self.type_of((first, binaries[0] - 1))
        if s[first] in ("*", "&", "!", "~", "-", "++", "--"):
            return "" if s[first] in ("*", "&") else self.type_of((first + 1, last)) if first < last else ""
        if s.tokens[first].kind == "number":
            return "int" if first == last else ""
        if s[first] == "(" and s.mate[first] == last:
            return self.type_of((first + 1, last - 1))
        if s[first] == "sizeof" or s[last] == ")" and s[last - 1] == "(" and s[last - 2] == "size":
            return "std::size_t"
        if first == last:
            members = self.names.members.get(function.name.partition("::")[0], {})
            return function.types.get(s[first]) or members.get(s[first]) or self.names.constants.get(s[first], "")
        if s[last] == ")":
            start, name = s.callee(s.mate[last])
            if start == first and name.endswith("_cast"):
                return s.type_text(first + 2, s.mate[first + 1])
            kinds = self.names.returns.get(name, set())
            return next(iter(kinds)) if start == first and len(kinds) == 1 else ""
        if s[last] == "}":
            return s.between(first, s.mate[last] - 1)
        if s[last] == "]":
            return self.type_of((first, s.mate[last] - 1)).removesuffix("[]").removesuffix("*").removeprefix("const ")
        if s[last - 1] in (".", "->"):
            owner = self.type_of((first, last - 2)).removeprefix("const ").removesuffix("*").rpartition("::")[2]
            return self.names.members.get(owner, {}).get(s[last], "")
        return ""

    def is_structure(self, part: tuple[int, int]) -> bool:
        return self.type_of(part).rpartition("::")[2][:1].isupper()

    def alike(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether two arguments may stand for each other."""
        s = self.source
        kinds = self.type_of(one), self.type_of(other)
        if all(kinds):
            return kinds[0] == kinds[1] or set(kinds) <= INTEGERS
        if any(kinds):
            return False

        def shape(part: tuple[int, int]) -> str:
            return re.sub(r"\d+", "#", re.sub(r"\.\w+$", ".", self.part(part)))

        return shape(one) == shape(other) or (s[one[1]] == ")" and s[other[1]] == ")" and s[one[0]] == s[other[0]])

    # --- Numbers

    def _template_literals(self) -> dict[str, list[int]]:
        """Name of a template -> the literals that it is called with in this file."""
        result: dict[str, set[int]] = defaultdict(set)
        for k, token in enumerate(self.tokens):
            if token.kind == "number" and self.source.in_template[k] and self.source.function[k] is not None:
                number = Number.parse(token.text)
                name = self._template_name(k)
                if number and name:
                    result[name].add(number.value)
        return {name: sorted(values) for name, values in result.items()}

    def _template_name(self, k: int) -> str:
        """Of a literal that is an argument of a template as a whole."""
        s = self.source
        angle = s.enclosing(k)
        if angle < 0 or s[angle] != "<" or s[k - 1] not in ("<", ",") or s[k + 1] not in (">", ","):
            return ""
        return s[angle - 1]

    def number(self, k: int) -> None:
        number = Number.parse(self.tokens[k].text)
        if number is None:
            return
        for operator, value in self.other_values(k, number):
            if value >= 0 and value != number.value:
                self.replace_token(operator, k, number.with_value(value))

    def other_values(self, k: int, n: Number) -> list[tuple[str, int]]:
        s = self.source
        value = n.value
        around = [("off_by_one", value + 1), ("off_by_one", value - 1)]
        bracket = s.enclosing(k)
        before, after = s[k - 1], s[k + 1]
        if s.in_template[k]:
            name = self._template_name(k)
            operator = "wrong_shift" if "rotate" in name or "swap" in name else "off_by_one"
            others = [v for v in self.template_literals.get(name, []) if v != value]
            if others:
                return [(operator, v) for v in sorted(others, key=lambda v: (abs(v - value), v))[:2]]
            if before == "[" and after == "]":
                return [("wrong_lane", value ^ 1)]
            return around if name else []
        if before == "[" and after == "]":
            if re.search(r"power|running|keys", s[k - 2]):
                return [("wrong_power", value + 1), ("wrong_power", value - 1)]
            return [("wrong_lane", value ^ 1)]
        if before in ("<<", ">>", "<<=", ">>=") and s.is_binary(k - 1) and s.right(k - 1) == k:
            return [("wrong_shift", v) for v in (value + 1, value - 1, 2 * value if 2 < value <= 32 else value)]
        if before == "%" or after == "%" and not s.is_binary(k - 1):
            halved = value // 2 if value & (value - 1) == 0 else value - 1
            return [("wrong_mask", halved if halved else 2)]
        if "&" in (before, after) and (before != "&" or s.is_binary(k - 1)) or before == "~":
            top = 1 << (value.bit_length() - 1) if value else 0
            return [("wrong_mask", value ^ top), ("wrong_mask", value | lowest_clear(value, n.bits + 1 - (n.bits % 2)))]
        whole = before in ("(", ",", "{") and after in (")", ",", "}")
        if whole and bracket >= 0 and s[bracket] == "(":
            name = s.callee(bracket)[1]
            if INTRINSIC.match(name) or name in ("_MM_SHUFFLE", "rotr", "rotl"):
                return self.immediate(name, n)
            if name == "powers_from":
                return [("wrong_power", value + 1), ("wrong_power", value - 1)]
        function = s.function[k]
        elements = s.split(bracket + 1, s.mate[bracket]) if bracket >= 0 and s[bracket] == "{" else []
        if n.is_mask or (function is not None and function.constant and whole and len(elements) >= TABLE):
            bit = self.tokens[k].start * 7 % n.bits if n.is_mask else 0
            return [("constant", value ^ (1 << bit))]
        if before in ("<", ">=") and s.is_binary(k - 1) and after in (";", ")", "&&", "||"):
            return [("off_by_one", value - 1)]
        if before in (">", "<=") and s.is_binary(k - 1) and after in (";", ")", "&&", "||"):
            return [("off_by_one", value + 1)]
        return around

    def immediate(self, name: str, n: Number) -> list[tuple[str, int]]:
        value = n.value
        if re.search(r"_setr?_|_MM_SHUFFLE|extract|insert", name):
            return [("wrong_lane", value ^ 1)]
        if "clmul" in name:
            return [("wrong_lane", value ^ 0x01), ("wrong_lane", value ^ 0x10)]
        if "ternarylogic" in name:
            return [("constant", value ^ 0x80), ("constant", value ^ 0x02)]
        if n.prefix.lower() == "0b":
            return [("wrong_mask", value ^ lowest_set(value)), ("wrong_mask", value | lowest_clear(value, n.bits))]
        if re.search(r"slli|srli|rot|ror|rol|alignr", name):
            return [("wrong_shift", value + 1), ("wrong_shift", value - 1), ("wrong_shift", value // 2)]
        return [("off_by_one", value + 1), ("off_by_one", value - 1)]

    # --- Names

    def name(self, k: int) -> None:
        s = self.source
        text = s[k]
        function = s.function[k]
        if function is None or s[k + 1] == "(" or s[k + 1] == "::" or s[k + 1] == "<" and k + 1 in s.mate:
            return
        if s[k - 1] in (".", "->"):
            self.member(k)
            return
        if s[k - 1] == "::" and s[k - 2] in self.names.enumerators:
            others = self.names.enumerators[s[k - 2]]
            if text in others:
                self.replace_token("wrong_enumerator", k, others[(others.index(text) + 1) % len(others)])
            return
        if s[k - 1] == "::" or s[k + 1] in ASSIGNMENTS:
            return
        kind = function.types.get(text)
        if kind is None:
            return
        other = HALVES.get(text, "")
        if function.types.get(other) == kind and function.declared_at[other] < k and not s[k + 1] == "[":
            self.replace_token("wrong_lane", k, other)
            return
        shape = re.sub(r"\d+", "#", text)
        if shape == text:
            return
        numbered = [
            name for name, at in function.declared_at.items()
            if at < k and name != text and re.sub(r"\d+", "#", name) == shape and function.types[name] == kind
            and not self.declaring(at, k)
        ]
        if numbered:
            index = [int(digits) for digits in re.findall(r"\d+", text)]

            def distance(name: str) -> tuple[int, str]:
                return sum(abs(int(d) - i) for d, i in zip(re.findall(r"\d+", name), index)), name

            self.replace_token("wrong_power", k, min(numbered, key=distance))

    def declaring(self, name: int, k: int) -> bool:
        """Whether k stands in the initialiser of the name declared there."""
        return self.source[name + 1] in ("=", "{", "(") and self.source.region[k][0] in (name + 1, name + 2)

    def member(self, k: int) -> None:
        s = self.source
        text = s[k]
        other = HALVES.get(text, "")
        found = re.fullmatch(r"([a-z]+)(\d)", text)
        owner = self.type_of((self.primary_start(k - 1), k - 2)).removeprefix("const ").removesuffix("*")
        members = self.names.members.get(owner.rpartition("::")[2], {})
        if found:
            other = found[1] + str(int(found[2]) ^ 1)
        if not other:
            return
        if members:
            if members.get(other) == members.get(text):
                self.replace_token("wrong_lane", k, other)
        elif found or text in ("first", "second", "third", "fourth", "low", "high"):
            self.replace_token("wrong_lane", k, other)

    def primary_start(self, k: int) -> int:
        """The first token of what stands in front of the `.` at k."""
        s = self.source
        j = k - 1
        while True:
            while s[j] in (")", "]"):
                j = s.mate[j] - 1
            if s[j - 1] in (".", "->", "::"):
                j -= 2
            else:
                return j

    # --- Brackets

    def index(self, k: int) -> None:
        s = self.source
        close = s.mate[k]
        if k == 0 or not s.ends_operand(k - 1) or close == k + 1 or s.tokens[k + 1].kind == "number" and close == k + 2:
            return
        array = s[k - 1]
        part = (k + 1, close - 1)
        if s[k + 1] in ("++", "--") or s[close - 1] in ("++", "--"):
            return
        if re.search(r"power|running|round_keys", array):
            self.emit("wrong_power", *part, f"{self.part(part)} - 1")
            self.emit("wrong_power", *part, f"{self.part(part)} + 1")
        elif s[close - 2] != "::":
            self.emit("wrong_lane", *part, f"{self.operand(part)} ^ 1")

    def braces(self, k: int) -> None:
        s = self.source
        parts = s.split(k + 1, s.mate[k])
        limit = 1 if len(parts) > TABLE and all(a == b and s.tokens[a].kind == "number" for a, b in parts) else 99
        self.swap_arguments(parts[: limit + 1])

    def swap_arguments(self, parts: list[tuple[int, int]], name: str = "") -> None:
        written = self.names.written.get(name, set())
        for number, (one, other) in enumerate(zip(parts, parts[1:])):
            if {number, number + 1} & written and not {number, number + 1} <= written:
                continue
            if self.part(one) != self.part(other) and self.alike(one, other):
                gap = self.text[self.tokens[one[1]].end : self.tokens[other[0]].start]
                self.emit("swap_operands", one[0], other[1], self.part(other) + gap + self.part(one))

    # --- Calls

    def call(self, k: int) -> None:
        s = self.source
        close = s.mate[k]
        if s.function[k] is None:
            return
        start, name = s.callee(k)
        arguments = s.split(k + 1, close)
        self.other_callee(k, name)
        if name in CALLEES:
            self.replace_token("drop_byte_swap", k - 1, CALLEES[name])
        elif re.fullmatch(r"__builtin_bswap\d+|reverse_bytes|reverse_bits", name) and len(arguments) == 1:
            self.emit("drop_byte_swap", start, close, self.operand(arguments[0]))
        elif name in ("load_block", "store_block") and ("pclmul" in self.file or s[start] == "ghash"):
            self.replace_token("drop_byte_swap", k - 1, name.removesuffix("_block"))
        if REDUCTIONS.search(name):
            self.skip_reduction(start, close, name, arguments)
        if re.search(r"_xor_|^xor3$|^add$", name) and len(arguments) > 1:
            self.drop_arguments(start, close, name, arguments)
        commutative = COMMUTATIVE.search(name) or "clmul" in name and s[close - 1] in ("0x00", "0x11")
        literals = all(a == b and s.tokens[a].kind == "number" for a, b in arguments)
        if not commutative and name not in ("_mm_set_epi32",) and not (literals and len(arguments) > TABLE):
            self.swap_arguments(arguments, name)
        for number, argument in enumerate(arguments):
            if number not in self.names.written.get(name, set()):
                self.argument(name, number, argument)

    def other_callee(self, k: int, name: str) -> None:
        """Another function of the same type."""
        s = self.source
        at = k - 1
        if s.tokens[at].kind != "name":
            return
        rules = (
            ("replace_operator", r"^(_mm\d*)_add_(epi\d+)$", r"\1_sub_\2"),
            ("replace_operator", r"^(_mm\d*)_xor_(si\d+)$", r"\1_or_\2"),
            ("replace_operator", r"^(_mm\d*)_aesenc_(\w+)$", r"\1_aesenclast_\2"),
            ("replace_operator", r"^(_mm\d*)_aesenclast_(\w+)$", r"\1_aesenc_\2"),
            ("wrong_lane", r"^(_mm\d*)_unpacklo_(\w+)$", r"\1_unpackhi_\2"),
            ("wrong_lane", r"^(_mm\d*)_unpackhi_(\w+)$", r"\1_unpacklo_\2"),
            ("wrong_lane", r"^(_mm\d*)_set_(epi8)$", r"\1_setr_\2"),
            ("wrong_lane", r"^(_mm\d*)_setr_(epi8)$", r"\1_set_\2"),
            ("wrong_shift", r"^(_mm\d*)_slli_(\w+)$", r"\1_srli_\2"),
            ("wrong_shift", r"^(_mm\d*)_srli_(\w+)$", r"\1_slli_\2"),
            ("wrong_shift", r"^rotr$", "rotl"),
            ("wrong_shift", r"^(_mm\d*)_ror_(\w+)$", r"\1_rol_\2"),
            ("wrong_lane", r"^first_lane$", "second_lane"),
            ("wrong_lane", r"^second_lane$", "first_lane"),
            ("wrong_lane", r"^in_both_lanes$", "in_first_lane"),
            ("wrong_mask", r"^(_mm\d*)_maskz_loadu_epi64$", r"\1_maskz_loadu_epi32"),
            ("narrow_64_to_32", r"^(_mm\d*)_set1_epi64$", r"\1_set1_epi32"),
            ("bounds", r"^min$", "max"),
        )
        for operator, pattern, replacement in rules:
            if re.match(pattern, name) and (name != "in_both_lanes" or "in_first_lane(" in self.text):
                self.replace_token(operator, at, re.sub(pattern, replacement, name))
        width = WIDTHS.match(name)
        if width:
            operator = "narrow_64_to_32"
            self.replace_token(operator, at, f"{width[1]}_epi{'32' if width[2] == '64' else '64'}")

    def skip_reduction(self, start: int, close: int, name: str, arguments: list[tuple[int, int]]) -> None:
        s = self.source
        kinds = self.names.returns.get(name, set())
        for argument in arguments:
            elements = s.split(argument[0] + 1, argument[1]) if s[argument[0]] == "{" else []
            if name == "combine":
                continue
            if elements:
                self.emit("skip_reduction", start, close, self.operand(elements[-1]))
            elif name in ("reduce", "fold_low") or name.endswith("reduce"):
                member = "middle" if name == "fold_low" else "high"
                self.emit("skip_reduction", start, close, f"{self.operand(argument)}.{member}")
            elif not kinds or self.type_of(argument) in kinds | {""}:
                self.emit("skip_reduction", start, close, self.operand(argument))

    def drop_arguments(self, start: int, close: int, name: str, arguments: list[tuple[int, int]]) -> None:
        """A sum without one of its terms."""
        head = self.text[self.tokens[start].start : self.tokens[arguments[0][0]].start]
        for dropped in arguments:
            rest = [self.part(a) for a in arguments if a != dropped]
            operator = "skip_reduction" if re.search(r"reduc|fold|combine", self.part(dropped)) else "drop_term"
            if len(rest) == 1:
                self.emit(operator, start, close, self.operand(next(a for a in arguments if a != dropped)))
            elif name == "xor3":
                self.emit(operator, start, close, f"_mm512_xor_si512({', '.join(rest)})")
            else:
                self.emit(operator, start, close, f"{head}{', '.join(rest)})")

    def argument(self, name: str, number: int, argument: tuple[int, int]) -> None:
        s = self.source
        first, last = argument
        if s.tokens[first].kind == "number" and first == last or s.function[first] is None or name.endswith("_cast"):
            return
        text = self.part(argument)
        if re.fullmatch(r"store_..64", name) and number == 1 or name == "rotr":
            self.emit("narrow_64_to_32", first, last, f"static_cast<std::uint32_t>({text})")
        kind = self.type_of(argument)
        if kind in ("std::size_t", "std::uint64_t", "std::uint32_t", "unsigned", "int") or text.endswith(".size()"):
            self.emit("const_zero", first, last, "0")

    # --- Operators

    def binary(self, k: int) -> None:
        s = self.source
        operator = s[k]
        left = (s.left(k), k - 1)
        right = (k + 1, s.right(k))
        if right[1] < right[0] or left[1] < left[0]:
            return
        structure = self.is_structure(left) or self.is_structure(right)
        if operator in ("<", "<=", ">", ">=", "==", "!="):
            self.comparison(k, left, right)
        elif operator in ("<<", ">>"):
            self.replace_token("wrong_shift", k, ">>" if operator == "<<" else "<<")
        elif operator in ASSIGNMENTS:
            other = {"+=": ("-=", "="), "-=": ("+=",), "^=": ("|=", "="), "|=": ("&=", "="), "&=": ("|=",),
                     "<<=": (">>=",), ">>=": ("<<=",), "*=": ("+=",), "/=": ("-=",), "%=": ("/=",)}
            if not structure:
                for one in other.get(operator, ()):
                    if one == "=" and "*" in self.type_of(left):
                        continue  # no pointer is a number
                    self.replace_token("wrong_shift" if one in ("<<=", ">>=") else "replace_operator", k, one)
            self.assigned(k, left, right)
        elif operator == "?":
            self.ternary(k, left)
        elif operator in ("+", "-", "*", "/", "%", "&", "|", "^", "&&", "||"):
            other = {"+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",), "&": ("|",), "|": ("&",),
                     "^": ("|", "&"), "&&": ("||",), "||": ("&&",)}
            if not structure:
                for one in other[operator]:
                    self.replace_token("replace_operator", k, one)
            swappable = operator in ("-", "/") or operator == "%" and s.tokens[k + 1].kind != "number"
            if swappable and not structure and self.part(left) != self.part(right):
                gap = self.text[self.tokens[left[1]].end : self.tokens[right[0]].start]
                self.emit("swap_operands", left[0], right[1], self.operand(right) + gap + self.operand(left))
            self.drop_terms(k, left, right)
        if operator == "%" and s.tokens[right[0]].kind == "name":
            self.emit("wrong_mask", *right, f"({self.part(right)} / 2)")

    def drop_terms(self, k: int, left: tuple[int, int], right: tuple[int, int]) -> None:
        s = self.source
        reduction = re.search(r"reduc|fold", self.part(right))
        name = (s.function[k] or Function("", "")).name
        dropped = "skip_reduction" if reduction else "drop_term"
        self.emit_at(dropped, self.tokens[left[1]].end, self.tokens[right[1]].end, "", name)
        first_of_chain = not any(s.is_binary(j) and s[j] == s[k] for j in self.outside(*left))
        if first_of_chain and s[k] in ("^", "+", "|", "&&", "||", "&", "-", "*"):
            # Only if what remains has the type: not an offset without its pointer.
            kind, other = self.type_of(left), self.type_of(right)
            if kind.endswith(("*", "[]")) or s[k] == "*" and "{" in self.part(left):
                return
            if kind == other or s[k] in ("&&", "||") or {kind, other} <= INTEGERS:
                self.emit_at("drop_term", self.tokens[left[0]].start, self.tokens[right[0]].start, "", name)

    def comparison(self, k: int, left: tuple[int, int], right: tuple[int, int]) -> None:
        s = self.source
        other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
        self.replace_token("bounds", k, other[s[k]])
        text = self.part(right)
        if s.tokens[right[0]].kind == "number" and right[0] == right[1]:
            return
        if re.search(r"nullptr|\b[A-Z]\w*::\w+$|^std::endian|true|false|status$|\.data\(\)$|Phase", text):
            return
        if "*" in self.type_of(right) or self.is_structure(right) or text == "implementation":
            return
        step = "- 1" if s[k] in ("<", ">=") else "+ 1"
        self.emit("bounds", *right, f"{text} {step}")

    def ternary(self, k: int, condition: tuple[int, int]) -> None:
        if self.part(condition) in ("counted",):
            return
        self.condition("ternary", *condition, False)

    def condition(self, kind: str, first: int, last: int, is_constexpr: bool) -> None:
        s = self.source
        text = self.source.between(first, last)
        if s.function[first] is None:
            return
        compared = [k for k in self.outside(first, last) if s.is_binary(k)]
        logical = [s[k] for k in compared if s[k] in ("==", "!=", "<", "<=", ">", ">=", "&&", "||")]
        single = logical in (["=="], ["!="])  # the operator bounds says the same
        if not single and kind != "while" and kind != "for":
            plain = text[1:] if text.startswith("!") and not compared else f"!({text})" if compared else f"!{text}"
            self.emit("negate_condition", first, last, plain)
        if kind != "for":
            self.emit("condition_false", first, last, "false")
        if kind in ("if", "ternary") and not is_constexpr:
            self.emit("condition_true", first, last, "true")

    def assigned(self, k: int, left: tuple[int, int], right: tuple[int, int]) -> None:
        kind = self.type_of(left)
        if kind in WIDE or kind == "" and re.search(r"_bytes|text|aad", self.part(left)):
            self.narrow(right)

    def narrow(self, part: tuple[int, int]) -> None:
        text = self.part(part)
        s = self.source
        names = [s[k] for k in range(part[0], part[1] + 1) if s.tokens[k].kind == "name"]
        # What fits 32 bits anyway.
        small = [name in self.names.constants or re.fullmatch(r"key_\w+|rounds|filled", name) for name in names]
        if all(small) or self.type_of(part) not in WIDE | {""} or "%" in text:
            return
        if Number.parse(text) is not None or text.startswith(("{", "static_cast")) or "[" == text[:1]:
            return
        self.emit("narrow_64_to_32", *part, f"static_cast<std::uint32_t>({text})")

    # --- Statements

    def statement(self, statement: Statement) -> None:
        s = self.source
        first, last = statement.first, statement.last
        if statement.kind == "expression":
            self.emit("drop_statement", first, last, ";", statement.function)
        elif statement.kind == "break":
            self.emit("drop_statement", first, last, ";", statement.function)
        elif statement.kind == "increment":
            start, end = self.tokens[first].start, self.tokens[last].end
            if s[last + 1] == ",":
                end = self.tokens[last + 2].start
            elif s[first - 1] == ",":
                start = self.tokens[first - 2].end
            self.emit_at("drop_statement", start, end, "", statement.function.name)
        elif statement.kind == "return":
            if last == first + 1:
                self.emit("drop_statement", first, last, ";", statement.function)
            elif statement.function.returns in WIDE and s.function[first + 1] is not None:
                self.narrow((first + 1, last - 1))
            if s[first + 1] in ("true", "false") and last == first + 2:
                other = "false" if s[first + 1] == "true" else "true"
                self.emit("constant", first + 1, first + 1, other, statement.function)
        elif statement.kind == "declaration":
            self.declaration(statement)

    def declaration(self, statement: Statement) -> None:
        s = self.source
        k = statement.first
        while k < statement.last:
            if s.function[k] is not None and s.function[k - 1] is None and s[k - 1] == "=" and s[k - 2] != "]":
                first, end = s.region[k]
                if statement.function.types.get(s[k - 2]) in WIDE:
                    self.narrow((first, end - 1))
                k = end
            else:
                k = s.skip(k)
        text = s.between(statement.first, statement.last)
        if text.endswith("= {};") and not text.startswith("const"):
            self.emit("drop_statement", statement.last - 3, statement.last, ";", statement.function)

    def adjacent(self, before: Statement, after: Statement) -> None:
        s = self.source
        if before.kind != "expression" or after.kind != "expression" or before.block != after.block:
            return
        if before.last + 1 != after.first:
            return
        if not (self.touches(before, after) or self.touches(after, before)):
            return
        gap = self.text[self.tokens[before.last].end : self.tokens[after.first].start]
        one, other = s.between(before.first, before.last), s.between(after.first, after.last)
        self.emit("swap_statements", before.first, after.last, other + gap + one, before.function)

    def touches(self, writer: Statement, reader: Statement) -> bool:
        """Whether the first may change what the second uses."""
        s = self.source
        reads = s.between(reader.first, reader.last)
        assignment = next((k for k in self.outside(writer.first, writer.last) if s[k] in ASSIGNMENTS), None)
        if assignment is not None:
            target = s.between(writer.first, assignment - 1)
            next_one = next((k for k in self.outside(reader.first, reader.last) if s[k] in ASSIGNMENTS), None)
            same = next_one is not None and s[next_one] == s[assignment]
            if same and s.between(reader.first, next_one - 1) == target:
                # Two steps of one sum, in either order.
                if s[assignment] != "=" or s.between(assignment, assignment + 4) == s.between(next_one, next_one + 4):
                    return False
        elif s[writer.first] in ("++", "--"):
            target = s[writer.last - 1]
        else:
            call, name = self.first_call(writer)
            other = self.first_call(reader)[1]
            if call < 0 or name == other or name.startswith("store") and other.startswith("store"):
                return False
            arguments = s.split(call + 1, s.mate[call])
            if not arguments:
                return False
            first, last = arguments[1] if name == "hash" and len(arguments) > 1 else arguments[0]
            operators = [k for k in self.outside(first, last) if s.is_binary(k)]
            target = s.between(first + (s[first] == "&"), operators[0] - 1 if operators else last)
        return re.search(rf"(?<![\w.>]){re.escape(target)}(?!\w)", reads) is not None

    def first_call(self, statement: Statement) -> tuple[int, str]:
        s = self.source
        call = next((k for k in self.outside(statement.first, statement.last) if s[k] == "("), -1)
        return (call, s.callee(call)[1]) if call >= 0 else (-1, "")


# --- Samples


def sample(all: list[Candidate], count: int, seed: int) -> list[Candidate]:
    """So many of them, every file and every operator with a share by the square root of what it has."""
    chance = random.Random(seed)
    groups: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in sorted(all, key=lambda c: (c.file, c.offset, c.operator, c.number)):
        groups[candidate.operator, candidate.file].append(candidate)
    count = min(count, len(all))
    quota = shares({key: len(members) for key, members in sorted(groups.items())}, count, chance)
    result = [c for key, members in sorted(groups.items()) for c in chance.sample(members, quota[key])]
    chance.shuffle(result)
    return result


def shares(sizes: dict[tuple[str, str], int], count: int, chance: random.Random) -> dict[tuple[str, str], int]:
    """How many of each group: one first, as far as that goes, then whoever is furthest below its share."""
    quota = dict.fromkeys(sizes, 0)
    weight = {key: math.sqrt(size) for key, size in sizes.items()}
    if count < len(sizes):
        return few(weight, count, chance)
    for key in quota:
        quota[key] = 1
    for _ in range(count - len(sizes)):
        open_ones = [key for key in sizes if quota[key] < sizes[key]]
        quota[min(open_ones, key=lambda key: (quota[key] / weight[key], key))] += 1
    return quota


def few(weight: dict[tuple[str, str], float], count: int, chance: random.Random) -> dict[tuple[str, str], int]:
    """Fewer than there are groups: operators and files have one each first, then their share."""
    totals: dict[str, float] = defaultdict(float)
    taken: dict[str, int] = defaultdict(int)
    for (operator, file), share in weight.items():
        totals[operator] += share
        totals[file] += share
    left = list(weight)
    chance.shuffle(left)
    quota = dict.fromkeys(weight, 0)

    def lead(key: tuple[str, str]) -> tuple[int, float]:
        return sum(taken[name] > 0 for name in key), sum((taken[name] + 0.5) / totals[name] for name in key)

    for _ in range(count):
        best = min(left, key=lead)
        left.remove(best)
        quota[best] = 1
        for name in best:
            taken[name] += 1
    return quota
