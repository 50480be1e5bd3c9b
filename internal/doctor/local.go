package doctor

import (
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/store"
)

// Database judges what a look at the database showed.
func Database(in *store.Inspection, err error) Finding {
	const what = "database"
	if err != nil {
		return bad(what, err.Error(), "Give --database-url a file in a folder that odfix can write to, or a postgres:// URL that works.")
	}
	switch {
	case len(in.Unknown) > 0:
		return bad(what, in.Name+": a newer odfix has used it ("+strings.Join(in.Unknown, ", ")+")", "Start that version, or restore a backup made before.")
	case in.New:
		return good(what, in.Name+": it will be made at the first start")
	case len(in.Pending) > 0:
		return good(what, fmt.Sprintf("%s: the next start brings it up to date (%s)", in.Name, strings.Join(in.Pending, ", ")))
	}
	return good(what, in.Name+": up to date")
}

// Space judges what is free where odfix writes, in bytes.
func Space(what, dir string, free uint64) Finding {
	const (
		little = 10 << 30 // one build of a large project
		none   = 1 << 30
	)
	says := fmt.Sprintf("%d MiB are free in %s", free>>20, dir)
	switch {
	case free < none:
		return bad(what, says, "Free some: builds, logs and sources are kept there while they are looked at.")
	case free < little:
		return warning(what, says, "A large project's build can need more: free some, or name another folder.")
	}
	return good(what, says)
}

// Tool is a program that runners need, as it answered.
type Tool struct {
	Name    string
	Path    string // empty: not found
	Version string // what it says of itself, one line
	Err     error
	Needed  string // for what
	Mend    string
}

// Tools judges them.
func Tools(list []Tool) []Finding {
	var out []Finding
	for _, t := range list {
		switch {
		case t.Path == "":
			out = append(out, bad(t.Name, "it is not there; it is needed "+t.Needed, t.Mend))
		case t.Err != nil:
			out = append(out, bad(t.Name, fmt.Sprintf("%s does not run: %v", t.Path, t.Err), t.Mend))
		default:
			out = append(out, good(t.Name, strings.TrimSpace(t.Version+" at "+t.Path)))
		}
	}
	return out
}

// KeyFile judges who can read a secret's file, by its mode's bits.
func KeyFile(what, file string, mode uint32) Finding {
	if mode&0o077 != 0 {
		return warning(what, fmt.Sprintf("others on this machine can read %s (mode %04o)", file, mode&0o777), "chmod 600 "+file)
	}
	return good(what, file+" is its owner's alone")
}

// Sandbox judges what keeps builds and tests from this machine: what a sandbox says of itself, why
// it is weaker than it could be, or why there is none; waived says that nobody wants one.
func Sandbox(about []string, weaker string, err error, waived bool) Finding {
	const what = "sandbox"
	switch {
	case waived:
		return warning(what, "builds and tests run as this user (--isolation none): whoever can open a pull request runs code here", "Use --isolation bubblewrap, unless all of them may.")
	case err != nil:
		return bad(what, err.Error(), "Mend that, or, where all who can open pull requests may run code on this machine, give --isolation none.")
	case weaker != "":
		return warning(what, strings.Join(about, "; ")+"; a job's processes are capped one by one only: "+weaker, "Let odfix make cgroups.")
	}
	return good(what, strings.Join(about, "; "))
}
