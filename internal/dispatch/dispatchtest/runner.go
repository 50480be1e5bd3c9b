package dispatchtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

// Behaviour is what the test runner does with a job.
type Behaviour string

// The behaviours. A runner that is Ready says so in an event's message.
const (
	Answers  Behaviour = "answers"  // three events, a log line, a report that echoes the job
	Refuses  Behaviour = "refuses"  // a report that holds an error
	Large    Behaviour = "large"    // a report of several megabytes
	Stops    Behaviour = "stops"    // ready; sends an unfinished report when asked to stop
	Overruns Behaviour = "overruns" // the same, with a budget that is over at once
	Stubborn Behaviour = "stubborn" // ready; does not stop when asked
	Deaf     Behaviour = "deaf"     // ready; reads only the beginning of a huge job, and does not stop
	Overdue  Behaviour = "overdue"  // stubborn, with a budget that is over at once
	Lingers  Behaviour = "lingers"  // a report, and then it does not go
	Leaves   Behaviour = "leaves"   // a report, and a child that holds its pipes open
	Dies     Behaviour = "dies"     // a word to stderr, status 3
	Silent   Behaviour = "silent"   // status 0, nothing said
	Half     Behaviour = "half"     // dies within the report
	Noisy    Behaviour = "noisy"    // stray output, and a report
	Chatters Behaviour = "chatters" // megabytes of log, then status 1
	Garbled  Behaviour = "garbled"  // a report that is not one
	Endless  Behaviour = "endless"  // a line without end
	Foreign  Behaviour = "foreign"  // a report of another version
	Mute     Behaviour = "mute"     // no output, and does not stop when asked
	Killed   Behaviour = "killed"   // ends by a signal
	Escapes  Behaviour = "escapes"  // a report, and a child in a session of its own
	Clings   Behaviour = "clings"   // ready; a child in a session of its own, and does not stop
	Tells    Behaviour = "tells"    // reports its environment, and writes into its work folder
)

// Ready is the message of the event by which a runner says that it waits.
const Ready = "ready"

const (
	prefix    = "odfix.Fake#"
	largeNote = 5 << 20
)

// Job asks the test runner for a behaviour.
func Job(b Behaviour) job.Job {
	j := job.Job{
		Version: job.Version, Dir: "/check out/ü", Tests: []string{prefix + string(b)},
		BuildArgs: []string{"-Pä", "b"}, Budget: time.Minute, Offline: true,
	}
	switch b {
	case Overdue:
		j.Budget = time.Millisecond
	case Overruns: // is asked to stop before it has read the job, and reads it nevertheless
		j.Budget, j.Patch = time.Millisecond, make([]byte, 4<<20)
	case Deaf:
		j.Patch = make([]byte, 4<<20)
	}
	return j
}

// childEnv marks the process that Leaves starts and does not end.
const childEnv = "ODFIX_FAKE_CHILD"

// Env turns the test binary into the test runner, through Main.
const Env = "ODFIX_FAKE_RUNNER"

// AliveEnv names a named pipe that the runner and its children hold open for
// writing as long as they live, so that a test can wait for their end.
const AliveEnv = "ODFIX_FAKE_ALIVE"

// Main makes this process the test runner if the environment says so, and
// does not return then. To be called first in TestMain.
func Main() {
	isolate.Main()
	if os.Getenv(childEnv) != "" {
		hold()
		time.Sleep(time.Minute) // longer than any test waits; where nothing ends it, it ends itself
		os.Exit(0)
	}
	if os.Getenv(Env) != "" {
		hold()
		r := &runner{in: bufio.NewReader(os.Stdin)}
		os.Exit(r.main())
	}
}

// held keeps a file from the garbage collector, which would close it.
//
//lint:ignore U1000 being reachable is its use
var held *os.File

func hold() {
	path := os.Getenv(AliveEnv)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	held = f
}

// forever never returns. (select {} would be noticed as a deadlock.)
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

type runner struct{ in *bufio.Reader }

func (r *runner) main() int {
	_, _ = r.in.Peek(1) // waits for the job's beginning, which names the behaviour
	if start, _ := r.in.Peek(r.in.Buffered()); bytes.Contains(start, []byte(prefix+string(Deaf))) {
		event(job.Event{Message: Ready})
		forever()
	}
	text, err := r.in.ReadBytes('\n')
	var j job.Job
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil || len(j.Tests) != 1 {
		fmt.Fprintln(os.Stderr, "the job cannot be read:", err)
		return 4
	}
	return r.behave(Behaviour(strings.TrimPrefix(j.Tests[0], prefix)), j)
}

func (r *runner) behave(b Behaviour, j job.Job) int {
	full := job.Report{Version: job.Version, Tool: "fake", Finished: true}
	full.Project.Dir, full.Project.BuildArgs = j.Dir, j.BuildArgs
	switch b {
	case Answers:
		for i := range 3 {
			event(job.Event{Phase: job.PhaseDiagnose, Done: i})
		}
		fmt.Println(`{"log":{"level":"info","msg":"hello"}}`)
	case Refuses:
		full.Error = &job.Error{Code: "build-broken", Message: "the build is broken"}
	case Large:
		full.Notes = []string{strings.Repeat("x", largeNote)}
	case Stops, Overruns:
		event(job.Event{Message: Ready})
		_, _ = io.Copy(io.Discard, r.in)
		full.Finished = false
	case Foreign:
		full.Version = job.Version + 1
	case Noisy:
		fmt.Print("WARNING: a JVM said this\n\n{}\n{\"unknown\":1}\n[1,2]\n\x00\xff\n")
	case Leaves:
		leave(false)
	case Escapes:
		leave(true)
	case Tells:
		full.Notes = append(os.Environ(), j.Work)
		if err := os.WriteFile(filepath.Join(j.Work, "mark"), nil, 0o600); err != nil {
			full.Notes = append(full.Notes, err.Error())
		}
	default:
		return r.misbehave(b, full)
	}
	report(full)
	return 0
}

// misbehave is for runners that do not hand over a report and go.
func (r *runner) misbehave(b Behaviour, full job.Report) int {
	switch b {
	case Mute:
		forever()
	case Stubborn, Overdue:
		event(job.Event{Message: Ready})
		forever()
	case Clings:
		leave(true)
		event(job.Event{Message: Ready})
		forever()
	case Killed:
		killSelf()
	case Lingers:
		report(full)
		forever()
	case Dies:
		fmt.Fprintln(os.Stderr, "panic: out of cheese")
		return 3
	case Half:
		fmt.Print(`{"report":{"version":1,"tool":"fa`)
		return 1
	case Chatters:
		fmt.Fprint(os.Stderr, strings.Repeat("chatter and more chatter\n", 200_000), "last words\n")
		return 1
	case Garbled:
		fmt.Println(`{"report":{"version":"one"}}`)
		forever()
	case Endless:
		for block := strings.Repeat("x", 1<<20); ; {
			fmt.Print(block)
		}
	}
	return 0
}

// killSelf ends the process as a signal from outside would.
func killSelf() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	forever()
}

// leave starts a child that outlives us and holds our pipes open; in a session
// of its own, no signal to our group reaches it.
func leave(escape bool) {
	program, err := os.Executable() // os.Args[0] is only a name
	if err != nil {
		panic(err)
	}
	child := exec.Command(program)
	child.Env = append(os.Environ(), childEnv+"=1")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if escape {
		child.SysProcAttr = ownSession()
	}
	if err := child.Start(); err != nil {
		panic(err)
	}
}

func event(e job.Event) { say(map[string]any{"event": e}) }

func report(r job.Report) { say(map[string]any{"report": r}) }

func say(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(b))
}
