package fix

import (
	"maps"
	"slices"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
)

// unified returns the patch as a unified diff against the checkout.
func unified(b *repair.Built) string {
	var edits []patch.Edit
	for _, path := range sortedKeys(b.Files) {
		edits = append(edits, patch.Edit{Path: path, Before: b.Before[path], After: b.Files[path]})
	}
	return patch.Unified(edits...)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
