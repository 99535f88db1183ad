"""C++ as far as mutants need it: tokens, brackets, declarations, statements, operands. Relies on the tree's format."""

from __future__ import annotations

import dataclasses
import re

TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    | (?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\(.*?\)(?P=delimiter)"
               | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    | (?P<number>0[xX](?:'?[0-9a-fA-F])+\w* | 0[bB](?:'?[01])+\w* | \.?[0-9](?:[eE][+-]|'?[\w.])*)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<operator><=>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
DIRECTIVE = re.compile(r"#(?:\\\n|[^\n])*")
OPEN = {"(": ")", "[": "]", "{": "}"}
LEVELS = (
    (",",), ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="), ("?", ":"), ("||",), ("&&",), ("|",),
    ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<=>",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)
PRECEDENCE = {op: level for level, ops in enumerate(LEVELS) for op in ops}
ASSIGNMENTS = LEVELS[1]
NO_OPERAND = {"return", "case", "else", "do", "sizeof", "throw", "alignof", "constexpr", "template", "typename"}
QUALIFIERS = {"const", "constexpr", "static", "inline", "extern", "constinit", "volatile", "explicit", "friend"}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def tokenize(text: str) -> list[Token]:
    """What is not space, comment or preprocessor line."""
    tokens: list[Token] = []
    at = 0
    line_begins = True
    while at < len(text):
        if text[at] == "#" and line_begins:
            at = DIRECTIVE.match(text, at).end()
            continue
        found = TOKEN.match(text, at)
        kind = found.lastgroup if found.lastgroup != "delimiter" else "string"
        at = found.end()
        if kind == "space":
            line_begins = line_begins or "\n" in found.group()
        elif kind != "comment":
            line_begins = False
            tokens.append(Token(kind, found.group(), found.start()))
    return tokens


@dataclasses.dataclass
class Function:
    """A body and what is known of the names in it."""

    name: str
    returns: str
    types: dict[str, str] = dataclasses.field(default_factory=dict)
    declared_at: dict[str, int] = dataclasses.field(default_factory=dict)
    constant: bool = False  # an initialiser outside of functions


@dataclasses.dataclass(frozen=True)
class Statement:
    kind: str  # expression, declaration, return, break, increment
    first: int
    last: int
    function: Function
    block: int  # statements of the same one stand in one list


@dataclasses.dataclass(frozen=True)
class Condition:
    kind: str  # if, while, for
    first: int
    last: int
    constexpr: bool


class Source:
    """A file, read. `function[k]` is set for every token that may be mutated."""

    def __init__(self, text: str, unmutated: re.Pattern[str] | None = None) -> None:
        self.text = text
        self.unmutated = unmutated  # statements that are left alone
        self.tokens = tokenize(text)
        self.mate: dict[int, int] = {}
        self._match()
        count = len(self.tokens)
        self.function: list[Function | None] = [None] * count
        self.region: list[tuple[int, int]] = [(0, 0)] * count
        self.in_template = [False] * count
        for opening, closing in self.mate.items():
            if self[opening] == "<" and closing > opening:
                self.in_template[opening : closing + 1] = [True] * (closing + 1 - opening)
        self.statements: list[Statement] = []
        self.conditions: list[Condition] = []
        self.returns: dict[str, set[str]] = {}
        self.members: dict[str, dict[str, str]] = {}
        self.constants: dict[str, str] = {}
        self.enumerators: dict[str, list[str]] = {}
        self.written: dict[str, set[int]] = {}  # function -> parameters that it may write: references
        self._blocks = 0
        self._declarations(0, count, "")

    def __getitem__(self, k: int) -> str:
        return self.tokens[k].text if 0 <= k < len(self.tokens) else ""

    def between(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start : self.tokens[last].end] if first <= last else ""

    # --- Brackets

    def _match(self) -> None:
        """Pairs brackets; angles are brackets where they follow a name without a space, which is the format here."""
        while True:
            self.mate = {}
            open_ones: list[int] = []
            for k, token in enumerate(self.tokens):
                if token.kind != "operator":
                    continue
                if token.text in OPEN:
                    open_ones.append(k)
                elif token.text in OPEN.values() and open_ones:
                    other = open_ones.pop()
                    self.mate[k], self.mate[other] = other, k
            split = None
            for k in range(len(self.tokens)):
                if self[k] == "<" and k not in self.mate and self._may_be_template(k):
                    split = self._match_angle(k)
                    if split is not None:
                        break
            if split is None:
                return
            whole = self.tokens[split]
            halves = [Token("operator", ">", whole.start), Token("operator", ">", whole.start + 1)]
            self.tokens[split : split + 1] = halves

    def _may_be_template(self, k: int) -> bool:
        if k == 0 or self.tokens[k - 1].kind != "name" or self[k - 1] == "operator":
            return False
        return self[k - 1] == "template" or self.tokens[k - 1].end == self.tokens[k].start

    def _match_angle(self, k: int) -> int | None:
        """Pairs the angle at k and those in it if there is an end. Gives a `>>` that must be split first."""
        stack = [k]
        pairs = []
        j = k + 1
        while j < len(self.tokens):
            t = self[j]
            if self.tokens[j].kind == "operator":
                if t == "<" and self._may_be_template(j):
                    stack.append(j)
                elif t == ">":
                    pairs.append((stack.pop(), j))
                    if not stack:
                        for a, b in pairs:
                            self.mate[a], self.mate[b] = b, a
                        return None
                elif t == ">>" and len(stack) > 1:
                    return j
                elif t in OPEN:
                    if j not in self.mate:
                        return None
                    j = self.mate[j]
                elif t in (";", "&&", "||", ">>", ")", "]", "}"):
                    return None
            j += 1
        return None

    def skip(self, k: int) -> int:
        """The token behind k, or behind the bracket that k opens."""
        return self.mate[k] + 1 if self.mate.get(k, -1) > k else k + 1

    def find(self, texts: tuple[str, ...], k: int, end: int) -> int:
        """The first of these outside of brackets; `end` if there is none."""
        while k < end and self[k] not in texts:
            k = self.skip(k)
        return min(k, end)

    def split(self, first: int, end: int, separator: str = ",") -> list[tuple[int, int]]:
        """The parts of [first, end), as first and last token."""
        parts = []
        while first < end:
            comma = self.find((separator,), first, end)
            if comma > first:
                parts.append((first, comma - 1))
            first = comma + 1
        return parts

    # --- Declarations

    def _mark(self, first: int, end: int, function: Function) -> None:
        """[first, end) is an expression."""
        for k in range(first, end):
            self.function[k] = function
            self.region[k] = (first, end)
        k = first
        while k < end:
            if self[k] == "[" and self._begins_lambda(k):
                k = self._lambda(k, function)
            else:
                k += 1

    def _begins_lambda(self, k: int) -> bool:
        previous = self.tokens[k - 1]
        return previous.text not in (")", "]", "}") and not (previous.kind == "name" and previous.text != "return")

    def _lambda(self, k: int, outer: Function) -> int:
        name = self[k - 2] if self[k - 1] == "=" else outer.name
        inner = Function(name, "", dict(outer.types), dict(outer.declared_at))
        j = self.mate[k] + 1
        if self[j] == "(":
            self._parameters(j, inner)
            j = self.mate[j] + 1
        j = self.find(("{",), j, len(self.tokens))
        end = self.mate[j]
        self.function[k : end + 1] = [None] * (end + 1 - k)
        self._block(j + 1, end, inner)
        return end + 1

    def type_text(self, first: int, end: int) -> str:
        """The type that these tokens name, without what does not matter to a use of it."""
        words = []
        k = first
        while k < end:
            if self[k] == "[" and self[k + 1] == "[":
                k = self.mate[k] + 1
                continue
            if self[k] == "template" and self[k + 1] == "<":
                k = self.mate[k + 1] + 1
                continue
            if self[k] not in QUALIFIERS - {"const"} and self[k] != "&":
                words.append(self[k])
            k += 1
        if "*" not in words:
            words = [word for word in words if word != "const"]
        return " ".join(words).replace(" :: ", "::").replace(" *", "*")

    def _parameters(self, k: int, function: Function) -> None:
        for first, last in self.split(k + 1, self.mate[k]):
            default = self.find(("=",), first, last + 1)
            name = default - 1
            suffix = ""
            while name > first and self[name] == "]":
                name = self.mate[name] - 1
                suffix = "[]"
            end = name
            if self[name] == ")":
                end, name = self.mate[name], name - 1
            if name > first and self.tokens[name].kind == "name":
                function.types[self[name]] = self.type_text(first, end) + suffix
                function.declared_at[self[name]] = name

    def _declarations(self, k: int, end: int, struct: str) -> None:
        while k < end:
            k = self._declaration(k, end, struct)

    def _declaration(self, k: int, end: int, struct: str) -> int:
        first = k
        if self[k] in ("public", "private", "protected"):
            return k + 2
        if self[k] in ("using", "static_assert", "friend", "typedef"):
            return self.find((";",), k, end) + 1
        if self[k] == "template":
            if self[k + 1] != "<":
                return self.find((";",), k, end) + 1
            k = self.mate[k + 1] + 1
        equals = parenthesis = colon = None
        words: list[str] = []
        while k < end:
            t = self[k]
            if t == ";":
                self._variable(first, k, equals, parenthesis, struct)
                return k + 1
            if t == "=" and equals is None and self[k - 1] != "operator":
                equals = k
            elif t == "(" and equals is None and parenthesis is None and self[k - 1] not in ("alignas", "decltype"):
                parenthesis = k
            elif t == ":" and parenthesis is not None:
                colon = k
            elif t == "{" and equals is None:
                close = self.mate[k]
                if "namespace" in words:
                    self._declarations(k + 1, close, "")
                    return close + 1
                if "enum" in words:
                    name = self.find((":",), first, k) - 1
                    self.enumerators[self[name]] = [self[one] for one, _ in self.split(k + 1, close)]
                    return self.find((";",), close, end) + 1
                if parenthesis is None and {"struct", "class", "union"} & set(words):
                    name = self.find((":",), first, k) - 1
                    self.members.setdefault(self[name], {})
                    self._declarations(k + 1, close, self[name])
                elif parenthesis is None:
                    equals = k - 1
                elif colon is not None and self.tokens[k - 1].kind == "name" and self[k - 1] != "noexcept":
                    self._mark(k, close + 1, Function(self[parenthesis - 1], ""))
                else:
                    self._function(first, parenthesis, k)
                    return close + 1
            words.append(t)
            k = self.skip(k)
        return k

    def _variable(self, first: int, end: int, equals: int | None, parenthesis: int | None, struct: str) -> None:
        if parenthesis is not None and (equals is None or equals > parenthesis):
            self._known_function(first, parenthesis)
            return
        names = [self._declarator(*part) for part in self.split(first, end)]
        if not names:
            return
        for name in names:
            kind = self.type_text(first, names[0]) + ("[]" if self[name + 1] == "[" else "")
            (self.members[struct] if struct else self.constants)[self[name]] = kind
        if equals is not None and not self._left_alone(first, end - 1):
            self._mark(equals + 1, end, Function("", "", constant=True))

    def _declarator(self, first: int, last: int) -> int:
        name = self.find(("=", "{"), first, last + 1) - 1
        return name if self[name] != "]" else self.mate[name] - 1

    def _known_function(self, first: int, parenthesis: int) -> None:
        name = parenthesis - 1
        while self[name - 1] == "::":
            name -= 2
        written = self.written.setdefault(self[parenthesis - 1], set())
        self.returns.setdefault(self[parenthesis - 1], set()).add(self.type_text(first, name))
        for number, (begin, last) in enumerate(self.split(parenthesis + 1, self.mate[parenthesis])):
            words = [token.text for token in self.tokens[begin : last + 1]]
            if "&" in words and ("const" not in words or "*" in words):
                written.add(number)

    def _left_alone(self, first: int, last: int) -> bool:
        return self.unmutated is not None and self.unmutated.search(self.between(first, last)) is not None

    def _function(self, first: int, parenthesis: int, body: int) -> None:
        name = parenthesis - 1
        if self[name - 1] == "operator":
            name -= 1
        elif self[name - 1] == "~":
            name -= 1
        while self[name - 1] == "::":
            name -= 2
        result = self.type_text(first, name)
        full = self.between(name, parenthesis - 1)
        self._known_function(first, parenthesis)
        function = Function(full, result)
        if self._left_alone(first, self.mate[parenthesis]):
            return
        self._parameters(parenthesis, function)
        self._block(body + 1, self.mate[body], function)

    # --- Statements

    def _block(self, k: int, end: int, function: Function) -> None:
        self._blocks += 1
        block = self._blocks
        while k < end:
            k = self._statement(k, end, function, block)

    def _statement(self, k: int, end: int, function: Function, block: int = 0) -> int:
        t = self[k]
        if t == ";":
            return k + 1
        if t == "{":
            self._block(k + 1, self.mate[k], function)
            return self.mate[k] + 1
        if t == "if":
            return self._if(k, end, function)
        if t == "for":
            return self._for(k, end, function)
        if t in ("while", "switch"):
            close = self.mate[k + 1]
            self._mark(k + 2, close, function)
            if t == "while":
                self.conditions.append(Condition("while", k + 2, close - 1, False))
            return self._statement(close + 1, end, function)
        if t == "do" or t == "else":
            return self._statement(k + 1, end, function)
        if t in ("case", "default"):
            colon = self.find((":",), k, end)
            if t == "default" and self[colon + 1] == "break":
                return colon + 3
            return colon + 1
        stop = self.find((";",), k, end)
        if t in ("using", "static_assert", "__asm__", "asm", "typedef", "struct") or self._left_alone(k, stop):
            return stop + 1
        if t in ("break", "continue"):
            self.statements.append(Statement("break", k, stop, function, block))
            return stop + 1
        if t == "return":
            self.statements.append(Statement("return", k, stop, function, block))
            self._mark(k + 1, stop, function)
            return stop + 1
        name = self._declared_name(k, stop)
        if name is not None:
            self.statements.append(Statement("declaration", k, stop, function, block))
            self._local(k, name, stop, function)
        else:
            self.statements.append(Statement("expression", k, stop, function, block))
            self._mark(k, stop, function)
        return stop + 1

    def _declared_name(self, k: int, end: int) -> int | None:
        """The name that is declared, if this is a declaration."""
        if self[k] in ("static_cast", "reinterpret_cast", "return", "co_return"):
            return None
        j = k
        while self[j] in QUALIFIERS or self[j] == "[":
            j = self.skip(j) if self[j] == "[" else j + 1
        if self.tokens[j].kind != "name":
            return None
        j += 1
        while j < end:
            if self[j] == "::":
                j += 2
            elif self[j] == "<" and j in self.mate:
                j = self.mate[j] + 1
            else:
                break
        while self[j] in ("*", "&", "const"):
            j += 1
        follows = ("=", "{", "[", "(", ";", ",", ":")
        return j if j <= end and self.tokens[j].kind == "name" and self[j + 1] in follows else None

    def _local(self, first: int, name: int, end: int, function: Function) -> None:
        kind = self.type_text(first, name)
        rest = name
        while rest < end:
            suffix = "[]" if self[rest + 1] == "[" else ""
            function.types[self[rest]] = kind + suffix
            function.declared_at[self[rest]] = rest
            after = rest + 1
            while self[after] == "[":
                after = self.mate[after] + 1
            comma = self.find((",",), after, end)
            if after < comma:
                begin = after + 1 if self[after] == "=" else after
                self._mark(begin, comma, function)
            rest = comma + 1

    def _if(self, k: int, end: int, function: Function) -> int:
        is_constexpr = self[k + 1] == "constexpr"
        opening = k + 2 if is_constexpr else k + 1
        close = self.mate[opening]
        body_end = self.mate[close + 1] if self[close + 1] == "{" else self.find((";",), close + 1, end)
        if self[close + 1] != "{" and self._left_alone(close + 1, body_end):
            return body_end + 1
        parts = self.split(opening + 1, close, ";")
        for first, last in parts[:-1]:
            self._statement_part(first, last + 1, function)
        first, last = parts[-1]
        self._mark(first, last + 1, function)
        self.conditions.append(Condition("if", first, last, is_constexpr))
        after = self._statement(close + 1, end, function)
        if self[after] == "else":
            after = self._statement(after + 1, end, function)
        return after

    def _statement_part(self, first: int, end: int, function: Function) -> None:
        name = self._declared_name(first, end)
        if name is not None:
            self._local(first, name, end, function)
        else:
            self._mark(first, end, function)

    def _for(self, k: int, end: int, function: Function) -> int:
        opening, close = k + 1, self.mate[k + 1]
        first_semicolon = self.find((";",), opening + 1, close)
        if first_semicolon == close:
            colon = self.find((":",), opening + 1, close)
            name = colon - 1
            function.types[self[name]] = self.type_text(opening + 1, name)
            function.declared_at[self[name]] = name
            self._mark(colon + 1, close, function)
        else:
            second = self.find((";",), first_semicolon + 1, close)
            if first_semicolon > opening + 1:
                self._statement_part(opening + 1, first_semicolon, function)
            if second > first_semicolon + 1:
                self._mark(first_semicolon + 1, second, function)
                self.conditions.append(Condition("for", first_semicolon + 1, second - 1, False))
            for first, last in self.split(second + 1, close):
                self._mark(first, last + 1, function)
                self.statements.append(Statement("increment", first, last, function, 0))
        return self._statement(close + 1, end, function)

    # --- Expressions

    def ends_operand(self, k: int) -> bool:
        token = self.tokens[k]
        if token.kind in ("number", "string"):
            return True
        if token.kind == "name":
            return token.text not in NO_OPERAND
        return token.text in (")", "]", "}")

    def is_binary(self, k: int) -> bool:
        return self[k] in PRECEDENCE and k not in self.mate and k > 0 and self.ends_operand(k - 1)

    def left(self, k: int) -> int:
        """The first token of the left operand of the binary operator k."""
        first, _ = self.region[k]
        limit = PRECEDENCE[self[k]] + (self[k] == "?")  # what stands in front of a second ? is no part of it
        j = k - 1
        while j >= first:
            if self.mate.get(j, j) < j:
                j = self.mate[j]
            elif j in self.mate or (self.is_binary(j) and PRECEDENCE[self[j]] < limit):
                break
            elif self[j] in ("return", "case"):
                break
            j -= 1
        return j + 1

    def right(self, k: int) -> int:
        """The last token of the right operand of the binary operator k."""
        _, end = self.region[k]
        j = k + 1
        while j < end:
            if self.mate.get(j, j) < j or (self.is_binary(j) and PRECEDENCE[self[j]] <= PRECEDENCE[self[k]]):
                break
            j = self.skip(j)
        return j - 1

    def callee(self, k: int) -> tuple[int, str]:
        """For the parenthesis of a call: the first token of the name, and the name without what qualifies it."""
        j = k - 1
        if self[j] == ">" and j in self.mate:
            j = self.mate[j] - 1
        if j < 0 or self.tokens[j].kind != "name" or self[j] in NO_OPERAND | {"if", "for", "while", "switch"}:
            return k, ""
        name = self[j]
        while self[j - 1] in ("::", ".", "->") and (self.tokens[j - 2].kind == "name" or self[j - 2] in (")", "]")):
            j -= 2
            if self[j] in (")", "]"):
                j = self.mate[j]
                if self.tokens[j - 1].kind == "name":
                    j -= 1
        return j, name

    def enclosing(self, k: int) -> int:
        """The innermost bracket around k, or -1."""
        j = k - 1
        first, _ = self.region[k]
        while j >= first:
            if self.mate.get(j, j) > j:
                return j
            j = self.mate[j] - 1 if self.mate.get(j, j) < j else j - 1
        return -1
