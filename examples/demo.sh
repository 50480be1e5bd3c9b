#!/bin/sh
# Shows the main job on the example in demo/: a red build, and what odfix says
# of it. Works on a copy, which stays, so that what is printed can be pasted.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
odfix=$here/../bin/odfix
place=$(mktemp -d)
cp -R "$here/demo/." "$place"
rm -rf "$place/target"
cd "$place"

echo "\$ mvn test        # a build that is red because of the order of its tests"
if mvn -B -ntp -Dstyle.color=never test >build.log 2>&1; then
	echo "the demo build was expected to be red and is green; see examples/demo" >&2
	exit 1
fi
# Without a failing test in it the build broke for another reason (no network, no JDK).
if ! grep -q "Tests run:" build.log; then
	cat build.log >&2
	exit 1
fi
grep -E "^\[(ERROR|INFO)\] +(ReceiptTest|Tests run:.*[0-9]$)" build.log | tail -3 || true
rm -f build.log

echo
echo "\$ odfix fix"
"$odfix" fix --out "$place/.odfix" .

echo
echo "The example, red as it is, stays in $place"
