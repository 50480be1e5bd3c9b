package archive

import (
	"context"
	"os"
	"path"
	"strings"
)

// maxLinks is the most symbolic links of an archive.
const maxLinks = 10_000

// links are an archive's symbolic links. They are made after all files, so that no file is written
// through a link.
type links struct {
	names   []string
	targets map[string]string // by name
	places  map[string]string // by name: the path to which a link leads, without links; empty: none
}

func (l *links) add(name, target string) error {
	if _, twice := l.targets[name]; twice {
		return refuse("it has %q twice", short(name))
	}
	if len(l.names) == maxLinks {
		return refuse("it has more than %d symbolic links", maxLinks)
	}
	l.names = append(l.names, name)
	l.targets[name] = target
	return nil
}

// make makes the links. It leaves out those that lead out of the folder or nowhere.
func (l *links) make(ctx context.Context, root *os.Root) error {
	last := ""
	for _, name := range l.names {
		if dir := path.Dir(name); dir != last {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return within(err)
			}
			last = dir
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	l.places = make(map[string]string, len(l.names))
	var lead []string
	for _, name := range l.names { // while there are no links yet
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !missing(root, name) {
			return refuse("it has %q twice", short(name))
		}
		if place, ok := l.place(name); ok && !missing(root, place) {
			lead = append(lead, name)
		}
	}
	for _, name := range lead {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := root.Symlink(l.targets[name], name); err != nil {
			return within(err)
		}
	}
	return ctx.Err()
}

func missing(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err != nil
}

// place is the path to which a link leads. It follows each link once, and needs no file system: the
// folders around a link are no links, since the archive is refused otherwise.
func (l *links) place(name string) (string, bool) {
	if place, known := l.places[name]; known {
		return place, place != ""
	}
	l.places[name] = "" // a link that leads to itself leads nowhere
	target := l.targets[name]
	if path.IsAbs(target) || len(target) > maxName || strings.ContainsAny(target, "\x00\\") || strings.Count(target, "/") > maxDepth {
		return "", false
	}
	at := path.Dir(name)
	for part := range strings.SplitSeq(target, "/") {
		if at == "." && part == ".." {
			return "", false
		}
		at = path.Join(at, part)
		if _, link := l.targets[at]; link {
			var ok bool
			if at, ok = l.place(at); !ok {
				return "", false
			}
		}
		if len(at) > maxName || strings.Count(at, "/") > maxDepth {
			return "", false // no such member
		}
	}
	l.places[name] = at
	return at, true
}
