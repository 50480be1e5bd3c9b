package job

import (
	"fmt"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Why is what a sentence on the advantages of a patch depends on. KnownWhy recognises such sentences.
type Why struct {
	Location patch.Location
	Brittle  bool // the tests are brittle
	Places   int  // tests at which its statements are
	Apart    bool // not every statement is at each of these tests
	All      bool // it fixes all tests of its cause, which are several
	Others   bool // with All: it fixes tests of other causes, too
	Pioneer  bool // an annotation of JUnit Pioneer
	Context  bool // an annotation with which Spring makes a new context
	Reflects bool // its statements are written by reflection
}

// Sentence is a part of a sentence, without a full stop.
func (w Why) Sentence(n suite.Nouns) string {
	several, of := fmt.Sprintf("the same statements at %d tests", w.Places), "of this cause"
	if w.Apart {
		several = fmt.Sprintf("different statements at %d tests", w.Places)
	}
	if w.Others {
		of += ", and others"
	}
	switch {
	case w.All && w.Places > 1:
		return several + " fix all failing tests " + of + ": " + w.place(n)
	case w.All:
		return "one change fixes all failing tests " + of + ": " + w.place(n)
	case w.Places > 1:
		return w.place(n) + " (" + several + ")"
	}
	return w.place(n)
}

// KnownWhy reports whether the patch's Why is a sentence of Why, on a patch such as this one.
func KnownWhy(p *Patch, n suite.Nouns) bool {
	for bits := range 16 {
		w := Why{Location: p.Location, Places: 1 + len(p.Also), Apart: len(p.Except) > 0, Brittle: bits&1 > 0, Reflects: bits&2 > 0, All: bits&4 > 0, Others: bits&8 > 0}
		if m := p.Made; m != nil {
			w.Pioneer, w.Context = len(m.Annotate) > 0 && !m.RenewsContext(), m.RenewsContext()
		}
		if (!w.All || len(p.Fixes) > 1) && p.Why != "" && p.Why == w.Sentence(n) {
			return true
		}
	}
	return false
}

// place says why the statements are where they are.
func (w Why) place(n suite.Nouns) string {
	text := w.where(n)
	if w.Reflects {
		text += "; it is written by reflection, which stops working when the field is renamed: a reset method in the class of the field would be better"
	}
	return text
}

func (w Why) where(n suite.Nouns) string {
	several := w.Places > 1
	pick := func(one, more string) string {
		if several {
			return more
		}
		return one
	}
	switch w.Location {
	case patch.PolluterTeardown:
		return pick("the "+n.Group+" that leaves the state changed cleans up after itself",
			"the "+n.Groups+" that leave the state changed clean up after themselves") + ", which also protects tests that have not failed yet"
	case patch.PolluterClassTeardown:
		return pick("the "+n.Group+" that leaves the state changed cleans up once after its last test",
			"the "+n.Groups+" that leave the state changed clean up once after their last test") + ", which also protects tests that run later"
	case patch.PolluterEnd:
		return pick("the test that leaves the state changed cleans up after itself", "the tests that leave the state changed clean up after themselves")
	case patch.VictimSetup:
		state := "their own state"
		switch {
		case w.Brittle && several: // no test pollutes state that never exists
			state = "the state that they need"
		case w.Brittle:
			state = "the state that it needs"
		case !several:
			state = "its own state"
		}
		return pick("the test's "+n.Group+" sets ", "the "+n.Groups+" of these tests set ") + state + " before every test, whatever ran before"
	case patch.VictimSetupStart:
		state := "the state that it needs"
		if several {
			state = "the state that they need"
		}
		return pick("the test's "+n.Group+" sets ", "the "+n.Groups+" of these tests set ") + state + " at the start of the setup, before every test, whatever ran before"
	case patch.VictimStart:
		return pick("the test sets its own state before it begins", "the tests set their own state before they begin")
	case patch.VictimBlockSetup:
		return "the state is reset before the tests of the block are set up, whatever ran before, and what the setup makes for them stays"
	case patch.PolluterBody:
		return "the test that begins something then waits for its end, so that it does not go on while other tests run"
	case patch.Declaration:
		switch {
		case w.Context:
			return "Spring makes a new context after the test that leaves beans changed, so that no later test gets them; this takes as long as " +
				"starting the context, so a method that resets the bean would be better"
		case w.Pioneer:
			return "JUnit Pioneer, which the project has, restores the system properties after each test of the class that changes them, which " +
				"also protects tests that have not failed yet"
		}
		return "every test then has its own copy of the state that the tests of its " + n.Group + " shared, so that no test can change it for another"
	}
	return ""
}
