package templates

import (
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// NewPolluter is a test of a pull request that leaves shared state changed, and did not on the base
// branch.
type NewPolluter struct {
	Names               job.Names
	Test                suite.TestID
	Path, Before, After string // of the worst place
	More                int    // further places
	WrittenBy           string // the line, where it is known
	Breaks, Readers     []suite.TestID
	MoreReaders         int  // beyond those in Readers
	Fails               bool // one of the readers fails in the suite's own order, for a reason that is not known
}

// PollutionTitle is the title of the check that marks them.
func PollutionTitle(list []NewPolluter) string {
	if len(list) == 0 {
		return "No test newly leaves shared state changed"
	}
	breaking := 0
	for _, p := range list {
		if len(p.Breaks) > 0 {
			breaking++
		}
	}
	title := count(len(list), "test") + " newly " + plural(len(list), "leaves", "leave") + " shared state changed"
	if breaking > 0 {
		title += fmt.Sprintf("; %d %s others by it", breaking, plural(breaking, "breaks", "break"))
	}
	return title
}

// NoPollution is the summary if there is none to mark.
const NoPollution = "No test of the files that this pull request changes newly breaks others, or leaves changed what others read."

// UnseenPollution is the summary if there is none to mark, and not all tests were observed.
const UnseenPollution = "No test of the files that this pull request changes is known newly to break others, or to " +
	"leave changed what others read. " +
	"Not all of their tests were seen to the end, on the head or on the base: a test process ended early, or a file is not looked into."

// PollutionSummary is Markdown about the tests that have an annotation, and how many more there
// are.
func PollutionSummary(list []NewPolluter, marked int, base string) string {
	var b strings.Builder
	b.WriteString("What a test leaves changed can make others fail once the order changes; none need fail today. " +
		"Compared with " + Code(base) + ":\n\n")
	for _, p := range list[:marked] {
		fmt.Fprintf(&b, "- %s: %s, %s → %s; %s\n", Code(p.Names.Short(p.Test)), Code(p.Path), Code(p.Before),
			Code(p.After), p.concerns(Code))
	}
	if more := len(list) - marked; more > 0 {
		fmt.Fprintf(&b, "- and %s, for which no line is marked\n", count(more, "more test"))
	}
	return b.String()
}

// PollutionNote is title and message of an annotation, without Markdown.
func PollutionNote(p NewPolluter) (title, message string) {
	plain := func(s string) string { return clip(asName(s), maxSpan) }
	message = fmt.Sprintf("%s: %s before, %s after this test", plain(p.Path), plain(p.Before), plain(p.After))
	if p.WrittenBy != "" {
		message += ", written by " + plain(p.WrittenBy)
	}
	message += "; " + p.concerns(plain) + "."
	if p.More > 0 {
		message += fmt.Sprintf(" It leaves %s changed, too.", count(p.More, "more place"))
	}
	return clip(asName(p.Names.Short(p.Test))+" leaves shared state changed", maxTitle), message
}

// concerns names the tests that it breaks, or those that read it. The function quotes a name.
func (p NewPolluter) concerns(name func(string) string) string {
	if n := len(p.Breaks); n > 0 {
		return p.some(p.Breaks, 0, name) + plural(n, " passes by itself and fails", " pass by themselves and fail") + " directly after it"
	}
	read := "read by " + p.some(p.Readers, p.MoreReaders, name)
	switch {
	case !p.Fails:
		return read + ", none of which was seen to fail"
	case len(p.Readers)+p.MoreReaders == 1:
		return read + ", which fails in the suite's own order; the reason is not known"
	}
	return read + ", one of which fails in the suite's own order; the reason is not known"
}

// some names the first few tests.
func (p NewPolluter) some(list []suite.TestID, more int, name func(string) string) string {
	const most = 3
	var names []string
	for _, t := range list[:min(len(list), most)] {
		names = append(names, name(p.Names.Short(t)))
	}
	if more += len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if i := len(names) - 1; i > 0 {
		return strings.Join(names[:i], ", ") + " and " + names[i]
	}
	return strings.Join(names, "")
}
