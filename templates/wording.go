package templates

import (
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
)

// wording holds the words of a language. A new language adds one.
type wording struct {
	// places are the places of a patch. A patch of JUnit can also annotate the polluter's class.
	places map[patch.Location]string
	// spots are the same with UNIT and TEST in the place of the names, for people who do not know odfix.
	spots map[patch.Location]string
	group string // what holds tests
	// variables reports whether former values are kept in variables, beside the statements; otherwise in fields, among them.
	variables bool
	// state is a place of state for people: short in a comment, listed in a list.
	state, short, listed func(place string) string
	// changed is the part of a place that is different, in a sentence.
	changed func(job.StateChange) string
	// missing says what a test would need to be able to restore the state.
	missing func(job.TestReport) string
}

// wordingOf are the words for the tests of a language. Reports of older versions do not name it.
func wordingOf(language string) *wording {
	if language == "jest" {
		return &jest
	}
	return &java
}
