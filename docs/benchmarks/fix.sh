#!/bin/sh
# Seconds from a failing order to a proved patch, for one victim of one Maven
# module: odfix and, where its plug-in is in the local repository, iFixFlakies.
#
#   fix.sh MODULE_DIR CLASS#METHOD [IDFLAKIES_VERSION]
#
# MODULE_DIR is a scratch checkout that builds as it is. Both tools get the same
# failing and passing order, found beforehand by an untimed run of odfix.
set -eu
dir=$(cd "$1" && pwd); victim=$2; rival=${3:-}
here=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$here/bin:$PATH
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT INT TERM
now() { date +%s.%N; }
since() { echo "$(now) $1" | awk '{printf "%.1f", $1 - $2}'; }

XDG_CACHE_HOME=$work/w0 odfix fix --test "$victim" --out "$work/find" --format json "$dir" >/dev/null || true
python3 - "$work" <<'END'
import json, sys
work = sys.argv[1]
t = json.load(open(work + '/find/report.json'))['tests'][0]
failing, passing = t['failingOrder']['order'], t['passingOrder']['order']
open(work + '/failing.txt', 'w').write('\n'.join(failing) + '\n')
dot = lambda o: [x.replace('#', '.') for x in o]
run = lambda o, r: {'order': dot(o), 'result': r, 'testRunId': ''}
# iFixFlakies tells failures (of assertions) from errors (of anything else).
kind = 'FAILURE' if 'Assert' in t['failure']['type'] or 'ComparisonFailure' in t['failure']['type'] else 'ERROR'
found = {'name': dot([t['test']])[0], 'intended': run(passing, 'PASS'), 'revealed': run(failing, kind), 'type': 'OD'}
json.dump({'dts': [found]}, open(work + '/flaky-lists.json', 'w'))
END

for round in cold built; do
	t=$(now)
	XDG_CACHE_HOME=$work/w1 odfix fix --test "$victim" --order "$work/failing.txt" --out "$work/$round" --format json "$dir" >/dev/null || true
	echo "odfix $round: $(since "$t") s"
	python3 - "$work/$round/report.json" <<'END'
import json, sys
r = json.load(open(sys.argv[1])); c = r['cost']
print('  phases', {k: round(v, 1) for k, v in c['seconds'].items()}, 'questions', c['questions'], 'tests run', c['testsRun'])
for t in r['tests']:
    print('  verdict', t['verdict'], 'patches', [(p['place'], p['statements'], p['proof']['proved']) for p in t.get('patches', [])])
END
done

[ -n "$rival" ] || exit 0
plugin=edu.illinois.cs:idflakies-maven-plugin:$rival
cd "$dir"
mvn -B -q -ntp test-compile
rm -rf .dtfixingtools; mkdir -p .dtfixingtools/detection-results
cp "$work/flaky-lists.json" .dtfixingtools/detection-results/
for goal in minimize fix; do
	t=$(now)
	mvn -B -ntp "$plugin:$goal" -Ddt.detector.original_order.all_must_pass=false >"$work/$goal.log" 2>&1 || tail -5 "$work/$goal.log"
	echo "iFixFlakies $goal: $(since "$t") s"
done
echo "  minimized: $(find .dtfixingtools/minimized -name '*.json' 2>/dev/null | wc -l), patches: $(find .dtfixingtools/fixer -name '*.patch' 2>/dev/null | wc -l)"
