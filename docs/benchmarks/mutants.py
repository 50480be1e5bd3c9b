#!/usr/bin/env python3
"""Seeds real bugs into a Maven module and asks odfix of each: a bug is never to be called order dependence.

    mutants.py MODULE_DIR COUNT OUT [--seed N] [--module NAME]

MODULE_DIR is copied, and the copy is committed, so that odfix knows what has changed. A mutant is one changed token of
the module's own code that still compiles and makes a test fail in the build's own order. Of the tests that fail, three
at most are asked about. One line each goes to OUT, and a summary to standard output; the status is 1 if any test was
called order-dependent. Mutants that OUT has already are not made again.
"""
import argparse, json, os, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time
import xml.etree.ElementTree as xml

OPERATORS = [
    (r"(?<![=!<>])==(?!=)", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
    (r"(?<=[\w)\]] )<(?= [\w(])", ">="), (r"(?<=[\w)\]] )>(?= [\w(])", "<="), (r"<=", ">"), (r">=", "<"),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<=[\w)\]] )\+(?= \d)", "-"), (r"(?<=[\w)\]] )-(?= \d)", "+"),
    (r"(?<== )0(?=;)", "1"), (r"(?<=return )(?!null|true|false)\w+(?=;)", "null"),
]


def sites(root):
    for file in sorted(root.glob("src/main/java/**/*.java")):
        text = file.read_text(errors="replace")
        for number, line in enumerate(text.splitlines()):
            code = line.split("//")[0]
            if code.lstrip().startswith(("*", "/*", "@", "import", "package")) or '"' in code:
                continue
            for pattern, new in OPERATORS:
                for m in re.finditer(pattern, code):
                    yield file, number, m.start(), m.end(), new


def mutate(site):
    file, number, start, end, new = site
    before = file.read_bytes()
    lines = before.decode(errors="replace").splitlines(keepends=True)
    old = lines[number][start:end]
    lines[number] = lines[number][:start] + new + lines[number][end:]
    file.write_text("".join(lines))
    return before, f"{old} → {new}"


def failures(module):
    out = []
    for report in sorted(module.glob("target/surefire-reports/TEST-*.xml")):
        try:
            cases = xml.parse(report).getroot().iter("testcase")
        except xml.ParseError:
            continue
        for case in cases:
            if case.find("failure") is not None or case.find("error") is not None:
                name = re.sub(r"[\[({].*", "", case.get("name") or "")
                if name and (case.get("classname") or "") and name not in ("initializationError", case.get("classname")):
                    out.append(f"{case.get('classname')}#{name}")
    return list(dict.fromkeys(out))


def run(command, cwd, timeout):
    """Runs a command; at the end of the time, or of this script, its test JVMs end with it."""
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as child:
        try:
            out, err = child.communicate(timeout=timeout)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, child.returncode, out, err)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    p = argparse.ArgumentParser()
    p.add_argument("dir"); p.add_argument("count", type=int); p.add_argument("out"); p.add_argument("--seed", type=int, default=1)
    p.add_argument("--module")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch, "project")
        shutil.copytree(a.dir, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "without bugs"]):
            subprocess.run(["git"] + command, cwd=root, check=True)
        module = root / (a.module or ".")
        maven = ["mvn", "-B", "-o", "-q", "-fae"] + (["-pl", a.module] if a.module else [])
        shutil.rmtree(module / "target", ignore_errors=True)
        r = run(maven + ["test"], root, 600)
        if not list(module.glob("target/surefire-reports/TEST-*.xml")):
            print(f"the module's tests do not run without a bug; does JAVA_HOME fit?\n{r.stdout[-2000:]}", file=sys.stderr)
            return 2
        known = set(failures(module))
        todo = list(sites(module))
        random.Random(a.seed).shuffle(todo)
        seen, wrong, verdicts = 0, 0, {}
        out = pathlib.Path(a.out)
        had = {tuple(line.split("\t")[:2]) for line in out.read_text().splitlines()} if out.exists() else set()
        with open(out, "a") as out:
            for site in todo:
                if seen == a.count:
                    break
                before, what = mutate(site)
                if (f"{site[0].relative_to(root)}:{site[1] + 1}", what) in had:
                    site[0].write_bytes(before)
                    continue
                try:
                    shutil.rmtree(module / "target/surefire-reports", ignore_errors=True)
                    try:
                        run(maven + ["test"], root, 180)
                    except subprocess.TimeoutExpired:
                        continue
                    tests = [t for t in failures(module) if t not in known][:3]
                    if not tests:
                        continue
                    began = time.time()
                    command = ["odfix", "fix", "--offline", "--budget", "3m", "--format", "json"]
                    command += ["--module", a.module] if a.module else []
                    r = run(command + [x for t in tests for x in ("--test", t)], root, 400)
                    said = [t["verdict"] for t in json.loads(r.stdout or "{}").get("tests", [])] or [f"status {r.returncode}: {r.stderr.strip()[:200]}"]
                finally:
                    site[0].write_bytes(before)
                seen += 1
                for v in said:
                    verdicts[v] = verdicts.get(v, 0) + 1
                bad = any(v in ("victim", "brittle", "victim-brittle") for v in said)
                wrong += bad
                print(f"{site[0].relative_to(root)}:{site[1] + 1}\t{what}\t{','.join(tests)}\t{','.join(said)}\t{time.time() - began:.0f} s{'	WRONG' if bad else ''}", file=out, flush=True)
        print(f"{seen} mutants, {wrong} with a test called order-dependent; verdicts {verdicts}")
    return 1 if wrong or seen == 0 else 0


sys.exit(main())
