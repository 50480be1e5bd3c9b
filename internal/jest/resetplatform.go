package jest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/state"
)

// builtin adds what restores a function or value of the environment, or removes one that it does not have.
func (s *seenState) builtin(name string) {
	added := !s.brittle && slices.ContainsFunc(s.changes, func(c state.Change) bool { return c.Path == name && c.Before == absent })
	if at := strings.LastIndexByte(name, '.'); added && at > 0 {
		object := name[:at]
		if isTypeScript(s.f.o.file) {
			s.say("delete (" + object + " as any)" + name[len(object):])
		} else {
			s.say("delete " + name)
		}
		return
	}
	mocked := slices.ContainsFunc(s.changes, func(c state.Change) bool { return strings.HasPrefix(c.After, mockFunction) })
	if mocked {
		s.say(name+".mockRestore()", "jest.restoreAllMocks()")
	}
	if timers.MatchString(name) {
		s.say("jest.useRealTimers()")
	}
	if !mocked {
		s.say("jest.restoreAllMocks()")
	}
	if s.changes != nil && !timers.MatchString(name) || name == "Date.now" {
		s.keep(s.f.o.ownGlobal(name))
	}
}

// global adds what undoes changes of a global of the tests: its removal where it was not there, else
// what it held.
func (s *seenState) global(name string) {
	if !identifier.MatchString(name) {
		return
	}
	for _, c := range s.changes {
		switch {
		case c.Path != name && member.MatchString(c.Path):
			s.r.e.globals.Store(name, true)
			s.contents(c.Path, c)
		case c.Path != name || s.brittle || c.Before == absent:
		case literal.MatchString(c.Before):
			s.say(s.f.o.ownGlobal(name) + " = " + c.Before)
		default:
			s.keep(s.f.o.ownGlobal(name))
		}
	}
	s.say("delete global." + name)
}

// directory adds statements that keep the working directory before each test, and go back to it.
func (s *seenState) directory() {
	const name, at = "originalDirectory", workingDirectory
	if s.brittle || s.r.seen[at] || s.f.o.mentions(name) {
		return
	}
	s.r.seen[at] = true
	s.r.made = append(s.r.made, patch.Made{Resets: s.field, Fields: []string{name + " = " + at}, Statements: []string{"process.chdir(" + name + ")"}})
}

// workingDirectory is the expression for it.
const workingDirectory = "process.cwd()"

// timers are what fake timers replace.
var timers = regexp.MustCompile(`^((set|clear)(Timeout|Interval|Immediate)|Date\b.*|queueMicrotask|performance\b.*|process\.(nextTick|hrtime)|(request|cancel)(AnimationFrame|IdleCallback))$`)

func (s *seenState) environment(name string) {
	member := "process.env." + name
	if !identifier.MatchString(name) {
		member = "process.env[" + jsString(name) + "]"
	}
	switch good, known := s.value("process.env." + name); {
	case known && good == absent, !known && !s.brittle && len(s.changes) == 0:
		s.say("delete " + member)
	case known:
		s.keep(member) // another machine may have another value
		s.say(member + " = " + jsString(good))
	case len(s.changes) > 0:
		s.keep(member)
	}
}

func (s *seenState) storage(store, key string) {
	for _, c := range s.changes {
		switch good, known := s.value(c.Path); {
		case known && good == absent:
			s.say(store + ".removeItem(" + jsString(key) + ")")
		case known:
			s.say(store + ".setItem(" + jsString(key) + ", " + jsString(good) + ")")
		}
	}
	if !s.brittle {
		s.say(store + ".clear()")
	}
}

func (s *seenState) document(part string) {
	if part == "cookie" && !s.brittle {
		for _, c := range s.changes {
			before := cookies(c.Before)
			for _, name := range cookies(c.After) {
				if !slices.Contains(before, name) {
					s.say("document.cookie = " + jsString(name+"=; expires=Thu, 01 Jan 1970 00:00:00 GMT"))
				}
			}
		}
	}
	if element, name, ok := strings.Cut(part, " "); ok {
		if element == "body" || element == "documentElement" {
			s.attribute("document."+element, name)
		}
		return
	}
	if good, known := s.value("location.href"); part == "location" && known {
		s.say("window.history.replaceState(null, '', " + jsString(good) + ")")
	}
	member := map[string]string{"body": "document.body.innerHTML", "head": "document.head.innerHTML", "title": "document.title"}[part]
	if member == "" {
		return
	}
	if part == "body" && !s.brittle {
		s.r.cleanup(s.f.o)
	}
	if good, known := s.value(member); known && len(good) < maxText {
		s.say(member + " = " + jsString(good))
	} else if part == "title" && len(s.changes) > 0 {
		s.keep(member)
	}
}

// attribute adds what gives an element the attribute that it had, or takes it away.
func (s *seenState) attribute(element, name string) {
	switch good, known := s.value(element + ".getAttribute(" + strconv.Quote(name) + ")"); {
	case known && good == absent:
		s.say(element + ".removeAttribute(" + jsString(name) + ")")
	case known && len(good) < maxText:
		s.say(element + ".setAttribute(" + jsString(name) + ", " + jsString(good) + ")")
	}
}

// cookies are the names in a document's cookies.
func cookies(text string) (names []string) {
	for _, cookie := range strings.Split(text, "; ") {
		name, _, _ := strings.Cut(cookie, "=")
		names = append(names, name)
	}
	return names
}

// maxText bounds a text in a statement, in bytes.
const maxText = 100

// file adds what removes a file that the polluter leaves. Tests run in the package's folder.
func (s *seenState) file(name string) {
	good, known := s.value(name)
	if !known || good != absent || s.brittle || !ownFile(name) || s.r.e.p.tree.has(name) {
		return
	}
	if pkg := s.r.e.p.launch.pkg; pkg != "" {
		rest, inside := strings.CutPrefix(name, pkg+"/")
		if !inside {
			return
		}
		name = rest
	}
	fs := s.f.o.whole("fs")
	if fs == "" {
		fs = s.f.o.whole("node:fs")
	}
	if fs == "" {
		if slices.ContainsFunc(s.f.o.Imports, func(i importing) bool { return i.ESM }) {
			return
		}
		fs = "require('fs')"
	}
	s.say(fs + ".rmSync(" + jsString(name) + ", { recursive: true, force: true })")
}

// mockFunction is what the harness says of a function that is a mock.
const mockFunction = "mock function"

// spying is an assignment of a spy to a variable.
var spying = regexp.MustCompile(`([\w$]+)\s*=\s*jest\s*\.\s*spyOn\(\s*([\w$.]+)\s*,\s*['"\x60]([\w$]+)['"\x60]`)

// spied adds what restores a function that a spy has replaced: by the variable that holds the spy, or
// with all others.
func (s *seenState) spied(path string) {
	known := visible(s.f.o, s.f.blocks)
	for _, m := range spying.FindAllStringSubmatch(s.f.o.text, -1) {
		if m[2]+"."+m[3] == path && known[m[1]] {
			s.say(m[1] + ".mockRestore()")
		}
	}
	s.say("jest.restoreAllMocks()")
}
