package detection

import (
	"fmt"
	"time"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/job"
)

// progressEvery is how often progress is reported.
const progressEvery = 200 * time.Millisecond

// progress reports how far the search is.
func (d *detection) progress(p detect.Progress) {
	now := time.Now()
	if now.Sub(d.last) < progressEvery {
		return
	}
	d.last = now
	text := fmt.Sprintf("order %d", p.Orders)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %d", p.Total)
	}
	if p.Stage != "" {
		text += " (" + p.Stage + ")"
	}
	if p.Pairs.Of > 0 {
		text += fmt.Sprintf(" · %d%% of pairs", 100*p.Pairs.Covered/p.Pairs.Of) // rounded down: 100 means all
	}
	best := fmt.Sprintf("%d order-dependent", p.Finds)
	if p.Open > 0 {
		best += fmt.Sprintf(", %d to confirm", p.Open)
	}
	d.s.Say(job.Event{Message: text + " · " + d.left(p), Total: p.Total, Best: best})
}

// left returns how long the search may still take.
func (d *detection) left(p detect.Progress) string {
	left := d.s.TimeLeft()
	if spent := d.search.Spent(); p.Total > 0 && spent.Orders > 2 {
		left = min(left, spent.Time/time.Duration(spent.Orders)*time.Duration(max(0, p.Total-p.Orders)))
	}
	return max(left, 0).Round(time.Second).String() + " left at most"
}
