package patch

import (
	"fmt"
	"maps"
	"slices"
)

// Tree is a folder of texts with changes that are not written to disk.
type Tree struct {
	// Read returns a file's text on disk, by its path in patches.
	Read func(path string) (string, error)
	// Proves: the caller proves the result, so what several patches insert at one place is joined.
	Proves bool

	before, after map[string]string
}

// Add applies all of a patch or nothing. Every patch is for the texts that Read returns. The error
// names the conflict.
func (t *Tree) Add(patch string) error {
	if t.after == nil {
		t.before, t.after = map[string]string{}, map[string]string{}
	}
	changed, err := ApplyAll(patch, t.read)
	if err != nil {
		return err
	}
	for name, text := range changed {
		if others, ok := t.after[name]; ok {
			if changed[name], ok = Merge(t.before[name], others, text, t.Proves); !ok {
				return fmt.Errorf("%s: it changes the same place as another patch; once that is applied, run odfix fix again", name)
			}
		}
	}
	maps.Copy(t.after, changed)
	return nil
}

func (t *Tree) read(name string) (string, error) {
	if text, ok := t.before[name]; ok {
		return text, nil
	}
	text, err := t.Read(name)
	if err == nil {
		t.before[name] = text
	}
	return text, err
}

// Files returns the new texts of the changed files.
func (t *Tree) Files() map[string]string { return maps.Clone(t.after) }

// Diff returns all changes as one patch.
func (t *Tree) Diff() string {
	var edits []Edit
	for _, f := range slices.Sorted(maps.Keys(t.after)) {
		edits = append(edits, Edit{Path: f, Before: t.before[f], After: t.after[f]})
	}
	return Unified(edits...)
}
