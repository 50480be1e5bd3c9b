#!/bin/sh
# Makes docs/images/comment.png, the README's picture of a comment, from the sandbox's page in
# Chromium. Run it after the texts of comments have changed.
set -eu
cd "$(dirname "$0")/.."
./.ci/chromium
mkdir -p docs/images
go test -tags sandbox -count=1 -run '^TestPicture$' ./app -picture "$PWD/docs/images/comment.png"
