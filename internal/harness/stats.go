package harness

import (
	"maps"
	"os"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Stats counts what a pool did, for reports.
type Stats struct {
	Questions    map[suite.Price]int // orders run, by price
	Tests        int                 // test executions that were finished
	Crashes      int                 // orders whose process ended early
	Starts       int                 // processes started
	StartSeconds float64             // from starting to hello, summed over processes
	RunSeconds   float64             // wall time of questions, summed over questions
	Recycled     int                 // living processes that were replaced because of memory or of state that tests left
	Unused       int                 // spare processes that ended unused
	Processor    time.Duration       // processor time of processes that have ended and of their children
}

type counters struct {
	mu sync.Mutex
	s  Stats
}

func (c *counters) add(f func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s.Questions == nil {
		c.s.Questions = map[suite.Price]int{}
	}
	f(&c.s)
}

func (c *counters) start(d time.Duration) {
	c.add(func(s *Stats) { s.Starts++; s.StartSeconds += d.Seconds() })
}

// ended adds the cost of a process that has ended.
func (c *counters) ended(state *os.ProcessState) {
	if state != nil {
		c.add(func(s *Stats) { s.Processor += state.UserTime() + state.SystemTime() })
	}
}

func (c *counters) answered(run *suite.Run, finished int) {
	c.add(func(s *Stats) {
		s.Questions[run.Price]++
		s.Tests += finished
		s.RunSeconds += nanos(run.Nanos).Seconds()
		if run.Crash != nil {
			s.Crashes++
		}
	})
}

func (c *counters) get() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.s
	s.Questions = maps.Clone(s.Questions)
	return s
}
