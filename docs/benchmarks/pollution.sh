#!/bin/bash
# What `odfix pollution` costs over the plain suite: processor seconds (user + system) and peak memory of the
# test process alone, run by odfix in the suite's own order, plain and observed, in turns. Needs bash and python3.
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
child = os.fork()
if child == 0:
    os.execv("$real", ["$real"] + sys.argv[1:])
_, status, used = os.wait4(child, 0)
with open("$work/used", "a") as log:
    log.write("%.3f %d %s\n" % (used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, "observed" if any("odfix-state" in a for a in sys.argv) else "plain"))
os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
EOF
chmod +x "$work/jdk/bin/java"

"$odfix" orders "$dir" "$@" --technique original | tr '\t' '\n' > "$work/order"
echo "$(wc -l < "$work/order") tests"
for ((i = 0; i < runs; i++)); do
	for kind in plain observed; do
		rm -f "$work/used"
		if [ $kind = plain ]; then
			"$odfix" run "$dir" "$@" --order "$work/order" --mvn-arg "-Djvm=$work/jdk/bin/java" > /dev/null || [ $? = 1 ]
		else
			"$odfix" pollution "$dir" "$@" --no-proof --mvn-arg "-Djvm=$work/jdk/bin/java" > /dev/null
		fi
		tail -1 "$work/used" >> "$work/all" # the processes before it only list the tests
	done
done
python3 - "$work/all" <<'EOF'
import sys
runs = [line.split() for line in open(sys.argv[1])]
least = {}
for kind in ("plain", "observed"):
    seconds = [float(r[0]) for r in runs if r[2] == kind]
    memory = sorted(int(r[1]) for r in runs if r[2] == kind)
    if not seconds:
        sys.exit("no process of the kind %s was measured: does the build start its tests with the java that -Djvm names?" % kind)
    least[kind] = min(seconds)
    print("%-9s least %.2f s of %s, %d MB" % (kind, least[kind], " ".join("%.2f" % s for s in seconds), memory[len(memory) // 2]))
print("ratio     %.2f" % (least["observed"] / least["plain"]))
EOF
