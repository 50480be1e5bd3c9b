package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/odfix/odfix/internal/store"
)

// Database checks the state of the database.
func Database(in *store.Inspection, err error) Finding {
	const what = "database"
	if err != nil {
		return bad(what, err.Error(), "Set --database-url to a file in a folder that odfix can write to, or to a postgres:// URL.")
	}
	switch {
	case len(in.Unknown) > 0:
		return bad(what, in.Name+": a newer version of odfix has used it ("+strings.Join(in.Unknown, ", ")+")",
			"Start that version, or restore an older backup.")
	case in.New:
		return good(what, in.Name+": odfix creates it at the first start")
	case len(in.Pending) > 0:
		return good(what, fmt.Sprintf("%s: the next start brings it up to date (%s)", in.Name, strings.Join(in.Pending, ", ")))
	}
	return good(what, in.Name+": up to date")
}

// Space checks the free space of a folder that odfix writes to, in bytes.
func Space(what, dir string, free uint64) Finding {
	const (
		little = 10 << 30 // one build of a large project
		none   = 1 << 30
	)
	detail := fmt.Sprintf("%s are free in %s", humanize.IBytes(free), dir)
	switch {
	case free < none:
		return bad(what, detail, "Free some: odfix keeps builds, logs and sources there during an investigation.")
	case free < little:
		return warning(what, detail, "The build of a large project can need more: free some, or name another folder.")
	}
	return good(what, detail)
}

// Tool is a program that runners need.
type Tool struct {
	Name    string
	Path    string // empty: not found
	Version string // the first line of its output
	Err     error
	Needed  string // for what
	Fix     string
	// Optional: only some projects need it.
	Optional bool
}

// Tools checks the programs.
func Tools(list []Tool) []Finding {
	var out []Finding
	for _, t := range list {
		switch {
		case t.Path == "" && t.Optional:
			out = append(out, warning(t.Name, "not found; it is needed "+t.Needed, t.Fix))
		case t.Path == "":
			out = append(out, bad(t.Name, "not found; it is needed "+t.Needed, t.Fix))
		case t.Err != nil:
			out = append(out, bad(t.Name, fmt.Sprintf("%s does not run: %v", t.Path, t.Err), t.Fix))
		default:
			out = append(out, good(t.Name, strings.TrimSpace(t.Version+" at "+t.Path)))
		}
	}
	return out
}

// KeyFile checks the permission bits of a file with a secret.
func KeyFile(what, file string, mode uint32) Finding {
	if mode&0o077 != 0 {
		return warning(what, fmt.Sprintf("other users of this machine can read %s (mode %04o)", file, mode&0o777), "chmod 600 "+file)
	}
	return good(what, "only its owner can read "+file)
}

// Signer checks the command that signs with the App's key.
func Signer(took time.Duration, err error) Finding {
	const what = "signer"
	const slow = 3 * time.Second
	switch {
	case err != nil:
		return bad(what, err.Error(), "Run the command of --signer-command as odfix' user: it gets bytes as input, and writes their RS256 signature in Base64.")
	case took > slow:
		return warning(what, fmt.Sprintf("a signature takes %s", took.Round(100*time.Millisecond)), "Requests to GitHub wait for it about twice a minute: use a nearer key service.")
	}
	return good(what, fmt.Sprintf("it signs in %s", took.Round(time.Millisecond)))
}

// Sandbox checks the isolation of builds and tests: the properties of the sandbox, why it is weaker
// than possible, or why it does not start. waived means that the operator wants none.
func Sandbox(about []string, weaker string, err error, waived bool) Finding {
	const what = "sandbox"
	switch {
	case waived:
		return warning(what, "builds and tests run as this user (--isolation none), so everyone who can open a "+
			"pull request can run code on this machine", "Use --isolation bubblewrap, unless all of them may do that.")
	case err != nil:
		return bad(what, err.Error(), "Correct that. If everyone who can open a pull request may run code on this "+
			"machine, use --isolation none instead.")
	case weaker != "":
		return warning(what, strings.Join(about, "; ")+"; limits apply to each process of a job, not to the whole job: "+
			weaker, "Allow odfix to make cgroups.")
	}
	return good(what, strings.Join(about, "; "))
}

// JobDisks checks the free space of the folder for jobs' disks against what this number of jobs
// needs, in bytes.
func JobDisks(have, need int64, jobs int, dir string) Finding {
	detail := fmt.Sprintf("jobs need %s in %s (--runners %d, --job-disk), and %s are free", humanize.IBytes(uint64(need)), dir, jobs,
		humanize.IBytes(uint64(have)))
	if have < need {
		return bad("disks of jobs", detail, MoreSpace+" If odfix runs here already, it has reserved its part.")
	}
	return good("disks of jobs", detail)
}

// MoreSpace is what to do if there is too little space for jobs' disks.
const MoreSpace = "Give a smaller --job-disk, fewer --runners, or a --work-dir with more space."

// SharedDisk is the finding that jobs share a disk though odfix is root.
func SharedDisk(why string) Finding {
	return warning("disks of jobs", "jobs share a disk, so one job can fill it for all: "+why,
		"Give a --work-dir on a disk, and install mkfs.ext4 (package e2fsprogs); in a container, allow loop devices.")
}

// Watches checks how many epoll watches all jobs may have together, against the number that they
// cannot reach within their limits of memory. waived: the operator accepts fewer.
func Watches(have, need int64, waived bool) Finding {
	const what = "epoll watches"
	if have >= need {
		return good(what, fmt.Sprintf("%d, more than the memory of jobs suffices for", have))
	}
	grade := Bad
	if waived {
		grade = Warning
	}
	return Finding{what, grade, fmt.Sprintf("all jobs run as one user, who may have %d, so one job can use them up: "+
		"then odfix and all other jobs of this machine fail", have),
		fmt.Sprintf("Either allow %d: `sudo sysctl -w fs.epoll.max_user_watches=%[1]d`, and to keep this over a restart "+
			"`echo fs.epoll.max_user_watches=%[1]d | sudo tee /etc/sysctl.d/90-odfix.conf`. This takes no memory: the limit of "+
			"each job's memory then counts first. Or run odfix worker as root: each job then has a user of its own.", need)}
}

// LowLimits is the finding that limits of the machine are lower than what jobs' memory suffices for, and
// that odfix may not raise them. Each is one as for sysctl(8).
func LowLimits(needed []string) Finding {
	list := "'" + strings.Join(needed, "' '") + "'"
	return warning("limits of the machine", "one job can use up the sockets or the open files that this machine allows all programs together",
		"Allow more: `sudo sysctl -w "+list+"`, and to keep this over a restart `printf '%s\\n' "+list+
			" | sudo tee -a /etc/sysctl.d/90-odfix.conf`. A worker that is root does so itself.")
}
