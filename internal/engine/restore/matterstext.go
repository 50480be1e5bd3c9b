package restore

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// whyUnknown returns the sentence for the case that no restored state helped and some changed state
// could not be restored; "" if all could.
func (h causeSearch) whyUnknown(t suite.TestID, all []string) string {
	h.answers.Lock()
	defer h.answers.Unlock()
	lost := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return h.answers.problems[p] == "" })
	if len(lost) == 0 {
		return ""
	}
	more := ""
	if n := len(lost) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return fmt.Sprintf("It is not known through which state %s depends on %s. Restoring the state that %s seen to change does not help; "+
		"%s could not be restored (%s)%s. %s", t, h.named(), h.if1("the latter was", "these tests were"), lost[0],
		h.answers.problems[lost[0]], more, h.at.Unobserved())
}

// notFoundOut returns the sentences for the case that the time ended before it was found out which
// of the state that the cause leaves changed matters.
func (h causeSearch) notFoundOut(all, tried int) string {
	note := fmt.Sprintf("%d things differ after %s; which of them matters was not found out in the time (--budget gives more).",
		all, h.named())
	if all == 1 {
		note = fmt.Sprintf("One thing differs after %s; whether it matters was not found out in the time (--budget gives more).",
			h.named())
	}
	if tried > 0 {
		note += fmt.Sprintf(" Restoring %d of them was not found to be enough.", tried)
	}
	return note
}

// named returns the ids of the cause.
func (h causeSearch) named() string {
	var ids []string
	for _, t := range h.cause {
		ids = append(ids, string(t))
	}
	return strings.Join(ids, " and ")
}

// if1 returns the first text if the cause is one test, else the second.
func (h causeSearch) if1(one, several string) string {
	if len(h.cause) == 1 {
		return one
	}
	return several
}

// elsewhere returns the sentence for the case that no restored state helped.
func (h causeSearch) elsewhere(t *job.TestReport) string {
	return fmt.Sprintf("Restoring all the state that %s %s seen to change does not help %s: it depends on %s in another way, "+
		"%s. %s", h.named(), h.if1("was", "were"), t.Test, h.if1("it", "them"), h.anotherWay(t), h.at.Unobserved())
}

// nothingSeen returns the sentence for the case that the cause was seen to change no state.
func (h causeSearch) nothingSeen(t *job.TestReport) string {
	return fmt.Sprintf("%s %s not seen to change any state: %s depends on %s in another way, %s. %s", h.named(), h.if1("was", "were"),
		t.Test, h.if1("it", "them"), h.anotherWay(t), h.at.Unobserved())
}

// anotherWay returns in which way the test may depend on the cause, other than by observed state.
func (h causeSearch) anotherWay(t *job.TestReport) string {
	way := "such as files, threads, or state that was not observed"
	if files, said := h.known(t.Test).left, portInUse(t.Failure); said != "" {
		way = fmt.Sprintf("perhaps by a port, because it fails with \"%s\": look for a server or socket that is not closed", said)
	} else if len(files) > 0 {
		more := ""
		if n := len(files) - 1; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		way = fmt.Sprintf("perhaps by what %s in the project's folder: %s%s", h.if1(h.named()+" leaves", "these tests leave"),
			filepath.ToSlash(files[0]), more)
	}
	return way
}

// inUse is what operating systems, Node and Spring say of a port.
var inUse = regexp.MustCompile(`(?i)\baddress already in use\b|\bEADDRINUSE\b|\bport \d{1,5} (?:is|was) already in use\b`)

// portInUse returns the words in which a failure, or its cause, says that a port is in use; "" if it says
// no such thing.
func portInUse(f *suite.Failure) string {
	if f == nil {
		return ""
	}
	return inUse.FindString(f.Message + "\n" + f.Stack)
}
