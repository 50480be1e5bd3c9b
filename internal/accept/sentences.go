package accept

import (
	"regexp"
	"strings"
)

// details match what odfix says of a check that holds. What else a runner says of one is not kept: it
// would stand among odfix' own words.
var details = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`\d{1,9} (?:of (?:the )?\d{1,9} )?(?:tests|pairs)(?:, those of several tests one after another)?`,
	`\d{1,9} of the \d{1,9} that run each test directly after every other`,
	`those of \d{1,9} (?:classes|files) run one after another`,
	`\d{1,9} tests that end their process are left out of all orders`,
	`\d{1,9} tests give no result there without the patch and were not compared`,
	`some tests fail in this order with and without the patch, or are flaky`,
}, "|") + `)$`)

// onceWorse is the end of what odfix says of a check that did not hold in its first run.
var onceWorse = regexp.MustCompile(` in parallel with other processes, and no worse in \d{1,9} runs with no other process$`)

// detail keeps the parts of a check's detail that odfix says.
func (a *acceptor) detail(text string) string {
	var kept []string
	for _, s := range strings.Split(cut(text, maxID+maxSentence), "; ") {
		if end := onceWorse.FindString(s); end != "" {
			kept = append(kept, "a test failed once"+end)
		} else if s, _, _ = strings.Cut(s, " ("); details.MatchString(s) {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "; ")
}
