#!/usr/bin/env python3
"""How long odfix fix takes for one failing test, as multiples of the module's own times.

    multiples.py [--budget 10m] DIR MODULE TEST [BUILD ARGUMENTS]

S is the time of `mvn test` of the module, in a copy where all is compiled: the better of two runs. Where the module has others
before it in the build (-am), Maven looks at those, too, and runs none of their tests. t is the time of TEST alone, in a process of its
own. Two runs of odfix fix are measured: without an order, and with one that fails: the module's own order, with the polluter that the
first run named directly before TEST, or with TEST first where it is a brittle. The module is built before. One row of a table is
printed:

    module, tests, seconds of all tests in one process, S, t, then for each run: result, seconds until the first patch is proved (in
    all, if none is), the bound (2·S + 25·t with an order, 6·S + 40·t without), those seconds as a share of the bound, seconds in all,
    processor seconds, runs of tests.

ODFIX is the program to measure; without it, bin/odfix of this checkout.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

ODFIX = os.environ.get("ODFIX") or str(pathlib.Path(__file__).resolve().parents[2] / "bin" / "odfix")


def odfix(*args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([ODFIX, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result, processor


def plain(test):
    return test.replace("#", ".").split("(")[0]


def seconds(work, name, order, options, build):
    path = work / (name + ".txt")
    path.write_text("\n".join(order) + "\n")
    odfix("run", *options, "--order", str(path), "--out", str(work / name), *build)
    return sum(r["nanos"] for r in json.loads((work / name / "run.json").read_text())["runs"]) / 1e9


def maven(work, module, order, source, arguments):
    """Seconds of `mvn test` of the module, when there is nothing to compile."""
    copy = work / "copy"
    shutil.copytree(source, copy, symlinks=True)
    # Other modules of the reactor have none of these classes.
    classes = ",".join(dict.fromkeys(t.split("#")[0] for t in order))
    command = ["mvn", "-q", "-B", *arguments, "-Dtest=" + classes, "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false",
               "-Dmaven.test.failure.ignore", *([] if module == "." else ["-pl", module, "-am"])]
    took = []
    for goal in ["test-compile", "test", "test"]:
        began = time.monotonic()
        subprocess.run([*command, goal], cwd=copy, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        took.append(time.monotonic() - began)
    return min(took[1:])


def fix(work, name, test, bound, options, build):
    result, processor = odfix("fix", *options, "--test", test, "--out", str(work / name), *build)
    report = json.loads((work / name / "report.json").read_text())
    got = next((t for t in report["tests"] if plain(t["test"]) == plain(test)), {"verdict": "unknown test"})
    proved = any(p.get("proof", {}).get("proved") for p in got.get("patches", []))
    outcome = got["verdict"] + (", proved" if proved else ", " + got.get("unpatched", ""))
    cost = report["cost"]
    first = cost.get("firstPatch") or cost["total"]
    return got, [outcome, f"{first:.0f}", f"{bound:.0f}", f"{first / bound:.2f}", f"{cost['total']:.0f}", f"{processor:.0f}",
                 str(sum(cost.get("questions", {}).values()))]


def failing(order, got):
    """The module's order in which the classes of the first polluter and of the test follow each other, and so do the two tests.

    A brittle test runs first.
    """
    known = {plain(t): t for t in order}
    test = known[plain(got["test"])]
    polluters = [known[plain(t)] for t in (got.get("polluters") or [[]])[0]]
    near = [*polluters, test]
    class_of = lambda t: t.split("#")[0]
    of = lambda c: [t for t in order if class_of(t) == c and t not in near]
    before = list(dict.fromkeys(class_of(t) for t in polluters if class_of(t) != class_of(test)))
    middle = [t for c in before for t in of(c)] + near + of(class_of(test))
    rest = [t for t in order if t not in middle]
    return rest[:len(rest) // 2] + middle + rest[len(rest) // 2:] if polluters else middle + rest


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--budget", default="10m")
    p.add_argument("dir"), p.add_argument("module"), p.add_argument("test"), p.add_argument("build", nargs="*")
    a = p.parse_args()
    options = [] if a.module == "." else ["--module", a.module]
    build = [a.dir, "--", *a.build]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        listed, _ = odfix("orders", "--technique", "original", *options, *build)
        order = listed.stdout.split("\n")[0].split("\t")
        if listed.returncode:
            raise SystemExit(listed.stderr)
        known = {plain(t): t for t in order}
        process = seconds(work, "whole", order, options, build)
        S = maven(work, a.module, order, a.dir, a.build)
        t = seconds(work, "one", [known[plain(a.test)]], options, build)
        got, without = fix(work, "without", a.test, 6 * S + 40 * t, [*options, "--budget", a.budget], build)
        row = [os.path.basename(a.dir.rstrip("/")) + " " + a.module, str(len(order)), f"{process:.1f}", f"{S:.1f}", f"{t:.2f}", *without]
        if got.get("polluters") or got["verdict"] == "brittle":
            (work / "order.txt").write_text("\n".join(failing(order, got)) + "\n")
            row += fix(work, "with", a.test, 2 * S + 25 * t, [*options, "--budget", a.budget, "--order", str(work / "order.txt")], build)[1]
    print("| " + " | ".join(row) + " |", flush=True)


main()
