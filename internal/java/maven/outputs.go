package maven

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// outputsState records, for each target folder of the checkout, its newest time when it was last
// copied. Built is when the copy was last built.
type outputsState struct {
	Newest map[string]int64 `json:"newest"`
	Built  int64            `json:"built"`
}

// notOutputs are folders in a target folder that no compilation reads.
var notOutputs = map[string]bool{"surefire-reports": true, "failsafe-reports": true, "site": true, "apidocs": true, "surefire": true}

// syncOutputs copies what the checkout has already compiled, once, and again after a newer
// compilation in the checkout. Otherwise it keeps the copy's own outputs, which are newer.
func (p *Project) syncOutputs(ctx context.Context, targets []string) error {
	state := p.readOutputs()
	for _, target := range targets {
		newest := newestTime(target)
		was, known := state.Newest[target]
		if newest == 0 || known && (newest <= was || newest <= state.Built) {
			continue
		}
		if err := p.copyTarget(ctx, target); err != nil {
			return err
		}
		state.Newest[target] = newest
	}
	return p.writeOutputs(state)
}

func (p *Project) copyTarget(ctx context.Context, target string) error {
	dst := p.Copy(target)
	if err := os.RemoveAll(dst); err != nil {
		return diskError("cannot replace compiled outputs", err)
	}
	return copyTree(ctx, target, dst, p.layout.base, p.Copy(p.layout.base), func(rel string) bool { return notOutputs[rel] })
}

// copyTree copies a folder that is not in a manifest. It also changes the root of the absolute
// paths in the compiler plugin's lists, because the plugin would otherwise compile everything
// again.
func copyTree(ctx context.Context, src, dst, fromRoot, toRoot string, skip func(rel string) bool) error {
	c := newCopier(ctx)
	var lists []string
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d, err)
		}
		rel, _ := filepath.Rel(src, path)
		if rel != "." && skip(filepath.ToSlash(rel)) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		to := filepath.Join(dst, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if e, ok := entryOf(path, info); ok {
			if filepath.IsAbs(e.Link) {
				e.Link = rebase(e.Link, fromRoot, toRoot)
			}
			c.add(path, to, e)
		}
		if strings.HasSuffix(path, ".lst") {
			lists = append(lists, to)
		}
		return nil
	})
	if werr := c.wait(); err == nil {
		err = werr
	}
	for _, list := range lists {
		movePaths(list, fromRoot, toRoot)
	}
	return err
}

// movePaths rewrites absolute paths in a list and keeps the file's time. A failure costs only a
// compilation.
func movePaths(file, from, to string) {
	info, err := os.Stat(file)
	if err != nil {
		return
	}
	data, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte(from)) {
		return
	}
	if os.WriteFile(file, bytes.ReplaceAll(data, []byte(from), []byte(to)), info.Mode()) == nil {
		os.Chtimes(file, info.ModTime(), info.ModTime())
	}
}

// newestTime returns the latest change below a target folder's class folders, or 0 if nothing is
// compiled.
func newestTime(target string) int64 {
	var newest int64
	for _, part := range []string{"classes", "test-classes"} {
		filepath.WalkDir(filepath.Join(target, part), func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := d.Info(); err == nil && !d.IsDir() {
				newest = max(newest, info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return newest
}

func (p *Project) outputsFile() string { return filepath.Join(p.slot, "outputs.json") }

func (p *Project) readOutputs() outputsState {
	var s outputsState
	_ = readJSON(p.outputsFile(), &s) // without it, everything is copied
	if s.Newest == nil {
		s.Newest = map[string]int64{}
	}
	return s
}

func (p *Project) writeOutputs(s outputsState) error {
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(p.outputsFile(), data, 0o644)
	}
	return diskError("cannot write the state of compiled outputs", err)
}
