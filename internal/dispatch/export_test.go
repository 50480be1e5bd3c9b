package dispatch

import "github.com/odfix/odfix/internal/job"

// Private is for tests.
func (d *Isolated) Private(j job.Job) string { return d.private(j) }

// Greed and NoRoom are for tests.
var (
	DiskError = diskError
	NoRoom    = noRoom
)
