package ci

import (
	"bytes"
	"context"
	"regexp"
)

// mergeFetched matches the line in which actions/checkout names the test merge of a pull request.
var mergeFetched = regexp.MustCompile(`\+([0-9a-f]{40}):refs/remotes/pull/[0-9]+/merge\b`)

// checkoutBytes bounds the part of a log that is searched. The checkout is at the beginning.
const checkoutBytes = 4 << 20

// Merged returns the test merge of a pull request that a job's log names, or "". The log is foreign
// input, so the caller asks GitHub whether the commit is such a merge.
func Merged(ctx context.Context, path string) string {
	src, err := reader{ctx, ownLimits}.open(path)
	if err != nil {
		return ""
	}
	defer src.Close()
	src.left = checkoutBytes
	for {
		line, err := src.line()
		if err != nil {
			return ""
		}
		if !bytes.Contains(line, []byte(":refs/remotes/pull/")) {
			continue
		}
		if m := mergeFetched.FindSubmatch(line); m != nil {
			return string(m[1])
		}
	}
}
