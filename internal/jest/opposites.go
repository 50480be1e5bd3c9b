package jest

// Statements that undo a call by the function that people write for it: logout() after login().

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/odfix/odfix/internal/state"
)

// opposites are how the names of two functions begin of which the second undoes what the first does.
var opposites = [][2]string{
	{"login", "logout"}, {"logIn", "logOut"}, {"signIn", "signOut"}, {"install", "uninstall"}, {"register", "unregister"}, {"register", "deregister"},
	{"subscribe", "unsubscribe"}, {"start", "stop"}, {"open", "close"}, {"connect", "disconnect"}, {"enable", "disable"}, {"disable", "enable"},
	{"mount", "unmount"}, {"activate", "deactivate"}, {"attach", "detach"}, {"bind", "unbind"}, {"lock", "unlock"}, {"mock", "unmock"},
	{"patch", "unpatch"}, {"setUp", "tearDown"}, {"setup", "teardown"}, {"set", "unset"}, {"set", "clear"}, {"freeze", "unfreeze"},
	{"begin", "end"}, {"pause", "resume"}, {"show", "hide"}, {"load", "unload"}, {"use", "unuse"}, {"acquire", "release"}, {"intercept", "restore"},
}

// undoes reports whether a function undoes what another one of the names does.
func undoes(name string, does func(name string) bool) bool {
	return slices.ContainsFunc(opposites, func(pair [2]string) bool {
		rest, ok := strings.CutPrefix(name, pair[1])
		wholeWord := rest == "" || !unicode.IsLower(rune(rest[0]))
		return ok && wholeWord && does(pair[0]+rest)
	})
}

// resetOrOpposite reports whether a function resets state by its name, or undoes what one does that is imported.
func (i importing) resetOrOpposite(name string) bool {
	return resetName.MatchString(name) || undoes(name, func(does string) bool {
		return slices.ContainsFunc(i.Names, func(n importedName) bool { return n.Imported == does })
	})
}

// opposites adds calls of functions that undo what the file imports from their module, and that it does not import.
func (r *resets) opposites(ctx context.Context, o *outline) error {
	for _, i := range o.Imports[:min(len(o.Imports), maxModules)] {
		file, _ := r.e.module(o.file, i.From)
		if file == "" {
			continue
		}
		wanted := func(name string) bool {
			return !resetName.MatchString(name) && !deletes.MatchString(name) && i.resetOrOpposite(name)
		}
		if err := r.importing(ctx, o, "the state of "+i.From, file, wanted); err != nil {
			return err
		}
	}
	return nil
}

// maxClosing is how many of a file's statements are taken over that close something.
const maxClosing = 6

// closing adds the statements of the file's tests and hooks that close what all its tests share, or undo something
// with it: await stop(server). A test that ends earlier leaves it open.
func (r *resets) closing(f *found) {
	shared := visible(f.o, f.blocks)
	n := 0
	for _, s := range f.o.Root.statements() {
		text := strings.TrimSuffix(f.o.text[s.Start:s.End], ";")
		m := closingCall.FindStringSubmatch(text)
		if m == nil || s.Self || n == maxClosing || r.seen[text] || slices.ContainsFunc(s.Uses, func(u string) bool { return !shared[u] }) {
			continue
		}
		if name := lastName(m[1]); !deletes.MatchString(name) && (closes.MatchString(name) || resetName.MatchString(name) && m[2] != "") {
			n++
			r.add(state.LeftOpen+f.o.file, text)
		}
	}
}

// closingCall is a call with names as arguments.
var closingCall = regexp.MustCompile(`^(?:await )?([\w$]+(?:\.[\w$]+)*)\(((?:[\w$]+(?:\.[\w$]+)*(?:, )?)*)\)$`)

// closes is the name of a function that ends something.
var closes = regexp.MustCompile(`^(stop|close|shutdown|shutDown|end|quit|terminate|logout|logOut|signOut|release|disconnect|unmount|detach|unregister|abort)([A-Z_]\w*)?$`)

// deletes is the name of a function by which data may be lost, also those of a real service.
var deletes = regexp.MustCompile(`(?i)(delete|remove|purge|truncate|drop|destroy|empty|kill|wipe|cancel|erase)`)

// statements are those of the tests and hooks of a block, and of the blocks in it.
func (b *block) statements() []statement {
	var out []statement
	fns := []*function{b.Fn}
	for _, h := range b.Hooks {
		fns = append(fns, h.Fn)
	}
	for _, fn := range fns {
		if fn != nil {
			out = append(out, fn.Statements...)
		}
	}
	for _, c := range b.Children {
		out = append(out, c.statements()...)
	}
	return out
}
