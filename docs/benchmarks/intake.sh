#!/bin/sh
# Webhook intake: signed deliveries a second that are on disk when they are
# acknowledged, and whether any is lost or doubled when the process is killed.
# Once with nothing beside it, and once while niced processes take all that is
# left of the processor, as runners do.
#   intake.sh [DELIVERIES] [KILLS]
set -eu
cd "$(dirname "$0")/../.."
deliveries=${1:-20000}
kills=${2:-200}
uptime
go test ./app -run '^$' -bench '^BenchmarkIntake$' -benchtime "${deliveries}x" -timeout 30m
ODFIX_KILLS=$kills go test ./app -run '^TestKilledIntakeLosesNothing$' -count=1 -v -timeout 60m
uptime
