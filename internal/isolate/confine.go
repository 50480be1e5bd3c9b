package isolate

import (
	"encoding/json"
	"fmt"
	"os"
)

// marker is the first argument of the helper.
const marker = "odfix-confine"

// spec is what the helper does before it becomes bwrap.
type spec struct {
	Parent  int      // the process with which the helper ends
	Groups  []string // cgroup.procs files to be written
	Stage   []string // what bwrap binds from stageDir/0, stageDir/1, …; empty: nothing is staged
	User    int      // user and group to become; 0: stay
	Limits  []limit
	Keep    int // the first descriptor that the program does not get
	Nice    int
	Program string
	Args    []string // with Args[0]
}

type limit struct {
	Resource int
	Value    uint64
}

// stageDir is where the helper, in a mount namespace of its own, binds files that an unprivileged
// user could not reach at their own paths.
const stageDir = "/tmp"

// Main makes this process the helper, or the first process of a Room, if its arguments ask for it.
// Then it does not return.
func Main() {
	initIfAsked()
	probeIfAsked()
	if len(os.Args) != 3 || os.Args[1] != marker {
		return
	}
	var s spec
	err := json.Unmarshal([]byte(os.Args[2]), &s)
	if err == nil {
		err = s.become()
	}
	fmt.Fprintln(os.Stderr, "odfix: starting the sandbox:", err)
	os.Exit(125)
}
