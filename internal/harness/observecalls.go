package harness

// A CallObserver is an Observer that also receives the calls by which test files may reset state, and the objects
// that they import.
type CallObserver interface {
	Observer
	// Calls receives those of the file whose test is at the position, and what the file imports.
	Calls(position int, calls []Call, imports []Imported)
}

// Call is a call without arguments that code in a test file can make.
type Call struct {
	Blocks   []string // the titles of the describe blocks where the names are known; … is any title
	Function string   // the access path: container.reset
}

// Imported is an object that a test file imports and a variable of another file holds.
type Imported struct {
	Blocks   []string // as in Call
	Path     string   // the access path in the test file
	File     string   // that file, relative to the root of the tests' project
	Variable string
}

// maxCalls bounds the calls and imports that one process may report.
const maxCalls = 1 << 17

func (o *observing) callsSeen(e callsSeen) error {
	if o.calls += len(e.calls) + len(e.imports); o.calls > maxCalls {
		return protocolf("more than %d calls in one run", maxCalls)
	}
	if e.position < 0 || e.position >= int64(o.order) {
		return protocolf("calls at position %d of an order of %d tests", e.position, o.order)
	}
	if to, ok := o.to.(CallObserver); ok {
		to.Calls(int(e.position), e.calls, e.imports)
	}
	return nil
}

// callsSeen is the frame; see docs/harness-protocol.md.
type callsSeen struct {
	position int64
	calls    []Call
	imports  []Imported
}

func decodeCalls(f *fields) callsSeen {
	e := callsSeen{position: f.i64()}
	f.list(8, func() {
		e.calls = append(e.calls, Call{Blocks: f.strs(), Function: clip(f.str(), maxPath)})
	})
	if len(f.rest) > 0 {
		f.list(16, func() {
			e.imports = append(e.imports, Imported{Blocks: f.strs(), Path: clip(f.str(), maxPath), File: clip(f.str(), maxPath), Variable: clip(f.str(), maxPath)})
		})
	}
	return e
}
