package harness

// Frame types, as in docs/harness-protocol.md.
const (
	cmdDiscover = 'D'
	cmdRun      = 'R'
	cmdStacks   = 'T'
	cmdForget   = 'F'
	cmdQuit     = 'Q'

	evHello      = 'h'
	evClass      = 'd'
	evStarted    = 's'
	evInvocation = 'i'
	evFinished   = 'f'
	evClassFail  = 'c'
	evRefused    = 'e'
	evExiting    = 'x'
	evStacks     = 't'
	evComplete   = '.'
	evField      = 'l'
	evSegment    = 'g'
	evNote       = 'n'
	evCapture    = 'p'
	evRestored   = 'r'
	evCalls      = 'm'
	evBusy       = 'b'
	evInitClass  = 'k'

	knownEvents = "hdsifcext.lgnprbmk"
)

// protocolVersion is the protocol's version in this package.
const protocolVersion = 1

// event is one of the structs below.
type event interface{}

type hello struct {
	version    int64
	java       string
	pid        int64
	frameworks []string
}

// busy is sent while a process starts.
type busy struct {
	micros int64 // processor time that it has used
}

type classSeen struct {
	class, framework, problem string
	flags                     byte
	nodes                     []node
}

// node is one step of a preorder walk of a class's tests.
type node struct {
	kind  byte // 'g', 't' or 'e'
	name  string
	flags byte
}

// Flags of a node.
const (
	flagDisabled = 1
	flagFixed    = 2
	flagDynamic  = 4

	flagTestsFirst = 128
)

type started struct {
	position int64
	id       string
}

// invocation only shows that the test continues. The finished event holds its result.
type invocation struct{ position int64 }

type finished struct {
	position             int64
	id                   string
	outcome              byte
	nanos                int64
	kind, message, stack string
}

// classFailed is a failure of a class after all its tests have outcomes.
type classFailed struct {
	position                    int64
	class, kind, message, stack string
}

type refused struct {
	id     int64
	reason string
	tests  []string
	gone   bool // their classes do not have these tests
}

type exiting struct {
	position int64
	how      string
}

type stacks struct{ text string }

// complete is the end of an order. A process that runs several orders also reports how much memory
// it takes, in bytes, and what state the order left.
type complete struct {
	id, positions int64
	memory        int64
	left          []string
}

// decode turns a frame into an event. It ignores bytes left over, so that later versions of the
// protocol can add fields.
func decode(kind byte, body []byte) (event, error) {
	f := &fields{rest: body}
	var e event
	switch kind {
	case evHello:
		e = hello{f.i64(), f.str(), f.i64(), f.strs()}
	case evClass:
		e = decodeClass(f)
	case evStarted:
		e = started{f.i64(), f.str()}
	case evInvocation:
		e = invocation{f.i64()}
	case evFinished:
		e = finished{f.i64(), f.str(), f.u8(), f.i64(), f.str(), f.str(), f.str()}
	case evClassFail:
		e = classFailed{f.i64(), f.str(), f.str(), f.str(), f.str()}
	case evRefused:
		e = refused{f.i64(), f.str(), f.strs(), f.u8() == 1}
	case evExiting:
		e = exiting{f.i64(), f.str()}
	case evStacks:
		e = stacks{f.str()}
	case evComplete:
		e = decodeComplete(f)
	case evField:
		e = placed{f.u32(), f.str(), f.u8()&1 != 0}
	case evSegment:
		e = decodeSegment(f)
	case evBusy:
		e = busy{f.i64()}
	case evInitClass:
		e = initialised{f.str()}
	case evNote:
		e = noted{f.str()}
	case evCapture:
		e = decodeCapture(f)
	case evCalls:
		e = decodeCalls(f)
	case evRestored:
		e = decodeRestored(f)
	default:
		return nil, protocolf("a frame of the unknown type %q", kind)
	}
	if f.err != nil {
		return nil, protocolf("in a frame of type %q: %v", kind, f.err)
	}
	return e, nil
}

func decodeComplete(f *fields) complete {
	c := complete{id: f.i64(), positions: f.i64()}
	if len(f.rest) > 0 {
		c.memory = f.i64()
	}
	if len(f.rest) > 0 {
		c.left = f.strs()
	}
	return c
}

func decodeClass(f *fields) classSeen {
	c := classSeen{class: f.str(), framework: f.str(), problem: f.str(), flags: f.u8()}
	f.list(6, func() {
		c.nodes = append(c.nodes, node{kind: f.u8(), name: f.str(), flags: f.u8()})
	})
	return c
}
