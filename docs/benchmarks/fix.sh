#!/bin/sh
# Seconds, and processor seconds of all processes, from a failing order to proved patches, for victims of one Maven
# module: odfix and, where its plug-in is in the local repository, iFixFlakies.
#
#   [ORDER=FILE] [LIMIT=SECONDS] fix.sh MODULE_DIR "CLASS#METHOD…" [IDFLAKIES_VERSION]
#
# MODULE_DIR is a scratch checkout that builds as it is. Both tools get the same
# failing order: ORDER, one id a line, or what an untimed run of odfix finds, for
# several victims their polluters in front of the whole suite; iFixFlakies gets the
# suite's own order, too, in which they have to pass. Each goal of iFixFlakies is ended after LIMIT seconds (3600).
set -eu
dir=$(cd "$1" && pwd); victims=$2; rival=${3:-}; order=${ORDER:-}; limit=${LIMIT:-3600}
here=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$here/bin:$PATH
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT INT TERM
now() { date +%s.%N; }
since() { echo "$(now) $1" | awk '{printf "%.1f", $1 - $2}'; }
processor() { # of all children so far
	times >"$work/times"
	processor=$(awk 'NR == 2 {split($1, u, "[ms]"); split($2, s, "[ms]"); printf "%.1f", 60 * (u[1] + s[1]) + u[2] + s[2]}' "$work/times")
}
began() { t=$(now); processor; was=$processor; }
took() { processor; took="$(since "$t") s, $(echo "$processor $was" | awk '{printf "%.1f", $1 - $2}') processor seconds"; }
tests=$(for v in $victims; do printf -- '--test %s ' "$v"; done)

# shellcheck disable=SC2086
XDG_CACHE_HOME=$work/w0 odfix fix $tests ${order:+--order "$order"} --technique helper --out "$work/find" --format json "$dir" >/dev/null || true
odfix orders --technique original "$dir" >"$work/original.txt"
python3 - "$work" "$order" <<'END'
import json, sys
work, order = sys.argv[1:]
tests = json.load(open(work + '/find/report.json'))['tests']
well = [t['test'] + ': ' + t['verdict'] for t in tests if not t.get('failingOrder')]
if well:
    sys.exit('nothing to measure, these did not fail: ' + ', '.join(well))
passing = open(work + '/original.txt').readline().rstrip('\n').split('\t')
if order:
    failing = [l.strip() for l in open(order) if l.strip()]
elif len(tests) == 1:
    failing = tests[0]['failingOrder']['order']
else:
    front = list(dict.fromkeys(p for t in tests for p in t['polluters'][0]))
    failing = front + [t for t in passing if t not in front]
open(work + '/failing.txt', 'w').write('\n'.join(failing) + '\n')
dot = lambda o: [x.replace('#', '.') for x in o]
run = lambda o, r: {'order': dot(o), 'result': r, 'testRunId': ''}
# iFixFlakies tells failures (of assertions) from errors (of anything else).
kind = lambda t: 'FAILURE' if 'Assert' in t['failure']['type'] or 'ComparisonFailure' in t['failure']['type'] else 'ERROR'
json.dump({'dts': [{'name': dot([t['test']])[0], 'intended': run(passing, 'PASS'),
    'revealed': run(failing, kind(t)), 'type': 'OD'} for t in tests]}, open(work + '/flaky-lists.json', 'w'))
print('victims', len(tests), 'failing order of', len(failing), 'passing order of', len(passing))
END

for round in cold built; do
	began
	# shellcheck disable=SC2086
	XDG_CACHE_HOME=$work/w1 odfix fix $tests --order "$work/failing.txt" --out "$work/$round" --format json "$dir" >/dev/null || true
	took
	echo "odfix $round: $took"
	python3 - "$work/$round/report.json" <<'END'
import json, sys
r = json.load(open(sys.argv[1])); c = r['cost']
print('  phases', {k: round(v, 1) for k, v in c['seconds'].items()}, 'questions', c['questions'], 'tests run', c['testsRun'])
for t in r['tests']:
    print('  ', t['test'], t['verdict'], 'patches', [(p['place'], p['statements'], p['proof']['proved']) for p in t.get('patches', [])])
END
done

[ -n "$rival" ] || exit 0
plugin=edu.illinois.cs:idflakies-maven-plugin:$rival
cd "$dir"
mvn -B -q -ntp test-compile
rm -rf .dtfixingtools; mkdir -p .dtfixingtools/detection-results
cp "$work/flaky-lists.json" .dtfixingtools/detection-results/
goal() {
	began
	timeout "$limit" mvn -B -ntp "$plugin:$1" -Ddt.detector.original_order.all_must_pass=false >".dtfixingtools/$1.log" 2>&1 || { echo "  $1 ended with $?"; tail -5 ".dtfixingtools/$1.log"; }
	took
}
goal minimize
if grep -q 'expected FAILURE, got ERROR' .dtfixingtools/minimize.log; then # it minimises nothing then: what is an error to it, only it knows
	sed -i 's/"FAILURE"/"ERROR"/g' .dtfixingtools/detection-results/flaky-lists.json
	rm -rf .dtfixingtools/minimized
	goal minimize
fi
echo "iFixFlakies minimize: $took"
goal fix
echo "iFixFlakies fix: $took"
echo "  minimized: $(find .dtfixingtools/minimized -name '*.json' 2>/dev/null | wc -l), patches: $(find .dtfixingtools/fixer -name '*.patch' 2>/dev/null | wc -l)"
