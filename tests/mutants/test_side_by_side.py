"""What the comparison with other approaches makes of its runs."""

import dataclasses
import json
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "mutants"))
sys.dont_write_bytecode = True
from engine import matrix, side_by_side, survival  # noqa: E402

LOCKSTEP = side_by_side.APPROACHES[0]


def row(id, kind, cases, cpu_seconds=None, asked=()):
    subject = matrix.Subject(id, kind, "", "f.cpp", (1,), matrix.Fault(id, "f.cpp", "", ()))
    seconds = [None if case is None else 1.0 for case in cases] if cpu_seconds is None else cpu_seconds
    return matrix.Row(
        subject, "k", seeds=len(cases), asked=list(asked), cases=cases, executions=cases, cpu_seconds=seconds
    )


ROWS = [
    row("b", "historic", [5, 7, 9], [0.5, 0.25, 1.0]),
    row("a", "historic", [None, None, 3], [None, None, 0.1], asked=[900, 800, 6]),
    row("c", "historic", [1, None, 2], [2.0, None, 4.0]),
    row("d", "own", [None, None, None], asked=[50, 60, 70]),
    row("e", "systematic", [1_000, 1_000, None]),
]


class Survival(unittest.TestCase):
    def test_median_with_never(self):
        self.assertEqual(survival.median([None]), math.inf)
        self.assertEqual(survival.median([None, 4, None]), math.inf)
        self.assertEqual(survival.median([None, 4]), 4)  # the lower of two: half of the seeds
        self.assertEqual(survival.median([None, 4, 2]), 4)

    def test_curve(self):
        points = survival.curve([1, 2, None, 40], 40)
        self.assertEqual(points, [(1, 0.75), (3, 0.5), (10, 0.5), (30, 0.5), (40, 0.25)])
        self.assertEqual(survival.curve([], 40), [])
        self.assertEqual(survival.curve([None], 1), [(1, 1.0)])

    def test_restricted_mean(self):
        self.assertEqual(survival.restricted_mean([10, None, 200], 100), 70)
        self.assertEqual(survival.restricted_mean([], 100), 0)


class Lines(unittest.TestCase):
    def test_figures(self):
        line = side_by_side.line_of(LOCKSTEP, ROWS)
        self.assertEqual((line.mutants, line.detected), (5, 3))
        self.assertEqual(line.survivors, ("a", "d"))
        self.assertEqual(line.shares, {"historic": 2 / 3, "own": 0.0, "systematic": 1.0})
        # Of the detected alone: medians 7, 2, 1000 of cases; 0.5, 4, 1 of seconds.
        self.assertEqual(line.cases, 7)
        self.assertEqual(line.cpu_seconds, 1.0)
        # Medians of the two that survived: 800 and 60.
        self.assertEqual(line.survived_cases, 60)

    def test_nothing_detected(self):
        line = side_by_side.line_of(LOCKSTEP, [row("d", "own", [None])])
        self.assertEqual((line.detected, line.cases, line.cpu_seconds), (0, math.inf, math.inf))
        self.assertIsNone(side_by_side.json_line(line)["cases_median_of_detected"])

    def test_a_mutant_that_no_campaign_asked_about_is_not_detected(self):
        self.assertEqual(side_by_side.line_of(LOCKSTEP, [row("g", "historic", [])]).survivors, ("g",))

    def test_table(self):
        lines = [
            side_by_side.line_of(LOCKSTEP, ROWS),
            side_by_side.line_of(side_by_side.APPROACHES[-1], [row("d", "own", [None])]),
        ]
        table = side_by_side.table(lines)
        self.assertEqual(len(table), 3)
        self.assertEqual(len({len(text) for text in table}), 1)
        self.assertEqual(table[1].split(), ["Lockstep", "3", "of", "5", "66.7", "100.0", "7", "1.00", "2", "60"])
        self.assertEqual(table[2].split(), ["naive", "target", "0", "of", "1", "-", "-", "-", "-", "1", "0"])

    def test_json(self):
        line = side_by_side.json_line(side_by_side.line_of(LOCKSTEP, ROWS))
        self.assertEqual(json.loads(json.dumps(line)), line)
        self.assertEqual(line["approach"], "lockstep")
        self.assertEqual(line["share"]["historic"], 0.66667)


class Approaches(unittest.TestCase):
    def made(self, words=()):
        """What each approach is asked for, and what came out."""
        asked = []

        def make_matrix(options, say):
            asked.append(options)
            say("built 1 of 1")
            return matrix.Matrix(ROWS, [], [], options.cases, False)

        class Progress:
            def __call__(self, text):
                pass

            def clear(self):
                pass

        published, print_ = side_by_side.published_cases, print
        printed = []
        try:
            side_by_side.published_cases = lambda say: ({"aes_gcm": Path("cases")}, ["said"])
            side_by_side.print = lambda text="": printed.append(text)
            code = side_by_side.compare(matrix.arguments(["--side-by-side", *words]), make_matrix, Progress())
        finally:
            side_by_side.published_cases = published
            del side_by_side.print
        self.assertIs(print, print_)
        return asked, printed, code

    def test_same_mutants_time_and_seeds(self):
        asked, printed, code = self.made()
        self.assertEqual(code, 0)
        self.assertEqual([a.without for a in asked], ["", "steering", "mutator", "cells", "", ""])
        self.assertEqual([a.naive for a in asked], ["", "", "", "", "cases", "bytes"])
        vectors = asked.pop(4)
        self.assertEqual((vectors.trials, vectors.cpu_seconds, vectors.published), (1, None, {"aes_gcm": Path("cases")}))
        for each in asked:
            self.assertEqual((each.trials, each.cpu_seconds, each.cases, each.published), (3, 30.0, -1, {}))
            self.assertEqual((each.seed, each.sample, each.ids), (vectors.seed, vectors.sample, vectors.ids))
        self.assertTrue(any("a, d" in text for text in printed))

    def test_json_has_a_line_for_each(self):
        _, printed, _ = self.made(["--json", "--cpu-seconds", "2", "--trials", "1"])
        result = json.loads("".join(printed))
        self.assertEqual([line["approach"] for line in result["side_by_side"]], [a.name for a in side_by_side.APPROACHES])
        self.assertEqual((result["seeds"], result["cpu_seconds"]), (1, 2.0))

    def test_approaches_differ(self):
        kinds = [dataclasses.replace(a, name="", title="") for a in side_by_side.APPROACHES]
        self.assertEqual(len(set(kinds)), len(kinds))


if __name__ == "__main__":
    unittest.main()
