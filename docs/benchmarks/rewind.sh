#!/bin/bash
# How sound the rewound price is on a whole module: each test runs in a living process, which then puts back what the test
# changed and looks whether all is as it was; the outcome is compared with that of the test alone in a fresh process. Lines behind # name the
# tests behind which the process was not what it had been, and why, and outcomes that differ.
#
#   docs/benchmarks/rewind.sh DIR [MODULE]
#
# ODFIX_REWIND_STRIDE=10 asks every tenth test only, ODFIX_REWIND_EVERY=10 compares every tenth of those that are asked; ODFIX_REWIND_OFFLINE=1 has Maven stay off the network. Needs Go and what the project's build needs.
set -euo pipefail

dir=$(cd "${1:?the folder of a Maven project}" && pwd)
cd "$(dirname "$0")/../.."
ODFIX_REWIND_DIR=$dir ODFIX_REWIND_MODULE=${2:-} go test ./internal/engine -run '^$' -bench 'Rewind$' -benchtime 1x -timeout 3h
