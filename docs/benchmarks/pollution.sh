#!/bin/bash
# What `odfix pollution` costs over the plain suite: processor seconds (user + system) and peak memory of the
# test process alone, run by odfix in the suite's own order, in turns: plain as the build starts it, plain with the
# flags that the observed process has (equal), and observed. Needs bash and python3.
#
#   docs/benchmarks/pollution.sh DIR [RUNS] [odfix arguments, such as --module core --offline]
#
# A stand-in for java, which Surefire is told of by -Djvm, measures the processes it starts.
set -euo pipefail

dir=${1:?the folder of a Maven project}
runs=${2:-5}
shift $(($# > 1 ? 2 : 1))
odfix=${ODFIX:-$(cd "$(dirname "$0")/../.." && pwd)/bin/odfix}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

real=${JAVA_HOME:+$JAVA_HOME/bin/java}
real=${real:-$(readlink -f "$(command -v java)")}
mkdir -p "$work/jdk"
for entry in "$(dirname "$(dirname "$real")")"/*; do ln -s "$entry" "$work/jdk/"; done
rm "$work/jdk/bin"
mkdir "$work/jdk/bin"
for entry in "$(dirname "$real")"/*; do ln -s "$entry" "$work/jdk/bin/"; done
rm "$work/jdk/bin/java"
cat > "$work/jdk/bin/java" <<EOF
#!/usr/bin/env python3
import os, sys
flags = os.environ.get("ODFIX_BENCH_FLAGS", "").split()
if flags and not any("GC" in a for a in sys.argv):
    flags.append("-XX:+UseSerialGC") # as the observed process has it where the build chooses none
child = os.fork()
if child == 0:
    os.execv("$real", ["$real"] + flags + sys.argv[1:])
_, status, used = os.wait4(child, 0)
with open("$work/used", "a") as log:
    log.write("%.3f %d %s\n" % (used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, os.environ.get("ODFIX_BENCH_KIND", "")))
with open("$work/observed", "a") as log:
    log.write("".join(a + "\n" for a in sys.argv if a.startswith("-javaagent:") and "odfix-state" in a))
os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
EOF
chmod +x "$work/jdk/bin/java"

"$odfix" orders "$dir" "$@" --technique original | tr '\t' '\n' > "$work/order"
echo "$(wc -l < "$work/order") tests"
for ((i = 0; i < runs; i++)); do
	for kind in plain equal observed; do
		rm -f "$work/used" "$work/observed"
		export ODFIX_BENCH_KIND=$kind ODFIX_BENCH_FLAGS=
		if [ $kind = equal ]; then ODFIX_BENCH_FLAGS="-XX:TieredStopAtLevel=1 -XX:-UsePerfData"; fi
		if [ $kind = observed ]; then
			"$odfix" pollution "$dir" "$@" --no-proof --build-arg "-Djvm=$work/jdk/bin/java" > /dev/null
			[ -s "$work/observed" ] || { echo "no observed process was started with the java that -Djvm names" >&2; exit 1; }
		else
			"$odfix" run "$dir" "$@" --order "$work/order" --build-arg "-Djvm=$work/jdk/bin/java" > /dev/null || [ $? = 1 ]
		fi
		tail -1 "$work/used" >> "$work/all" # the processes before it only list the tests
	done
done
python3 - "$work/all" <<'EOF'
import sys
runs = [line.split() for line in open(sys.argv[1])]
least = {}
for kind in ("plain", "equal", "observed"):
    seconds = [float(r[0]) for r in runs if r[2] == kind]
    memory = sorted(int(r[1]) for r in runs if r[2] == kind)
    if not seconds:
        sys.exit("no process of the kind %s was measured: does the build start its tests with the java that -Djvm names?" % kind)
    least[kind] = min(seconds)
    print("%-9s least %.2f s of %s, %d MB" % (kind, least[kind], " ".join("%.2f" % s for s in seconds), memory[len(memory) // 2]))
print("ratio     %.2f over plain, %.2f over equal" % (least["observed"] / least["plain"], least["observed"] / least["equal"]))
EOF
