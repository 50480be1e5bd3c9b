package sandbox

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// afterCI is the phase from the end of CI until a runner has the sources.
const afterCI = "webhooks"

// Line is a message for the person who watches.
type Line struct {
	At   time.Duration // since the start
	Text string
}

// Phase is the duration of one step. A step can occur several times.
type Phase struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// clock measures the phases.
type clock struct {
	begun time.Time

	mu    sync.Mutex
	name  string
	since time.Time
	past  []Phase
}

func (c *clock) enter(name string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.name != "" && c.name != name {
		c.past = append(c.past, Phase{c.name, seconds(now.Sub(c.since))})
	}
	if c.name != name {
		c.name, c.since = name, now
	}
	return now.Sub(c.begun)
}

func (c *clock) now() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

func (c *clock) phases() []Phase {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Phase{}, c.past...)
}

// sum describes the time from the last end of CI to odfix's answer.
func sum(all []Phase) string {
	last := 0
	for i, p := range all {
		if p.Name == afterCI {
			last = i
		}
	}
	total := 0.0
	var parts []string
	for _, p := range all[min(last, len(all)):] {
		total += p.Seconds
		parts = append(parts, fmt.Sprintf("%s %.1fs", p.Name, p.Seconds))
	}
	return fmt.Sprintf("%.1fs from CI's end to the answer: %s", total, strings.Join(parts, ", "))
}

// seconds rounds to a tenth.
func seconds(d time.Duration) float64 {
	return float64(d.Round(100*time.Millisecond)) / float64(time.Second)
}

// phase begins a phase, with a message.
func (s *Sandbox) phase(name, format string, args ...any) {
	s.o.Say(Line{s.clock.enter(name), fmt.Sprintf(format, args...)})
}

// say prints a message within a phase.
func (s *Sandbox) say(format string, args ...any) {
	s.o.Say(Line{time.Since(s.clock.begun), fmt.Sprintf(format, args...)})
}
