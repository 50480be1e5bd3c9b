package build

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// outputsState records, for each folder of outputs in the checkout, its newest time when it was
// last copied. Built is when the copy was last built.
type outputsState struct {
	Newest map[string]int64 `json:"newest"`
	Built  int64            `json:"built"`
}

// syncOutputs copies what the checkout has already compiled, once, and again after a newer
// compilation in the checkout. Otherwise it keeps the copy's own outputs, which are newer.
func (w *Workspace) syncOutputs(ctx context.Context, targets []string) error {
	if len(w.outputs.Classes) == 0 {
		return nil
	}
	state := w.readOutputs()
	for _, target := range targets {
		last := newest(target, w.outputs.Classes, "")
		was, known := state.Newest[target]
		if last == 0 || known && (last <= was || last <= state.Built) {
			continue
		}
		if err := w.copyTarget(ctx, target); err != nil {
			return err
		}
		state.Newest[target] = last
	}
	return w.writeOutputs(state)
}

func (w *Workspace) copyTarget(ctx context.Context, target string) error {
	dst := w.Copy(target)
	if err := os.RemoveAll(dst); err != nil {
		return DiskError("cannot replace compiled outputs", err)
	}
	compiled, reported := newest(target, w.outputs.Classes, ".class"), newest(target, w.outputs.Reports, "")
	return copyTree(ctx, target, dst, w.At.Base, w.Copy(w.At.Base), func(rel string, d fs.DirEntry) bool {
		if d.IsDir() {
			return slices.Contains(w.outputs.Other, rel)
		}
		// Tests have written what is newer than the classes and no newer than the reports. Other tests
		// would find it here, and not in a new checkout. A resource that was copied meanwhile is copied
		// again by the build.
		info, err := d.Info()
		at := int64(0)
		if err == nil {
			at = info.ModTime().UnixNano()
		}
		return compiled > 0 && compiled < at && at <= reported && filepath.Ext(rel) != pathList
	})
}

// copyTree copies a folder that is not in a manifest. It also changes the root of the absolute
// paths in the compiler plugin's lists, because the plugin would otherwise compile everything
// again.
func copyTree(ctx context.Context, src, dst, fromRoot, toRoot string, skip func(rel string, d fs.DirEntry) bool) error {
	c := newCopier(ctx)
	var lists []string
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d, err)
		}
		rel, _ := filepath.Rel(src, path)
		if rel != "." && skip(filepath.ToSlash(rel), d) {
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
		if filepath.Ext(path) == pathList {
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

// pathList is the extension of lists of absolute paths, which builds keep for incremental compilation.
const pathList = ".lst"

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

// newest returns the latest change of files with this extension, or of all, below parts of a folder of
// outputs, or 0 if there are none.
func newest(target string, parts []string, ext string) int64 {
	var newest int64
	for _, part := range parts {
		filepath.WalkDir(filepath.Join(target, part), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if d.IsDir() || ext != "" && filepath.Ext(path) != ext {
				return nil
			}
			if info, err := d.Info(); err == nil {
				newest = max(newest, info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return newest
}

func (w *Workspace) outputsFile() string { return filepath.Join(w.slot, "outputs.json") }

func (w *Workspace) readOutputs() outputsState {
	var s outputsState
	_ = ReadJSON(w.outputsFile(), &s) // without it, everything is copied
	if s.Newest == nil {
		s.Newest = map[string]int64{}
	}
	return s
}

func (w *Workspace) writeOutputs(s outputsState) error {
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(w.outputsFile(), data, 0o644)
	}
	return DiskError("cannot write the state of compiled outputs", err)
}

// markBuilt records that the copy's outputs are newer than the checkout's.
func (w *Workspace) markBuilt() {
	s := w.readOutputs()
	s.Built = time.Now().UnixNano()
	w.writeOutputs(s)
}
