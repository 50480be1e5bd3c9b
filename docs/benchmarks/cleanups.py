#!/usr/bin/env python3
"""Takes clean-up code out of a project's tests, and asks odfix to repair the order dependence that follows.

    cleanups.py PROJECT_DIR OUT [--module NAME] [--count N] [--budget TIME] [--only REGEX] [-- BUILD ARGUMENTS]

PROJECT_DIR is copied. In the copy, one teardown method at a time that changes static state loses its statements. All
tests run with its class first. In a Jest project (package.json), hooks take the place of teardown methods, and only the
tests of the hook's file run. Up to three of those that fail only now are given to `odfix fix`, with that order, and what
it finds to `odfix verify`. What the project wrote in the teardown is the answer to compare with. Of teardowns with the
same text, the first in a random order (--seed) is taken. OUT gets a folder for each of them; standard output gets one
line each.
"""
import argparse, json, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time

# The beginning of a teardown, statements that may change static state, and statements that do not though they look so.
TEARDOWN = re.compile(r"@After(?:Each|Class|All)?\b\s*(?:@\w+\s*)*(?:public|protected|private|static|final|void|\s)+\w+\s*\([^)]*\)[^{]*\{")
STATIC = re.compile(r"\b[A-Z]\w*(\.\w+(\([^()]*\))?)*\.\w+\(|\b[A-Z]\w*\.\w+ *=[^=]|\b[A-Z][A-Z_]+\.\w+\(")
OTHERS = re.compile(r"^\s*(//.*|(Thread\.sleep|Files\.|FileUtils\.|Mockito\.verify|assert\w*\(|Assert).*)$")

# The same for Jest: a hook, and what only sets up or checks.
HOOK = re.compile(r"\b(?:before|after)(?:Each|All)\(\s*(?:async\s*)?(?:function\s*\(\s*\)|\(\s*\)\s*=>)\s*\{?")
RESET = re.compile(r"\b(re(set|store|move)|clear|delete|unmount|clean|use(Real|Fake)Timers|unregister|off|mock(Reset|Clear|Restore))|^\s*\w+(\.\w+|\[[^\]]*\])+ = ", re.I)
CHECKS = re.compile(r"^\s*(//.*|expect\(.*)$")


def sites(module):
    """Files, and in each the code of a clean-up: its text, where it begins and ends."""
    if not (module / "package.json").exists():
        for file in sorted(module.glob("src/test/java/**/*.java")):
            yield file, TEARDOWN, STATIC, OTHERS
        return
    for file in sorted(f for kind in ("js", "jsx", "ts", "tsx", "mjs", "cjs") for f in module.glob(f"**/*.{kind}")):
        if not {"node_modules", "dist", "build", "lib", "coverage"} & set(file.relative_to(module).parts):
            yield file, HOOK, RESET, CHECKS


def teardowns(module):
    seen = set()
    for file, hook, wanted, others in sites(module):
        text = file.read_text(errors="replace")
        for m in hook.finditer(text):
            end, depth, (left, right) = m.end(), 1, "{}" if text[m.end() - 1] == "{" else "()"
            while end < len(text) and depth:
                depth += (text[end] == left) - (text[end] == right)
                end += 1
            body = text[m.end():end - 1]
            words = " ".join(body.split())
            lines = [s for s in re.split(r"[;\n]", body) if s.strip() and not others.match(s)]
            enough = all if m.group().startswith("before") else any  # what sets up is no clean-up
            if words in seen or not lines or not enough(wanted.search(s) for s in lines):
                continue
            seen.add(words)
            yield file, m.end(), end - 1, words


def run(command, cwd, timeout):
    """Runs a command; at the end of the time, or of this script, its test JVMs end with it."""
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as child:
        try:
            out, err = child.communicate(timeout=timeout)
        except BaseException:
            child.send_signal(signal.SIGTERM)
            child.wait(20)
            raise
    return subprocess.CompletedProcess(command, child.returncode, out, err)


def git(root, *command):
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *command], cwd=root, check=True, stdout=subprocess.DEVNULL)


def odfix(*command, a, root, timeout=1800):
    command = ["odfix", *command, "--offline"] + (["--module", a.module] if a.module else [])
    return run(command + [str(root)] + (["--"] + a.args if a.args else []), root, timeout)


def failing(order, a, root):
    """The tests that fail in this order; or the text of a run without results."""
    r = odfix("run", "--order", str(order), "--format", "json", a=a, root=root)
    try:
        return {t["test"] for run in json.loads(r.stdout)["runs"] for t in run["results"] if t["outcome"] not in ("pass", "skip")}, ""
    except (ValueError, KeyError, TypeError):
        return None, r.stdout + r.stderr


def without(site, before, a, root, order, dir):
    """One teardown without its statements: what happened, in columns."""
    file, start, end, words = site
    text = before.decode(errors="replace")
    gone = text[:start] + ("" if text[start - 1] == "{" else "{}") + text[end:]  # () => reset() becomes () => {}
    file.write_text(gone)
    git(root, "commit", "-q", "-a", "-m", "a clean-up is gone")
    broken, why = failing(order, a, root)
    if broken is None:
        (dir / "said.txt").write_text(why)
        return ["did not run"]
    if broken:
        file.write_bytes(before)
        before_too, why = failing(order, a, root)
        if before_too is None:
            (dir / "said.txt").write_text(why)
            return ["did not run with the clean-up"]
        broken -= before_too
        file.write_text(gone)
    if not broken:
        return ["harmless"]
    tests = random.Random(a.seed).sample(sorted(broken), min(3, len(broken)))
    began = time.time()
    r = odfix("fix", "--order", str(order), "--budget", a.budget, "--out", str(dir), *[x for t in tests for x in ("--test", t)], a=a, root=root)
    (dir / "said.txt").write_text(r.stdout + "\n" + r.stderr)
    said = [t["verdict"] for t in json.loads((dir / "report.json").read_text()).get("tests", [])] if (dir / "report.json").exists() else []
    diff = dir / "odfix.patch"
    added = [line[1:].strip() for line in diff.read_text().splitlines() if line.startswith("+") and not line.startswith("+++")] if diff.exists() else []
    took, again = time.time() - began, "-"
    if added:
        v = odfix("verify", str(dir / "report.json"), "--out", str(dir / "verify"), a=a, root=root)
        again = "proved again" if v.returncode == 0 else f"verify: status {v.returncode}"
        (dir / "verified.txt").write_text(v.stdout + "\n" + v.stderr)
    return [f"{len(broken)} fail", f"status {r.returncode}", ",".join(said), " ".join(added)[:400], f"{took:.0f} s", again]


def place(file, root, suite):
    """The name of a test file, its own tests, and the tests that run after them."""
    if file.suffix == ".java":
        own = [t for t in suite if t.split("#")[0].rsplit(".", 1)[-1].split("$")[0] == file.stem]
        return file.stem, own, [t for t in suite if t not in set(own)]
    path = str(file.relative_to(root))
    return path.replace("/", "_"), [t for t in suite if t.split("#")[0] == path], []


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    p = argparse.ArgumentParser()
    p.add_argument("dir"); p.add_argument("out"); p.add_argument("--module"); p.add_argument("--count", type=int, default=5)
    p.add_argument("--budget", default="6m"); p.add_argument("--seed", type=int, default=1); p.add_argument("--only", default="")
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    a = p.parse_args(sys.argv[1:cut])
    a.args = sys.argv[cut + 1:]
    out = pathlib.Path(a.out).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch, "project")
        shutil.copytree(a.dir, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        git(root, "init", "-q"); git(root, "add", "-A"); git(root, "commit", "-q", "-m", "with the clean-ups")
        r = odfix("orders", "--technique", "original", a=a, root=root)
        suite = r.stdout.strip().split("\t")
        if r.returncode or len(suite) < 2:
            print(f"the module's tests do not run; does JAVA_HOME fit?\n{r.stderr[-2000:]}", file=sys.stderr)
            return 2
        todo = list(teardowns(root / (a.module or ".")))
        random.Random(a.seed).shuffle(todo)
        seen = 0
        for site in todo:
            name, own, others = place(site[0], root, suite)
            if seen == a.count or not own or not re.search(a.only, name):
                continue
            while (out / name).exists():
                name += "+"
            (out / name).mkdir(parents=True)
            (out / name / "removed.txt").write_text(site[3] + "\n")
            order = out / name / "order.txt"
            order.write_text("\n".join(own + others) + "\n")
            before = site[0].read_bytes()
            try:
                said = without(site, before, a, root, order, out / name)
            finally:
                site[0].write_bytes(before)
            git(root, "commit", "-q", "-a", "--allow-empty", "-m", "with the clean-ups")
            seen += said[0].endswith(" fail")
            print("\t".join([name, site[3][:160]] + said), flush=True)
    return 0


sys.exit(main())
