package ci

import (
	"bytes"
	"regexp"
)

// mergeFetched is what actions/checkout prints of the test merge that it fetches for a pull
// request.
var mergeFetched = regexp.MustCompile(`\+([0-9a-f]{40}):refs/remotes/pull/[0-9]+/merge\b`)

// checkoutBytes is how far into a log a checkout is looked for: it comes first.
const checkoutBytes = 4 << 20

// Merged is the test merge of a pull request that a job says it ran on; empty
// where its log does not say. The log is anybody's: whoever uses this asks GitHub
// what kind of commit it is.
func Merged(path string) string {
	src, err := openSource(path)
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
