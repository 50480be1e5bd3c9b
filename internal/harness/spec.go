package harness

import "errors"

// Spec says how to start one test process. The process reads commands from file descriptor 3 and
// writes events to 4.
type Spec struct {
	Command []string // the executable, and its arguments
	Env     []string // "NAME=value"; nil: odfix's own environment
	Dir     string   // working directory; empty: odfix's own
}

// pipes are the pipes as the process sees them; see docs/harness-protocol.md.
const pipes = "/dev/fd/3,/dev/fd/4"

func (s Spec) validate() error {
	if len(s.Command) == 0 || s.Command[0] == "" {
		return errors.New("no command to start test processes with: the project's build has not been recorded")
	}
	return nil
}
