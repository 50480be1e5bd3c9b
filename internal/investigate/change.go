package investigate

import (
	"context"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/patch"
)

// maxChange bounds how many bytes of a pull request's change are part of a job. Files beyond are left
// out: they stay as they are when tests run without the change.
const maxChange = 256 << 10

// change is what the pull request changes, as a unified diff. It lacks files of which GitHub shows no
// lines, and the earlier names of renamed files.
func (r *running) change(ctx context.Context) []byte {
	files, err := r.at.client.Files(ctx, r.at.repo, r.i.PullRequest)
	if err != nil { // the diagnosis is worth more than the comparison
		r.s.log.Warn("the pull request's files are not known", zap.String("investigation", r.i.ID), zap.Error(err))
		return nil
	}
	var out []byte
	for _, f := range files {
		kind, ok := kindsOfChange[f.Status]
		if !ok || f.Patch == "" || !patch.Local(f.Path) {
			continue
		}
		if diff := patch.OfFile(f.Path, f.Patch, kind); len(out)+len(diff) <= maxChange {
			out = append(out, diff...)
		}
	}
	return out
}

// kindsOfChange are GitHub's words for what was done to a file, without those for renamed and copied
// ones.
var kindsOfChange = map[string]patch.Kind{"added": patch.Makes, "removed": patch.Removes, "modified": patch.Edits, "changed": patch.Edits}
