#!/bin/sh
# How soon odfix detect finds the known order-dependent tests of a project, by technique.
#
#   detect.sh PROJECT-DIR MODULE KNOWN-FILE BUDGET OUT TECHNIQUE…
#
# KNOWN-FILE has one known test a line, as Class#method ("" or -: none known).
# Prints one line for each technique; the reports stay in OUT. Its columns: project, technique, finds, known ones among them, executions until the
# last of these had both passed and failed; orders, executions and seconds until it was confirmed; the same of the whole.
set -u
dir=$1 module=$2 known=$3 budget=$4 out=$5
shift 5
mkdir -p "$out"
for technique in "$@"; do
    to="$out/$(basename "$dir")-${module##*/}-$technique"
    odfix detect "$dir" --module "$module" --technique "$technique" --budget "$budget" --out "$to" --format json --offline >"$to.json" 2>"$to.err"
    python3 - "$to.json" "$known" "$(basename "$dir")/$module" "$technique" <<'PY'
import json, os, sys
path, known, project, technique = sys.argv[1:]
r = json.load(open(path))
want = set(l.strip() for l in open(known) if l.strip()) if os.path.isfile(known) else set()
d = r.get("detection") or {}
finds = d.get("finds") or []
names = [f["test"] for f in finds]
hit = [f for f in finds if f["test"] in want]
last = hit[-1] if hit else {}
shown = max((f["shown"] for f in hit), default="–")
print("| %s | %s | %d | %d of %d | %s | %s | %s | %s | %d, %d, %.0f s%s |" % (
    project, technique, len(finds), len(hit), len(want), shown,
    last.get("orders", "–"), last.get("executions", "–"), "%.0f" % last["seconds"] if last else "–",
    d.get("orders", 0), d.get("executions", 0), d.get("seconds", 0), "" if d.get("exhausted") else ", unfinished"))
PY
done
