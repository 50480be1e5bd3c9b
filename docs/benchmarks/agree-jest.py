#!/usr/bin/env python3
"""Does the harness agree with the project's own Jest, test by test?

    agree-jest.py DIR [--module FOLDER] [-- COMMAND...]

DIR is a scratch checkout with its packages installed. COMMAND is how the
project runs Jest, by default `npx jest`. odfix runs the same tests in the order
of Jest's report, in one fresh process. Every test whose outcome differs is
printed, and at last one row of a table. A file that several of Jest's projects
run is not compared. Exit status 0 where none differs.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

args, command = sys.argv[1:], ["npx", "jest"]
if "--" in args:
    command = args[args.index("--") + 1:]
    args = args[:args.index("--")]
root, module = os.path.realpath(args[0]), args[2] if "--module" in args else ""
odfix = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bin", "odfix")
work = tempfile.mkdtemp()
report, order = os.path.join(work, "jest.json"), os.path.join(work, "order.txt")


def name(title):
    return title.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


own = subprocess.run(command + ["--json", "--outputFile=" + report, "--coverage=false"], cwd=os.path.join(root, module),
                     env={**os.environ, "CI": "true"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
if not os.path.exists(report):
    sys.exit(" ".join(command) + " writes no report:\n" + own.stderr.decode(errors="replace")[-2000:])
jest = {}
for file in json.load(open(report))["testResults"]:
    path = os.path.relpath(file["name"], root)
    for test in file["assertionResults"]:
        base = unique = path + "#" + " › ".join(name(t) for t in test["ancestorTitles"] + [test["title"]])
        n = 1
        while unique in jest:
            n += 1
            unique = "%s~%d" % (base, n)
        jest[unique] = {"passed": "pass", "failed": "fail"}.get(test["status"], "skip")
run = [t for t in jest if jest[t] != "skip"]
if not run:
    sys.exit("Jest runs no test:\n" + own.stderr.decode(errors="replace")[-2000:])
open(order, "w").write("\n".join(run) + "\n")
answer = subprocess.run([odfix, "run", root, "--framework", "jest", "--order", order, "--format", "json", "--out", work]
                        + (["--module", module] if module else []), stdout=subprocess.PIPE)
if not answer.stdout:
    sys.exit(1)  # odfix has said why
answer = json.loads(answer.stdout)
if "error" in answer:
    sys.exit(json.dumps(answer["error"], indent=2))
ours = {r["test"].strip(): r["outcome"] for r in answer["runs"][0]["results"]}
differing = [t for t in run if ours.get(t.strip()) != jest[t]]
for test in differing:
    print("%s: Jest %s, odfix %s" % (test, jest[test], ours.get(test.strip()) or "nothing"))
more = answer["project"]["tests"] - len(jest)
print("| %s | %s | %s | %d differ, %d are only odfix's |" % (
    os.path.basename(root), answer["project"]["provider"], dict(collections.Counter(jest.values())), len(differing), more))
sys.exit(1 if differing or more else 0)
