#!/bin/sh
# odfix on order-dependent tests that others have found, in projects for which nobody tuned it.
#
#   [FIELD_MIRROR=DIR] [FIELD_OUT=DIR] [BUDGET=8m] field.sh LIST [PROJECT…] [-- BUILD ARGUMENTS]
#
# LIST has a line for each test, in columns separated by tabs, with their names in the first line: project (owner/name), commit,
# module, test (CLASS.METHOD), and after those what is known of it. With PROJECTs only their modules are examined.
# FIELD_MIRROR holds git repositories as owner+name; without it they come from GitHub. Each module has a result
# file in FIELD_OUT, so that a second run continues. At last a table of all results in FIELD_OUT is printed.
#
# FIELD_PREPARE is a shell command that runs in each checkout, such as one that raises the release of Java in old poms.
#
# S is the time of all tests of the module in their own order, t that of one test, each in one process of its own.
set -eu
list=$(realpath "$1"); shift
projects=" "
while [ $# -gt 0 ] && [ "$1" != -- ]; do projects="$projects$1 "; shift; done
[ $# -eq 0 ] || shift # the rest is for the build
here=$(cd "$(dirname "$0")" && pwd)
PATH=$here/../../bin:$PATH
out=${FIELD_OUT:-$PWD/field}; mkdir -p "$out"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; trap 'exit 1' INT TERM

# checkout PROJECT COMMIT writes the sources to $work/src.
checkout() {
	rm -rf "$work/src"
	from=https://github.com/$1
	if [ -n "${FIELD_MIRROR:-}" ]; then
		from=$FIELD_MIRROR/$(echo "$1" | tr / +)
		[ ! -d "$from/repo" ] || from=$from/repo
	fi
	git clone -q --no-checkout "$from" "$work/src" 2>/dev/null || return 1
	git -C "$work/src" -c advice.detachedHead=false checkout -q "$2" 2>/dev/null || return 1
	[ -z "${FIELD_PREPARE:-}" ] || (cd "$work/src" && sh -c "$FIELD_PREPARE")
}

# seconds FILE is the duration of the run in a report of odfix run.
seconds() { python3 -c 'import json, sys; print(sum(r["nanos"] for r in json.load(open(sys.argv[1]))["runs"]) / 1e9)' "$1"; }

examine() {
	project=$1 commit=$2 module=$3; shift 3
	result=$out/$(echo "$project@$(echo "$commit" | cut -c1-7)@$module" | tr / +).json
	[ ! -e "$result" ] || return 0
	echo "$project $module" >&2
	tests=$(awk -F'\t' -v p="$project" -v c="$commit" -v m="$module" 'NR > 1 && $1 == p && $2 == c && $3 == m {print $4}' "$list")
	head=$(printf '{"project": "%s", "commit": "%s", "module": "%s"' "$project" "$commit" "$module")
	if ! checkout "$project" "$commit"; then
		echo "$head, \"reason\": \"no repository with this commit\"}" >"$result"; return 0
	fi
	at="$work/src"; select=
	[ "$module" = . ] || select="--module $module"
	# shellcheck disable=SC2086
	if ! odfix orders --technique original --budget 15m $select "$at" -- "$@" >"$work/order.txt" 2>"$work/error.txt"; then
		python3 "$here/field.py" unbuilt "$head" "$work/error.txt" >"$result"; return 0
	fi
	# A test that the module's build does not run is left out, and told in the table.
	tr '\t#' '\n.' <"$work/order.txt" | sed 's/(.*//' | sort -u >"$work/known.txt"
	run=$(for t in $tests; do ! grep -qxF "$t" "$work/known.txt" || echo "$t"; done)
	first=$(head -1 "$work/order.txt" | cut -f1)
	# shellcheck disable=SC2086
	odfix run $select --orders "$work/order.txt" --out "$work/whole" "$at" -- "$@" >/dev/null 2>&1 || true
	echo "$first" >"$work/one.txt"
	# shellcheck disable=SC2086
	odfix run $select --order "$work/one.txt" --out "$work/one" "$at" -- "$@" >/dev/null 2>&1 || true
	flags=$(for t in $run; do printf -- '--test %s ' "$t"; done)
	rm -rf "$work/fix"
	if [ -z "$run" ]; then
		echo "$head, \"reason\": \"the build does not run these tests\"}" >"$result"; return 0
	fi
	# shellcheck disable=SC2086
	odfix fix $select $flags --budget "${BUDGET:-8m}" --out "$work/fix" "$at" -- "$@" >"$work/fix.txt" 2>&1 || true
	[ -z "${FIELD_KEEP:-}" ] || cp -r "$work/fix" "${result%.json}.kept"
	python3 "$here/field.py" row "$head" "$(seconds "$work/whole/run.json" || echo 0)" "$(seconds "$work/one/run.json" || echo 0)" \
		"$work/fix/report.json" $tests >"$work/row.json" && mv "$work/row.json" "$result"
}

awk -F'\t' 'NR > 1 {print $1 "\t" $2 "\t" $3}' "$list" | sort -u >"$work/modules.tsv"
while IFS="$(printf '\t')" read -r project commit module; do
	case $projects in " " | *" $project "*) examine "$project" "$commit" "$module" "$@" </dev/null ;; esac
done <"$work/modules.tsv"
python3 "$here/field.py" table "$list" "$out"/*.json
