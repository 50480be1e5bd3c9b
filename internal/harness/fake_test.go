//go:build unix

package harness

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// fakeEnv makes the test binary run as a harness. Its value says how the whole process misbehaves.
// A method's name says what a single test does; see (*fake).test.
const fakeEnv = "ODFIX_FAKE_HARNESS"

func TestMain(m *testing.M) {
	switch mode, ok := os.LookupEnv(fakeEnv); {
	case !ok:
		code := m.Run()
		removeOrdersProject()
		os.Exit(code)
	case mode == "parent":
		beParent()
	default:
		(&fake{mode: mode, in: os.NewFile(3, "commands"), out: os.NewFile(4, "events")}).main()
	}
}

// fakeSpec starts the fake harness. extra is added to its environment.
func fakeSpec(mode string, extra ...string) Spec {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	// A process under the race detector otherwise waits for a second at its end.
	env := append(os.Environ(), "GORACE=atexit_sleep_ms=0", fakeEnv+"="+mode)
	return Spec{Command: []string{exe}, Env: append(env, extra...)}
}

type fake struct {
	mode string
	in   io.Reader
	mu   sync.Mutex // one frame at a time
	out  *os.File
	mute bool // T is no longer answered

	switches string // of the current order
	memory   int64
	left     []string
	forgot   bool // it received that files were written
	orders   int
}

func (f *fake) main() {
	f.atStart()
	f.send(newMessage(evHello).i64(protocolVersion).str("17.0.1").i64(int64(os.Getpid())).strs([]string{"junit 4.12"}))
	commands := make(chan func())
	go f.read(commands)
	for c := range commands {
		c()
	}
}

// atStart makes the process fail before its hello.
func (f *fake) atStart() {
	switch f.mode {
	case "exit at start":
		fmt.Println("Unrecognized VM option 'UseFooGC'")
		os.Exit(1)
	case "silent":
		select {}
	case "garbage at start":
		f.out.WriteString("Hello, I am not a harness\n")
		select {}
	case "other version":
		f.send(newMessage(evHello).i64(99).str("").i64(0).strs(nil))
		select {}
	case "no hello":
		f.send(newMessage(evStacks).str("?"))
		select {}
	case "works at start", "works for ever", "works and stops":
		f.work(f.mode)
	case "slow":
		waitFor(os.Getenv("ODFIX_FAKE_FIFO"))
	}
}

// work says how much processor time the process has used, before it says hello if it ever does.
func (f *fake) work(mode string) {
	second := int64(1e6)
	for used := second; mode == "works for ever" || used <= 3*second; used += second {
		f.send(newMessage(evBusy).i64(used))
	}
	if mode == "works and stops" {
		f.send(newMessage(evBusy).i64(3*second + 1))
		select {}
	}
}

// waitFor blocks until a writer of the FIFO has closed it.
func waitFor(fifo string) {
	if r, err := os.Open(fifo); err == nil {
		io.Copy(io.Discard, r)
	}
}

func (f *fake) send(m message) {
	b, err := m.frame()
	if err != nil {
		panic(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out.Write(b)
}

func (f *fake) read(commands chan<- func()) {
	r := bufio.NewReader(f.in)
	for {
		kind, body, err := readFrame(r, "DRTQF")
		if err != nil {
			if f.mode == "ignores end" {
				select {}
			}
			os.Exit(0)
		}
		b := &fields{rest: body}
		switch kind {
		case cmdRun:
			id, switches, order := b.i64(), b.str(), b.strs()
			commands <- func() { f.switches = switches; f.run(id, order) }
		case cmdDiscover:
			classes := b.strs()
			commands <- func() { f.discover(classes) }
		case cmdStacks:
			if !f.mute {
				f.send(newMessage(evStacks).str("stack of everything"))
			}
		case cmdForget:
			commands <- func() { f.forgot = true }
		case cmdQuit:
			if f.mode != "ignores quit" {
				os.Exit(0)
			}
		}
	}
}

func (f *fake) run(id int64, order []string) {
	if f.mode == "refuses" {
		f.send(newMessage(evRefused).i64(id).str("the runner ignored the filter").strs(order[1:]).u8(0))
		return
	}
	f.orders++
	f.memory = max(f.memory, 100<<20)
	for i, t := range order {
		f.test(int64(i), t)
	}
	f.complete(id, len(order))
}

func (f *fake) complete(id int64, n int) {
	f.send(newMessage(evComplete).i64(id).i64(int64(n)).i64(f.memory).strs(f.left))
}

func (f *fake) started(i int64, id string) { f.send(newMessage(evStarted).i64(i).str(id)) }

func (f *fake) finished(i int64, id string, outcome byte, text string) {
	f.send(finishedMessage(i, id, outcome, text))
}

func finishedMessage(i int64, id string, outcome byte, text string) message {
	return newMessage(evFinished).i64(i).str(id).u8(outcome).i64(1000).str(text).str(text).str(text)
}

// test does what the method's name says.
func (f *fake) test(i int64, id string) {
	_, what, _ := strings.Cut(id, "#")
	if what == "finishes unstarted" {
		f.finished(i, id, 'f', "setup of the class failed")
		return
	}
	f.started(i, id)
	switch what {
	case "pass":
	case "fail":
		f.finished(i, id, 'f', "AssertionError")
		return
	case "skip":
		f.finished(i, id, 's', "assumption")
		return
	case "binary":
		f.finished(i, id, 'f', "\xff\xfe"+strings.Repeat("x", maxStack+maxMessage))
		return
	case "is not there":
		f.send(newMessage(evRefused).i64(0).str("A holds no such test").strs([]string{id}).u8(1))
	case "others are not there":
		f.send(newMessage(evRefused).i64(0).str("A holds no such test").strs([]string{"A#gone", "A#pass"}).u8(1))
	case "runs too late":
		f.send(newMessage(evRefused).i64(0).str("A keeps to no order").strs([]string{id}).u8(0))
	case "odd outcome":
		f.finished(i, id, '?', "")
	case "other id":
		f.finished(i, "B#other", 'p', "")
	case "starts twice":
		f.started(i, id)
	case "finishes twice":
		f.finished(i, id, 'p', "")
	case "completes early":
		f.complete(1, 1)
	case "unknown frame":
		f.send(append(newMessage('?'), bytes.Repeat([]byte("?"), maxFrame-1)...))
	case "leftover bytes":
		f.send(append(finishedMessage(i, id, 'p', ""), "more"...))
		return
	case "invocations":
		f.send(newMessage(evInvocation).i64(i).str("[1]").u8('p').i64(1).str("").str("").str(""))
	case "teardown fails":
		f.finished(i, id, 'p', "")
		f.send(newMessage(evClassFail).i64(i).str("A").str("T").str("teardown broke").str("at A.down"))
		return
	case "teardown nowhere":
		f.send(newMessage(evClassFail).i64(99).str("A").str("T").str("").str(""))
	case "passes when on":
		if f.switches == "0" {
			f.finished(i, id, 'f', "AssertionError")
			return
		}
	case "dies when off":
		if f.switches == "0" {
			os.Exit(7)
		}
	case "leaves a server":
		f.left = append(f.left, "open TCPServerWrap")
	case "grows":
		f.memory += growth / 2
	case "passes when files are outdated":
		if !f.forgot {
			f.finished(i, id, 'f', "AssertionError")
			return
		}
		f.forgot = false
	case "dies later":
		if f.orders > 1 {
			os.Exit(7)
		}
	case "env":
		fmt.Println("MARK=" + os.Getenv("MARK"))
	default:
		if !f.observed(i, what) {
			f.disaster(i, what)
		}
	}
	f.finished(i, id, 'p', "")
}

// disaster lets a test misbehave as its name says.
func (f *fake) disaster(i int64, what string) {
	switch what {
	case "exit":
		f.send(newMessage(evExiting).i64(i).str("System.exit called in thread main\n\tat A.exit"))
		os.Exit(3)
	case "terminated":
		f.send(newMessage(evExiting).i64(i).str("the JVM was asked to exit"))
		os.Exit(143)
	case "dies":
		fmt.Println("last words")
		os.Exit(7)
	case "dies as by a signal":
		os.Exit(137)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "hang":
		announce()
		select {}
	case "deaf hang":
		f.ignoresStacks()
	case "garbage":
		f.out.WriteString("\xff\xff\xff\xff garbage")
		select {}
	case "half frame":
		f.out.Write([]byte{0, 0, 0, 9, 'f', 1})
		os.Exit(7)
	case "closes events":
		f.out.Close()
		select {}
	case "flood":
		chunk := bytes.Repeat([]byte("some lines of output\n"), 50_000)
		for range 1000 {
			os.Stdout.Write(chunk)
		}
	case "stray":
		stray := exec.Command("sleep", "1000")
		stray.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		stray.Stdout = os.Stdout
		if err := stray.Start(); err != nil {
			panic(err)
		}
		fmt.Println("STRAY", stray.Process.Pid)
	default:
		panic("the fake harness has no test " + what)
	}
}

// ignoresStacks answers no T. On a signal it prints, as a JVM does. It then closes its events,
// which a JVM does not, so that no test has to wait.
func (f *fake) ignoresStacks() {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	f.mute = true
	f.send(newMessage(evStacks).str("ready"))
	<-quit
	fmt.Println("Full thread dump of a fake")
	f.out.Close()
	select {}
}

// discover makes up each class from its name: "two" has two tests in a nested group, and other
// classes have one test.
func (f *fake) discover(classes []string) {
	for _, c := range classes {
		switch c {
		case "exits":
			f.send(newMessage(evExiting).i64(-1).str("System.exit(1) called"))
			os.Exit(1)
		case "hangs":
			select {}
		case "broken":
			f.class(c, "none", "no such class", nil)
		case "two":
			f.class(c, "platform", "", []node{{'g', "two$In", flagFixed}, {'t', "two$In#a", 0},
				{'t', "two$In#b", flagDynamic}, {'e', "", 0}, {'g', "empty", flagTestsFirst}, {'e', "", 0}})
		case "mixed":
			f.flagged(c, "platform", "", flagTestsFirst, []node{{'t', "mixed#a", 0}, {'g', "mixed$In", flagTestsFirst}, {'t', "mixed$In#b", 0},
				{'e', "", 0}})
		case "unbalanced":
			f.class(c, "junit4", "", []node{{'e', "", 0}})
		case "other":
			f.class("not asked", "junit4", "", nil)
		default:
			f.class(c, "junit4", "", []node{{'g', c, 0}, {'t', c + "#test", flagDisabled}, {'e', "", 0}})
		}
	}
	f.complete(-1, 0)
}

func (f *fake) class(name, framework, problem string, nodes []node) {
	f.flagged(name, framework, problem, 0, nodes)
}

func (f *fake) flagged(name, framework, problem string, flags byte, nodes []node) {
	m := newMessage(evClass).str(name).str(framework).str(problem).u8(flags)
	m = append(m, 0, 0, 0, byte(len(nodes)))
	for _, n := range nodes {
		m = m.u8(n.kind).str(n.name).u8(n.flags)
	}
	f.send(m)
}
