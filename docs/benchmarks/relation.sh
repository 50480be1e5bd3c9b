#!/bin/sh
# What an observed run shows of a module, and what it costs.
#
#   relation.sh DIR [MODULE [KNOWN.tsv OWNER/NAME]]
#
# DIR is a Maven checkout. Seconds are the median of three runs each, of the whole suite in its own order in a fresh
# process: as it is, and observed. Needs bin/odfix (make build); works offline.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dir=$1 module=${2:-.} known=${3:-} project=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
odfix="$root/bin/odfix"

# took LOG MESSAGE: the seconds that the runner's log says.
took() { sed -n "s/.*\"msg\":\"$2\".*\"took\":\([0-9.e-]*\).*/\1/p" "$1" | tail -n 1; }
median() { sort -n | sed -n 2p; }

for i in 1 2 3; do
	"$odfix" orders "$dir" --module "$module" --offline -v --technique target-pairs --relation "$work/relation.json" --limit "${LIMIT:-3000}" \
		>"$work/orders" 2>"$work/log"
	took "$work/log" observed >>"$work/observed"
done
"$odfix" orders "$dir" --module "$module" --offline --technique original 2>/dev/null | tr '\t' '\n' >"$work/original"
for i in 1 2 3; do
	"$odfix" run "$dir" --module "$module" --offline -v --order "$work/original" >/dev/null 2>"$work/log" || true
	took "$work/log" asked >>"$work/plain"
done
echo "plain $(median <"$work/plain") s, observed $(median <"$work/observed") s"
"$odfix" orders "$dir" --module "$module" --offline --technique reach --limit "${LIMIT:-3000}" >"$work/reach" 2>/dev/null
cd "$root"
go build -o "$work/compare" "$here/relation.go"
for technique in orders reach; do
	"$work/compare" "$work/relation.json" ${known:+"$known" "$project" "$module"} <"$work/$technique"
done
