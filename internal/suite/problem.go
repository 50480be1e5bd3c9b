package suite

import (
	"fmt"
	"strings"
)

// Problem says why a class, or a file, that seems to hold tests cannot be run.
type Problem struct {
	Class  string `json:"class"`
	Reason string `json:"reason"`
}

// named is how many classes a sentence names that have the same problem.
const named = 3

// Sentences say which classes cannot be run and why, one sentence for each reason.
func (s *Suite) Sentences() []string {
	of := map[string][]string{}
	var reasons []string
	for _, p := range s.Problems {
		reason := brief(p.Reason)
		if of[reason] == nil {
			reasons = append(reasons, reason)
		}
		of[reason] = append(of[reason], p.Class)
	}
	var out []string
	for _, reason := range reasons {
		classes, more := of[reason], ""
		if n := len(classes) - named; n > 0 {
			classes, more = classes[:named], fmt.Sprintf(" and %d more", n)
		}
		out = append(out, fmt.Sprintf("%s%s cannot be run: %s", strings.Join(classes, ", "), more, reason))
	}
	return out
}

// brief is the first line of a reason, with the next one if it only announces that one.
func brief(reason string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(reason), "\n")
	if first = strings.TrimSpace(first); !strings.HasSuffix(first, ":") {
		return first
	}
	next, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	return strings.TrimSpace(first + " " + strings.TrimSpace(next))
}
