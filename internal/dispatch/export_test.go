package dispatch

import "github.com/odfix/odfix/internal/job"

// Private is for tests.
func (d *Isolated) Private(j job.Job) string { return d.private(j) }

// LimitError and NoRoom are for tests.
var (
	LimitError = limitError
	NoRoom     = noRoom
)
