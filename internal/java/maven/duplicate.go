package maven

import (
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Stamp is what tells that a file was written.
type Stamp struct {
	Size  int64
	MTime int64 // nanoseconds
}

// Size is how many bytes the files of the copy take, without Git's own.
func (p *Project) Size() int64 {
	var n int64
	_ = filepath.WalkDir(p.tree(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d, err)
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// Duplicate copies the whole copy, compiled classes included, to dir, and
// returns the launch as it is there. The duplicate is dir's owner's to remove.
func (p *Project) Duplicate(ctx context.Context, dir string, l Launch) (Launch, error) {
	dst := filepath.Join(dir, filepath.Base(p.tree()))
	none := func(string) bool { return false }
	if err := copyTree(ctx, p.tree(), dst, p.tree(), dst, none); err != nil {
		return l, diskError("cannot make a working copy", err)
	}
	return l.moved(p.tree(), dst), nil
}

// moved is the launch with every path below one folder put below another.
func (l Launch) moved(from, to string) Launch {
	move := strings.NewReplacer(from, to).Replace
	list := func(in []string) []string {
		out := slices.Clone(in)
		for i := range out {
			out[i] = move(out[i])
		}
		return out
	}
	values := func(in map[string]string) map[string]string {
		out := maps.Clone(in)
		for k := range out {
			out[k] = move(out[k])
		}
		return out
	}
	l.Basedir, l.Dir, l.TestOutput, l.MainOutput = move(l.Basedir), move(l.Dir), move(l.TestOutput), move(l.MainOutput)
	l.JVMArgs, l.ClassPath, l.ProviderPath = list(l.JVMArgs), list(l.ClassPath), list(l.ProviderPath)
	l.Properties, l.EnvSet, l.ProviderArgs = values(l.Properties), values(l.EnvSet), values(l.ProviderArgs)
	l.Modules.Path, l.Modules.Args = list(l.Modules.Path), list(l.Modules.Args)
	patch := map[string][]string{}
	for m, folders := range l.Modules.Patch {
		patch[m] = list(folders)
	}
	l.Modules.Patch = patch
	return l
}

// Tree is the folder of the copy, whose files Size, Duplicate and Remember are about.
func (p *Project) Tree() string { return p.tree() }

// Remember is Remember of the copy.
func (p *Project) Remember(ctx context.Context, kept string) (*Pristine, error) {
	return Remember(ctx, p.tree(), kept)
}
