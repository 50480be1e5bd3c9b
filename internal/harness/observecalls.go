package harness

// A CallObserver is an Observer that also receives the calls by which test files may reset state.
type CallObserver interface {
	Observer
	// Calls receives those of the file whose test is at the position.
	Calls(position int, calls []Call)
}

// Call is a call without arguments that code in a test file can make.
type Call struct {
	Blocks   []string // the titles of the describe blocks where the names are known; … is any title
	Function string   // the access path: container.reset
}

// maxCalls bounds the calls that one process may report.
const maxCalls = 1 << 17

func (o *observing) callsSeen(e callsSeen) error {
	if o.calls += len(e.calls); o.calls > maxCalls {
		return protocolf("more than %d calls in one run", maxCalls)
	}
	if e.position < 0 || e.position >= int64(o.order) {
		return protocolf("calls at position %d of an order of %d tests", e.position, o.order)
	}
	if to, ok := o.to.(CallObserver); ok {
		to.Calls(int(e.position), e.calls)
	}
	return nil
}

// callsSeen is the frame; see docs/harness-protocol.md.
type callsSeen struct {
	position int64
	calls    []Call
}

func decodeCalls(f *fields) callsSeen {
	e := callsSeen{position: f.i64()}
	f.list(8, func() {
		e.calls = append(e.calls, Call{Blocks: f.strs(), Function: clip(f.str(), maxPath)})
	})
	return e
}
