#!/usr/bin/env python3
"""The built program as a user meets it: arguments, exit codes, JSON keys, streams. Argument: path of lockstep."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)

GOOD = """[aes_gcm]
operation = seal_then_open
key = feffe9928665731c6d6a8f9467308308
nonce = cafebabefacedbaddecaf888
aad = feedfacedeadbeeffeedfacedeadbeefabaddad2
text = {text}
expect.ciphertext = {ciphertext}
expect.tag = 5bc94fbc3221a5db94fae95ae7121a47
expect.accepted = 1
source = McGrew and Viega, The Galois/Counter Mode of Operation, test case 4

[ghash]
key = 66e94bd4ef8a2c3b884cfa59ca342b2e
text = 0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080
expect.hash = f38cbb1ad69223dcc3457ae5b6b0f885
source = the same, test case 2
""".format(
    text="d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
    ciphertext="42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
)


def run(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


class Program(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def file(self, name, contents):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as stream:
            stream.write(contents if isinstance(contents, bytes) else contents.encode())
        return path

    def test_usage(self):
        for arguments in ([], ["check"], ["repro"], ["frobnicate"], ["list", "--nonsense"], ["check", "x", "--jsno"],
                          ["repro", "x", "--time-limit", "soon"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 5, arguments)
            self.assertEqual(result.stdout, "", arguments)
            self.assertIn("--help", result.stderr, arguments)

    def test_help_and_version(self):
        version = run("--version")
        self.assertEqual(version.returncode, 0)
        self.assertRegex(version.stdout, r"^lockstep \d+\.\d+\.\d+")
        for command in ([], ["list"], ["repro"], ["check"]):
            result = run(*command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("Examples:", result.stdout)

    def test_list_json(self):
        result = run("list", "--json")
        self.assertEqual(result.returncode, 0)
        root = json.loads(result.stdout)
        self.assertLessEqual({"aes_gcm", "ghash"}, {each["algorithm"] for each in root["implementations"]})
        for each in root["implementations"]:
            for key in ("algorithm", "name", "arch", "required", "available", "unavailable_because", "priority",
                        "stride_blocks", "constant_time", "aliases", "selected_by"):
                self.assertIn(key, each)
            self.assertEqual(each["available"], each["unavailable_because"] is None)
            if "constant_time" in each["selected_by"]:
                self.assertTrue(each["constant_time"] and each["available"])
        for algorithm in ("aes_gcm", "ghash"):
            mine = [each for each in root["implementations"] if each["algorithm"] == algorithm]
            portable = next(each for each in mine if each["name"] == "portable")
            self.assertTrue(portable["available"] and portable["constant_time"] and portable["required"] == [])
            for policy in ("constant_time", "fastest"):
                self.assertEqual(sum(policy in each["selected_by"] for each in mine), 1)
            best = max((each for each in mine if each["available"]), key=lambda each: each["priority"])
            self.assertIn("fastest", best["selected_by"])
        oracles = {each["name"]: each for each in root["oracles"]}
        self.assertIn("plain", oracles)
        for each in oracles.values():
            for key in ("name", "version", "algorithms", "answers", "unsupported"):
                self.assertIn(key, each)
            for reason in each["unsupported"]:
                self.assertEqual(set(reason), {"algorithm", "reason"})
        self.assertIn("accepted", oracles["plain"]["answers"])
        for target in root["targets"]:
            self.assertIn("operations", target)

    def test_list_words(self):
        result = run("list", NO_COLOR="1")
        self.assertEqual(result.returncode, 0)
        for word in ("aes_gcm", "ghash", "portable", "plain"):
            self.assertIn(word, result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        for line in result.stdout.splitlines():
            self.assertLessEqual(len(line), 110, line)

    def test_check_passes(self):
        result = run("check", self.file("good.txt", GOOD))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout.splitlines()[-1], r"^[1-9]\d* passed, 0 failed, 0 skipped$")

    def test_check_fails(self):
        path = self.file("bad.txt", GOOD.replace("1a47", "1a46"))
        result = run("check", path)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout.splitlines()[-1], r"^\d+ passed, [1-9]\d* failed, 0 skipped$")
        self.assertIn("McGrew", result.stdout)
        result = run("check", path, "--json")
        self.assertEqual(result.returncode, 1)
        root = json.loads(result.stdout)
        self.assertEqual(root["failed"], len(root["failures"]))
        for failure in root["failures"]:
            self.assertEqual((failure["file"], failure["index"], failure["answer"]), (path, 1, "tag"))
            self.assertIn("participant", failure)

    def test_check_skips(self):
        line = '{"alg": "ctr(aes)", "op": "encrypt", "key": "00", "iv": "", "in": "", "out": "", "kernel_drivers": []}\n'
        skipped = self.file("ctr.jsonl", line * 2)
        result = run("check", skipped, "--json")
        self.assertEqual(result.returncode, 4)
        root = json.loads(result.stdout)
        self.assertEqual(root["skips"], [{"reason": "ctr(aes) has no target yet", "count": 2}])
        self.assertEqual(root["skipped"], 2)
        self.assertEqual(run("check", skipped, self.file("good.txt", GOOD)).returncode, 0)

    def test_check_unreadable(self):
        result = run("check", self.file("good.txt", GOOD), self.file("odd.txt", GOOD.replace("nonce", "once")))
        self.assertEqual(result.returncode, 5)
        self.assertIn("odd.txt:4", result.stderr)
        self.assertIn("`once`", result.stderr)
        self.assertEqual(run("check", os.path.join(self.directory, "none")).returncode, 5)
        self.assertEqual(run("check", self.directory).returncode, 5)

    def test_repro(self):
        path = self.file("a.case", b"LS\x01\x01" + bytes(range(1, 200)))
        result = run("repro", path)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("all agree", result.stdout)
        root = json.loads(run("repro", path, "--json").stdout)
        for key in ("target", "case", "groups", "outvoted", "first_difference", "signature"):
            self.assertIn(key, root)
        self.assertEqual(root["target"], "aes_gcm")
        self.assertIn("nonce_bytes", root["case"])

    def test_repro_raw(self):
        raw = self.file("raw", bytes(range(1, 200)))
        result = run("repro", raw)
        self.assertEqual(result.returncode, 5)
        self.assertIn("--target", result.stderr)
        self.assertEqual(run("repro", raw, "--target", "ghash").returncode, 0)
        self.assertEqual(run("repro", raw, "--target", "nothing").returncode, 5)
        newer = self.file("newer", b"LS\x01\x09" + bytes(200))
        self.assertEqual(run("repro", newer).returncode, 5)

    def test_time_out(self):
        # Nobody does anything in a microsecond.
        path = self.file("a.case", b"LS\x01\x01" + bytes(200))
        result = run("repro", path, "--time-limit", "0.000001")
        self.assertEqual(result.returncode, 3)
        self.assertIn("time-out", result.stderr)


if __name__ == "__main__":
    unittest.main()
