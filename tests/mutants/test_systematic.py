#!/usr/bin/env python3
"""Systematic mutants: the tokenizer, what each operator makes of a snippet, samples, and all of the real sources."""

from __future__ import annotations

import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "mutants"))
from engine import cpp, systematic  # noqa: E402
from engine.planted import ROOT  # noqa: E402

FILE = "impls/test/x86_snippet.cpp"


def tokens(text: str) -> list[str]:
    return [token.text for token in cpp.tokenize(text)]


def made(text: str, operator: str = "") -> list[tuple[str, str]]:
    """What is found and what stands there then."""
    return [(c.find, c.replace) for c in systematic.candidates(FILE, text) if operator in ("", c.operator)]


def body(statements: str, parameters: str = "std::uint8_t* p, std::size_t n") -> str:
    return f"void f({parameters}) noexcept {{\n  {statements}\n}}\n"


class Tokens(unittest.TestCase):
    def test_comments_and_directives_are_left_out(self) -> None:
        text = '#include <a>\n#define X(a) \\\n  a + 1\nint a; // b\n/* c\n + */ int d;\n'
        self.assertEqual(tokens(text), ["int", "a", ";", "int", "d", ";"])

    def test_strings(self) -> None:
        self.assertEqual(tokens(r'f("a\"b", '"'\\''"')'), ["f", "(", r'"a\"b"', ",", r"'\''", ")"])

    def test_raw_strings(self) -> None:
        text = 'auto s = R"x(a " ) )y" // )x" + 1; u8R"(\\)";'
        self.assertEqual(tokens(text), ["auto", "s", "=", 'R"x(a " ) )y" // )x"', "+", "1", ";", 'u8R"(\\)"', ";"])

    def test_numbers(self) -> None:
        text = "0x1'0000u 1'000'000 0b0011ULL 1e-5 0xE+1 .5f 1.5e+3"
        self.assertEqual(
            tokens(text), ["0x1'0000u", "1'000'000", "0b0011ULL", "1e-5", "0xE", "+", "1", ".5f", "1.5e+3"]
        )

    def test_operators(self) -> None:
        text = "a<<=b>>c<=>d->*e...f::g->h&&i||j++-- ^= !="
        self.assertEqual(
            tokens(text),
            ["a", "<<=", "b", ">>", "c", "<=>", "d", "->*", "e", "...", "f", "::", "g", "->", "h", "&&", "i", "||", "j",
             "++", "--", "^=", "!="],
        )

    def test_places(self) -> None:
        text = "int a; /* x */ b\n"
        for token in cpp.tokenize(text):
            self.assertEqual(text[token.start : token.end], token.text)


class Angles(unittest.TestCase):
    def test_template_arguments_are_no_comparison(self) -> None:
        self.assertEqual(made(body("g<a, b>(n);"), "bounds"), [])
        self.assertEqual(made(body("if (n < 8 && n > 4) p[0] = n;"), "bounds"), [("<", "<="), (">", ">=")])

    def test_closing_of_two_is_no_shift(self) -> None:
        self.assertEqual(made(body("std::span<std::span<int>> x = g(n);"), "wrong_shift"), [])
        self.assertEqual(made(body("h = map<below<1, lag>>(n);"), "wrong_shift"), [])
        self.assertEqual(made(body("n = n >> 3;"), "wrong_shift"), [(">>", "<<"), ("3", "4"), ("3", "2"), ("3", "6")])

    def test_parameters_of_templates_are_left_alone(self) -> None:
        self.assertEqual(made("template <unsigned n = 4>\nvoid f() noexcept {}\n"), [])

    def test_arguments_of_templates(self) -> None:
        text = body("a = rotate<32>(a); b = rotate<24>(b); c = rotate<63>(c);")
        self.assertEqual(
            made(text, "wrong_shift"),
            [("32", "24"), ("32", "63"), ("24", "32"), ("24", "63"), ("63", "32"), ("63", "24")],
        )


class Operators(unittest.TestCase):
    def has(self, text: str, operator: str, *expected: tuple[str, str]) -> None:
        self.assertEqual(sorted(made(text, operator)), sorted(expected))

    def test_drop_statement(self) -> None:
        self.has(body("int a = 1; p[0] = a; if (n > 0) return; g(a);"), "drop_statement",
                 ("p[0] = a;", ";"), ("return;", ";"), ("g(a);", ";"))
        self.has(body("for (; n > 0; --n, p += 16) g(p);"), "drop_statement",
                 ("--n, ", ""), (", p += 16", ""), ("g(p);", ";"))
        self.has(body("int padded[16] = {};"), "drop_statement", ("= {};", ";"))

    def test_left_alone(self) -> None:
        self.assertEqual(made(body("core::count_bulk_iteration();")), [])
        self.assertEqual(made(body("if (n >= 16) core::count_bulk_iteration();")), [])
        self.assertEqual(made(body("std::uint32_t w[4]; core::wipe(w, sizeof w);")), [])
        self.assertEqual(made(body('__asm__("" : "+r"(n)); static_assert(1 + 1 == 2); using a = b<1>;')), [])
        self.assertEqual(made("extern constinit const Implementation x = {.stride_blocks = 4 + 1};"), [])
        self.assertEqual(made('constexpr unsigned tail_strides[] = {4, 1};\nstatic_assert(a < 8);'), [])
        self.assertEqual(made("enum class E { a = 1 };\nstruct S {\n  int a[16];\n  int f(int x = 4);\n};"), [])

    def test_wipe_of_members(self) -> None:
        for what in ("core::wipe(this, sizeof *this);", "core::wipe(&state_, sizeof state_);"):
            self.assertIn((what, ";"), made(body(what), "drop_statement"))

    def test_swap_operands(self) -> None:
        self.has(body("n = n - 4;"), "swap_operands", ("n - 4", "4 - n"))
        self.has(body("x = in.subspan(n, m);", "std::size_t n, std::size_t m"), "swap_operands", ("n, m", "m, n"))
        self.has(body("x = _mm_alignr_epi8(x, y, 8);", "__m128i x, __m128i y"), "swap_operands", ("x, y", "y, x"))
        self.has(body("x = _mm_xor_si128(x, y);", "__m128i x, __m128i y"), "swap_operands")

    def test_no_constant_in_place_of_a_reference(self) -> None:
        text = "void g(std::size_t& a, const std::size_t& b) noexcept;\n" + body("g(n, n + 4);")
        self.has(text, "swap_operands")
        self.has(text, "const_zero", ("n + 4", "0"))

    def test_off_by_one(self) -> None:
        self.has(body("g(p + 8);"), "off_by_one", ("8", "9"), ("8", "7"))
        self.has(body("n = 0;"), "off_by_one", ("0", "1"))
        self.has(body("if (n < 0x10u) g(p);"), "off_by_one", ("0x10u", "0x0Fu"))

    def test_bounds(self) -> None:
        text = body("while (n >= m) g(p);", "std::size_t n, std::size_t m")
        self.has(text, "bounds", (">=", ">"), ("m", "m - 1"))
        self.has(body("if (p == nullptr) return;"), "bounds", ("==", "!="))

    def test_wrong_lane(self) -> None:
        self.has(body("g(x[0], x[n], x[n + 1]);"), "wrong_lane", ("0", "1"), ("n", "n ^ 1"), ("n + 1", "(n + 1) ^ 1"))
        self.has(body("x = _mm_extract_epi64(x, 1);"), "wrong_lane", ("1", "0"))
        self.has(body("x = _mm_clmulepi64_si128(x, y, 0x11);"), "wrong_lane", ("0x11", "0x10"), ("0x11", "0x01"))
        self.has(body("x = f(y.first);"), "wrong_lane", ("first", "second"))

    def test_wrong_power(self) -> None:
        self.has(body("g(c.powers[1], powers[n]);"), "wrong_power",
                 ("1", "2"), ("1", "0"), ("n", "n - 1"), ("n", "n + 1"))
        self.has(body("const __m128i h1 = g(p); const __m128i h2 = g(h1); m = g(h2);"), "wrong_power", ("h2", "h1"))
        self.has(body("const int h1 = g(p); const long h2 = g(p); g(h2);"), "wrong_power")

    def test_narrow(self) -> None:
        narrow = ("a * 8", "static_cast<std::uint32_t>(a * 8)")
        text = body("std::uint64_t t = a * 8; core::store_be64(p, a * 8);", "std::uint64_t a")
        self.has(text, "narrow_64_to_32", narrow, narrow)
        self.has(body("x = _mm256_add_epi64(x, y);"), "narrow_64_to_32", ("_mm256_add_epi64", "_mm256_add_epi32"))
        self.has(body("std::size_t rest = n % 16;"), "narrow_64_to_32")

    def test_skip_reduction(self) -> None:
        self.has(body("x = fold_low_word(y);", "__m128i x, __m128i y"), "skip_reduction", ("fold_low_word(y)", "y"))
        self.has(body("x = reduce(g(a, b));"), "skip_reduction", ("reduce(g(a, b))", "g(a, b).high"))
        self.has(body("x = _mm_xor_si128(y, fold(z));"), "skip_reduction",
                 ("_mm_xor_si128(y, fold(z))", "y"), ("fold(z)", "z"))

    def test_drop_byte_swap(self) -> None:
        self.has(body("x = __builtin_bswap32(a + b);"), "drop_byte_swap", ("__builtin_bswap32(a + b)", "(a + b)"))
        self.has(body("core::store_be32(p, 1);"), "drop_byte_swap", ("store_be32", "store_le32"))

    def test_wrong_mask(self) -> None:
        self.has(body("n = n & 15;"), "wrong_mask", ("15", "7"), ("15", "31"))
        self.has(body("n = n % 16 + n % block_bytes;"), "wrong_mask", ("16", "8"), ("block_bytes", "(block_bytes / 2)"))

    def test_replace_operator(self) -> None:
        self.has(body("n += a ^ b; ++n;"), "replace_operator",
                 ("+=", "-="), ("+=", "="), ("^", "|"), ("^", "&"), ("++", "--"))
        structures = "struct Row {\n  __m128i low;\n};\n" + body("x = x ^ y;", "Row x, Row y")
        self.has(structures, "replace_operator")

    def test_conditions(self) -> None:
        self.has(body("if (n < 4) g(p);"), "negate_condition", ("n < 4", "!(n < 4)"))
        self.has(body("if (n < 4) g(p);"), "condition_true", ("n < 4", "true"))
        self.has(body("if (n < 4) g(p);"), "condition_false", ("n < 4", "false"))
        self.has(body("if (n == 4) g(p);"), "negate_condition")  # bounds says the same

    def test_conditions_in_a_row(self) -> None:
        text = body("x = !a ? 1 : b < 2 ? 3 : 4;", "bool a, int b")
        self.has(text, "negate_condition", ("!a", "a"), ("b < 2", "!(b < 2)"))
        self.has(text, "condition_true", ("!a", "true"), ("b < 2", "true"))

    def test_drop_term(self) -> None:
        self.has(body("x = a ^ b ^ c;", "int a, int b, int c"), "drop_term", (" ^ b", ""), (" ^ c", ""), ("a ^ ", ""))
        for left in ("a", "b"):
            self.assertIn(("_mm_xor_si128(a, b)", left), made(body("x = _mm_xor_si128(a, b);"), "drop_term"))

    def test_swap_statements(self) -> None:
        self.has(body("a = g(p); b = a + 1;"), "swap_statements", ("a = g(p); b = a + 1;", "b = a + 1; a = g(p);"))
        self.has(body("a = g(p); b = g(n); p += 1; n -= 1;"), "swap_statements")

    def test_constants(self) -> None:
        found = made("constexpr std::uint64_t iv[2] = {0x6A09E667F3BCC908, 0xBB67AE8584CAA73B};", "constant")
        self.assertEqual([find for find, _ in found], ["0x6A09E667F3BCC908", "0xBB67AE8584CAA73B"])
        for find, replacement in found:
            self.assertEqual((int(find, 16) ^ int(replacement, 16)).bit_count(), 1)
            self.assertEqual(len(find), len(replacement))

    def test_const_zero(self) -> None:
        self.has(body("std::memcpy(p, q, n);"), "const_zero", ("n", "0"))

    def test_wrong_enumerator(self) -> None:
        text = "enum class Phase { idle, aad, text };\n" + body("phase_ = Phase::aad;")
        self.has(text, "wrong_enumerator", ("aad", "text"))

    def test_names_of_functions(self) -> None:
        text = "Status Message::open(int n) noexcept {\n  const auto at = [n](int c) { return c + 1; };\n"
        text += "  return at(n - 2);\n}\n"
        names = {c.find: c.function for c in systematic.candidates(FILE, text)}
        self.assertEqual((names["1"], names["2"]), ("at", "Message::open"))
        self.assertEqual(made(text, "bounds"), [])

    def test_place(self) -> None:
        found = next(c for c in systematic.candidates(FILE, body("x = a;\n  n -= 4;")) if c.find == "4")
        self.assertEqual((found.line, found.column, found.function), (3, 8, "f"))
        self.assertEqual(found.id, "test_x86_snippet_3_8_off_by_one_0")

    def test_edit_of_another_text(self) -> None:
        found = systematic.candidates(FILE, body("n -= 4;"))[0]
        with self.assertRaises(ValueError):
            found.edited("another text")


class Everything(unittest.TestCase):
    """The real sources."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in systematic.files()}
        cls.all = [c for file, text in cls.texts.items() for c in systematic.candidates(file, text)]

    def test_files(self) -> None:
        names = set(self.texts)
        self.assertIn("impls/aes_gcm/x86_aesni_2way.cpp", names)
        self.assertIn("impls/blake2b/blake2b.cpp", names)
        self.assertFalse([n for n in names if n.endswith(("core/cpu.cpp", "core/status.cpp", "probe.h", "kernel.h"))])

    def test_enough(self) -> None:
        self.assertGreater(len(self.all), 3000)
        for file, text in self.texts.items():
            code = sum(1 for line in text.splitlines() if line.rstrip().endswith(";"))
            found = sum(1 for c in self.all if c.file == file)
            if code > 4:
                self.assertGreater(found, code // 2, file)

    def test_each_stands_at_its_place(self) -> None:
        for c in self.all:
            text = self.texts[c.file]
            self.assertEqual(text[c.offset : c.offset + len(c.find)], c.find, c.id)
            self.assertEqual(text.count("\n", 0, c.offset) + 1, c.line, c.id)
            self.assertEqual(c.offset - (text.rfind("\n", 0, c.offset) + 1) + 1, c.column, c.id)
            self.assertNotEqual(c.edited(text), text, c.id)
            self.assertTrue(c.find, c.id)

    def test_ids_are_unique(self) -> None:
        self.assertEqual([i for i, count in Counter(c.id for c in self.all).items() if count > 1], [])

    def test_no_edit_twice(self) -> None:
        edits = Counter((c.file, hash(c.edited(self.texts[c.file]))) for c in self.all)
        self.assertEqual([edit for edit, count in edits.items() if count > 1], [])

    def test_not_many_on_one_token(self) -> None:
        places = Counter((c.file, c.offset, c.find, c.operator) for c in self.all)
        self.assertLessEqual(max(places.values()), 3)

    def test_nothing_in_comments_or_directives(self) -> None:
        starts = {file: {token.start for token in cpp.tokenize(text)} for file, text in self.texts.items()}
        for c in self.all:
            spaces = len(c.find) - len(c.find.lstrip())
            offset = c.offset + spaces
            self.assertTrue(offset in starts[c.file] or offset - 1 in starts[c.file], c.id)

    def test_brackets_are_kept(self) -> None:
        for c in self.all:
            for one, other in ("()", "[]", "{}"):
                self.assertEqual(
                    c.find.count(one) - c.find.count(other), c.replace.count(one) - c.replace.count(other), c.id
                )

    def test_descriptors_are_left_alone(self) -> None:
        for c in self.all:
            text = self.texts[c.file]
            at = text.find("const Implementation ")
            if at >= 0 and "/x86_" in c.file:
                self.assertLess(c.offset, at, c.id)
            line = text[text.rfind("\n", 0, c.offset) + 1 : text.find("\n", c.offset)]
            self.assertNotRegex(line, r"count_bulk_iteration|static_assert|tail_strides|linux_aliases|^#", c.id)

    def test_sample(self) -> None:
        for count in (10, 100, 1000, 10**6):
            picked = systematic.sample(self.all, count, 7)
            self.assertEqual(len(picked), min(count, len(self.all)))
            self.assertEqual(picked, systematic.sample(list(reversed(self.all)), count, 7))
            self.assertEqual(len({c.id for c in picked}), len(picked))
        self.assertNotEqual(systematic.sample(self.all, 100, 7), systematic.sample(self.all, 100, 8))

    def test_sample_is_stratified(self) -> None:
        groups = Counter((c.operator, c.file) for c in self.all)
        picked = Counter((c.operator, c.file) for c in systematic.sample(self.all, 2 * len(groups), 1))
        self.assertEqual(set(picked), set(groups))
        largest = max(groups, key=groups.__getitem__)
        self.assertEqual(picked[largest], max(picked.values()))
        few = systematic.sample(self.all, 60, 1)
        self.assertEqual({c.operator for c in few}, {c.operator for c in self.all})
        self.assertEqual({c.file for c in few}, {c.file for c in self.all})


if __name__ == "__main__":
    unittest.main()
