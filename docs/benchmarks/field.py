#!/usr/bin/env python3
"""Rows and the table of field.sh.

    field.py unbuilt HEAD ERRORS      the result of a module that does not build
    field.py row HEAD S T REPORT TEST…  the result of a module
    field.py table LIST RESULT…
"""
import collections
import json
import sys

ORDER_DEPENDENT = {"victim", "brittle", "victim-brittle"}


def unbuilt(head, errors):
    text = [line for line in open(errors, errors="replace").read().split("\n") if line.startswith("odfix: ")]
    said = (text or ["odfix: it does not build"])[0][len("odfix: "):]
    return dict(json.loads(head + "}"), reason="does not build: " + said)


def plain(test):
    return test.replace("#", ".").split("(")[0]


def row(head, whole, one, report, tests):
    out = dict(json.loads(head + "}"), S=float(whole), t=float(one), tests=[])
    r = json.load(open(report))
    out["seconds"], out["size"] = r["cost"]["total"], r["project"].get("tests", 0)
    if r.get("error"):
        out["reason"] = r["error"]["message"]
    known = {plain(t["test"]): t for t in r.get("tests", [])}
    for name in tests:
        t = known.get(plain(name))
        if t is None:
            out["tests"].append({"test": name, "verdict": "unknown test"})
            continue
        proved = [p for p in t.get("patches", []) if p.get("proof", {}).get("proved")]
        one = {"test": name, "verdict": t["verdict"], "polluters": t.get("polluters"), "state": t.get("state"), "proved": bool(proved)}
        if proved:
            one["lines"] = sum(1 for line in proved[0]["diff"].split("\n") if line[:1] in "+-" and line[:3] not in ("+++", "---"))
            one["statements"] = proved[0].get("statements")
        elif t["verdict"] in ORDER_DEPENDENT:
            one["why"] = t.get("unpatched", "")
        out["tests"].append(one)
    return out


def table(results):
    print("| project | module | tests | S | order-dependent of those named | cause named | state named | patch proved | lines | seconds | of S | without patch |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    total = collections.Counter()
    for r in results:
        module = r["project"] + " " + r["commit"][:7] + " | " + r["module"]
        if "tests" not in r or not r["tests"]:
            print(f"| {module} | {r.get('reason', '')} |")
            total["not built"] += 1
            continue
        own = [t for t in r["tests"] if t["verdict"] in ORDER_DEPENDENT]
        cause, state, proved = ([t for t in own if t.get(k)] for k in ("polluters", "state", "proved"))
        cause = [t for t in own if t.get("polluters") or t["verdict"] == "brittle"]
        reasons = collections.Counter(t["why"] for t in own if not t["proved"])
        others = collections.Counter(t["verdict"] for t in r["tests"] if t["verdict"] not in ORDER_DEPENDENT)
        said = "; ".join([f"{n} {k}" for k, n in reasons.items()] + [f"({n} {k})" for k, n in others.items()])
        lines = sorted({t["lines"] for t in proved})
        times = f"{r['seconds'] / r['S']:.0f}" if r["S"] else ""
        print(f"| {module} | {r['size']} | {r['S']:.1f} | {len(own)} of {len(r['tests'])} | {len(cause)} | {len(state)} | {len(proved)} | "
              f"{', '.join(map(str, lines))} | {r['seconds']:.0f} | {times} | {said} |")
        total.update(modules=1, named=len(r["tests"]), reproduced=len(own), cause=len(cause), state=len(state), proved=len(proved))
    print()
    print(f"{total['modules']} modules ran, {total['not built']} did not build. Of {total['named']} tests, {total['reproduced']} are order-dependent "
          f"here; {total['cause']} have a cause, {total['state']} the state, {total['proved']} a proved patch.")


command, args = sys.argv[1], sys.argv[2:]
if command == "unbuilt":
    print(json.dumps(unbuilt(*args)))
elif command == "row":
    print(json.dumps(row(args[0], args[1], args[2], args[3], args[4:]), indent=1))
else:
    table([json.load(open(p)) for p in args[1:]])
