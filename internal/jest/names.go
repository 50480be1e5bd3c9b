package jest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/repair"
)

// Sources, and processes in which tests run, may hold any text as a name. In statements and imports that
// odfix writes, nothing stands outside of a literal but what these take.
var (
	identifier = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)
	// accessPath is a name, and names of members below it.
	accessPath = regexp.MustCompile(`^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$`)
	// accessible is an access path with elements, as observing processes write it.
	accessible = regexp.MustCompile(`^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*|\[\d+\]|\["` + inText + `*"\])*$`)
	// literal is a value that may stand in a source as processes write it.
	literal = regexp.MustCompile(`^(-?\d+(\.\d+)?n?|"` + inText + `*"|true|false|null|undefined)$`)
	// modulePath is what an import names.
	modulePath = regexp.MustCompile("^[^'\"`\\\\\\p{C}\\p{Zl}\\p{Zp}]+$")
)

// inText is a character of a text that needs no escape.
const inText = `[^"\\\p{C}\p{Zl}\p{Zp}]`

// writable drops what a statement cannot name: exports may have any text as a name, and comments may
// stand in an access path.
func (o *outline) writable() {
	path := func(s string) bool { return accessPath.MatchString(s) }
	o.Resets = slices.DeleteFunc(o.Resets, func(s string) bool { return !path(s) })
	o.Setters = slices.DeleteFunc(o.Setters, func(s setter) bool { return !path(s.Path) })
	o.Mocks = slices.DeleteFunc(o.Mocks, func(m mock) bool { return !path(m.Path) })
	o.Written = slices.DeleteFunc(o.Written, func(s string) bool { return !accessible.MatchString(strings.ReplaceAll(s, "'", `"`)) })
}

// checkImports refuses imports that are no plain names of a module, and two of one name.
func checkImports(names []added) error {
	for i, n := range names {
		plain := (n.imported == "*" || identifier.MatchString(n.imported)) && identifier.MatchString(n.local) && modulePath.MatchString(n.from)
		if !plain {
			return &repair.UnfitError{Reason: "a name or a module that would have to be imported is no plain text"}
		}
		if slices.ContainsFunc(names[:i], func(o added) bool { return o.local == n.local && o != n }) {
			return &repair.UnfitError{Reason: "two modules would have to be imported as " + n.local}
		}
	}
	return nil
}

// plainPath is a path that every file system reads in the same way.
var plainPath = regexp.MustCompile(`^[\w.-]*[\w-](/[\w.-]*[\w-])*$`)

// ownFile reports whether a path is one of the package's own files, and not of its tools.
func ownFile(name string) bool {
	within := func(folder string) bool { return strings.Contains("/"+strings.ToLower(name)+"/", "/"+folder+"/") }
	return plainPath.MatchString(name) && !slices.ContainsFunc(notCopied, within)
}
