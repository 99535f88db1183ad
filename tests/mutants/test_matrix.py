"""The figures of the kill matrix, and what they are made of."""

import argparse
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "mutants"))
sys.dont_write_bytecode = True
from engine import grading, matrix, planted, survival, systematic  # noqa: E402


def row(kind, cases, missed=0, id="a"):
    subject = matrix.Subject(id, kind, "", "f.cpp", (1,), matrix.Fault(id, "f.cpp", "", ()))
    return matrix.Row(subject, "k", seeds=len(cases), missed=missed, cases=cases, executions=cases)


def made(rows, equivalents=0):
    subject = rows[0].subject
    return matrix.Matrix(rows, [(subject, "proof")] * equivalents, [], 200_000, True)


class Survival(unittest.TestCase):
    def test_median_is_where_half_have_fallen(self):
        self.assertEqual(survival.median([5, 1, 3]), 3)
        self.assertEqual(survival.median([1, 9]), 1)
        self.assertEqual(survival.median([1, None, None]), float("inf"))
        self.assertEqual(survival.median([1, 2, None, None]), 2)
        self.assertEqual(survival.median([]), float("inf"))

    def test_curve_and_restricted_mean_count_who_never_fell(self):
        self.assertEqual(survival.curve([1, 10, None, 50], 100), [(1, 0.75), (3, 0.75), (10, 0.5), (30, 0.5), (100, 0.25)])
        self.assertEqual(survival.restricted_mean([10, None], 100), 55)


class Bars(unittest.TestCase):
    def test_a_sound_matrix_has_no_fault(self):
        self.assertEqual(made([row("historic", [1, 2, 3]), row("systematic", [9, None, 7])]).faults(), [])

    def test_historic_survivors_and_late_ones(self):
        self.assertIn("20000", made([row("historic", [None, None, 1]), row("historic", [1])]).faults()[0])
        self.assertIn("20000", made([row("historic", [20_001, 20_001, 1]), row("historic", [1])]).faults()[0])

    def test_a_high_median_over_mutants(self):
        self.assertIn("above 300", made([row("historic", [301])]).faults()[0])

    def test_our_own_survivors(self):
        self.assertEqual(made([row("own", [150_000])]).faults(), [])
        self.assertIn("not detected", made([row("own", [None])]).faults()[0])

    def test_what_the_comparison_missed(self):
        self.assertIn("did not see", made([row("historic", [1], missed=1)]).faults()[0])

    def test_systematic_score_leaves_out_equivalents_alone(self):
        rows = [row("systematic", [1])] * 99 + [row("systematic", [200_001], id="survivor")]
        self.assertEqual(made(rows, equivalents=8).faults(), [])
        rows.append(row("systematic", [None], id="another"))
        self.assertIn("survivor, another", made(rows).faults()[0])

    def test_too_many_equivalents(self):
        self.assertIn("equivalent", made([row("systematic", [1])] * 900, equivalents=100).faults()[0])

    def test_json_has_the_keys_of_the_contract(self):
        options = argparse.Namespace(trials=1, first_seed=1, seed=1, without="")
        figures = matrix.json_matrix(made([row("historic", [7, None, None])], 1), options)
        self.assertEqual(figures["score"], {"historic": 0.0})
        self.assertEqual(figures["equivalent"], [{"id": "a", "proof": "proof"}])
        mutant = figures["mutants"][0]
        for key in ("id", "kind", "file", "kernel", "reached", "triggered", "detected", "seeds", "executions_median"):
            self.assertIn(key, mutant)
        self.assertIsNone(mutant["cases_median"])
        self.assertIsNone(mutant["cases_max"])


class Grades(unittest.TestCase):
    def test_what_the_grading_program_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "grades"
            records = [(b"one", 9, 2, 1, 0, 5, 6, 7_000_000, 0), (b"two", 4, 0, 0, 0, 0, 0, 0, 0)]
            data = grading.HEADER.pack(grading.MAGIC, 2, 11, 3_000_000, 2)
            path.write_bytes(data + b"".join(grading.RECORD.pack(*record) for record in records))
            grades, executions, cpu_seconds, asked = grading.read_grades(path)
            self.assertEqual((executions, cpu_seconds, asked), (11, 3.0, "two"))
            self.assertEqual(grades["one"], grading.Grade(9, 2, 1, 0, 5, 6, 7.0))
            self.assertIsNone(grades["two"].case_at_detection)
            path.write_bytes(struct.pack("<5Q", 1, 0, 0, 0, 0))
            self.assertRaises(grading.GradingError, grading.read_grades, path)


class Subjects(unittest.TestCase):
    def test_edited_lines_are_those_that_change(self):
        for mutant in planted.read_mutants():
            text = (planted.ROOT / mutant.file).read_text(encoding="utf-8")
            lines = matrix.edited_lines(mutant)
            self.assertTrue(lines, mutant.id)
            self.assertTrue(all(1 <= line <= text.count("\n") + 1 for line in lines), mutant.id)

    def test_proofs_are_of_lines_that_stand_there_and_become_so(self):
        every, texts = matrix.all_candidates()
        made_of = {
            (c.file, *matrix.changed_line(texts[c.file], c.edited(texts[c.file])))
            for c in every
        }
        for each in matrix.read_equivalents():
            self.assertIn((each.file, each.line, each.becomes), made_of)

    def test_a_proof_is_for_its_function_alone(self):
        text = "void f() {\n  a = b;\n}\n"
        candidate = systematic.Candidate("x.cpp", 2, 3, "o", "a = b", "a = c", text.index("a = b"), "f")
        entry = matrix.Equivalent("x.cpp", "a = b;", "a = c;", "because", "f")
        other = matrix.Equivalent("x.cpp", "a = b;", "a = c;", "because", "g")
        self.assertEqual(matrix.proof_for(candidate, text, [other, entry]), "because")
        self.assertEqual(matrix.proof_for(candidate, text, [other]), "")


if __name__ == "__main__":
    unittest.main()
