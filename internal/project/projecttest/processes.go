package projecttest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// gracePeriod is how long the processes of a closed project may take to disappear.
const gracePeriod = 10 * time.Second

// processes are the processes that a project starts. Their environment has a variable that every
// child process inherits, also an orphan. They are found only if the system has /proc.
type processes struct {
	variable []byte
	stop     func() // ends watching
	watch    sync.WaitGroup
	seen     bool
}

// newProcesses begins to watch. It must be called before the project is opened.
func newProcesses(t *testing.T) *processes {
	const name = "ODFIX_PROJECTTEST"
	value := fmt.Sprint(os.Getpid(), "-", time.Now().UnixNano())
	t.Setenv(name, value)
	ctx, stop := context.WithCancel(context.Background())
	p := &processes{variable: []byte(name + "=" + value), stop: stop}
	p.watch.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for !p.seen {
			select {
			case <-tick.C:
				p.seen = len(p.running()) > 0
			case <-ctx.Done():
				return
			}
		}
	})
	t.Cleanup(p.end)
	return p
}

func (p *processes) end() {
	p.stop()
	p.watch.Wait()
}

// running returns the ids of the processes that run now, without this one.
func (p *processes) running() (out []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		number, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if text, err := os.ReadFile(file); err == nil && number != os.Getpid() && bytes.Contains(text, p.variable) {
			out = append(out, number)
		}
	}
	return out
}

// haveEnded checks that no process outlived the project, and that there were processes to watch.
func (p *processes) haveEnded(t *testing.T, none bool) {
	p.end()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Log("processes are not watched on this system")
		return
	}
	if !p.seen && !none {
		t.Error("no process of the project was seen")
	}
	for end := time.Now().Add(gracePeriod); len(p.running()) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("processes outlived the project: %v", p.running())
		}
	}
}
