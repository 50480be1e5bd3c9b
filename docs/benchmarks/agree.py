#!/usr/bin/env python3
"""Does the harness agree with the project's own Surefire, test by test?

    agree.py MODULE_DIR

MODULE_DIR is a scratch checkout of one Maven module. Its own build runs the
suite; odfix runs the same tests in the order of the reports that are left, in
one fresh process. Every test whose outcome differs is printed. Exit status 0
where none does.
"""
import collections
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

module = os.path.abspath(sys.argv[1])
reports = os.path.join(module, "target", "surefire-reports")
odfix = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bin", "odfix")


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "fail"
    return "skip" if case.find("skipped") is not None else "pass"


subprocess.run(["mvn", "-B", "-q", "test", "-Dmaven.test.failure.ignore=true"], cwd=module, check=True, stdout=subprocess.DEVNULL)
build = collections.defaultdict(collections.Counter)
for name in sorted(os.listdir(reports)):
    if name.startswith("TEST-") and name.endswith(".xml"):
        for case in ET.parse(os.path.join(reports, name)).getroot().iter("testcase"):
            build[case.get("classname") + "#" + case.get("name")][outcome(case)] += 1

run = subprocess.run([odfix, "run", "--order", reports, "--format", "json", module], stdout=subprocess.PIPE)
answer = json.loads(run.stdout)
ours = collections.defaultdict(collections.Counter)
for result in answer["runs"][0]["results"]:
    ours[result["test"]][result["outcome"]] += 1

differing = [t for t in sorted(set(build) | set(ours)) if build[t] != ours[t]]
for test in differing:
    print(f"{test}: build {dict(build[test]) or 'nothing'}, odfix {dict(ours[test]) or 'nothing'}")
print(f"{len(build)} tests, {len(differing)} differ")
sys.exit(1 if differing else 0)
