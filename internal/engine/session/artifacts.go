package session

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// Artifacts writes order files and patches to the job's output folder, and makes the commands that
// use them. Without an output folder it writes nothing and makes no commands.
type Artifacts struct {
	Out   string
	flags string // of every odfix command: the module, arguments of the build
}

// Artifacts returns the artifacts of the job, whose commands name the module.
func (s *Session) Artifacts(m *Module) *Artifacts {
	j, module := &s.Job, m.About.Module
	p := &Artifacts{Out: j.Out}
	if module != "" && module != "." {
		p.flags += " --module " + shell.Quote(module)
	}
	if j.Offline {
		p.flags += " --offline"
	}
	if j.Runtime != "" {
		p.flags += " --java-home " + shell.Quote(j.Runtime)
	}
	for _, a := range j.BuildArgs {
		p.flags += " --build-arg " + shell.Quote(a)
	}
	return p
}

// orders writes a file of orders (see job.WriteOrders), named by its content, and returns its path.
func (p *Artifacts) orders(os []suite.Order) (string, error) {
	lists := make([][]string, len(os))
	for i, o := range os {
		lists[i] = ids(o)
	}
	var b strings.Builder
	if err := job.WriteOrders(&b, lists); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(b.String()))
	return p.write(filepath.Join("orders", hex.EncodeToString(sum[:5])+".tsv"), b.String())
}

// Patch writes a patch, named by its content, and returns its path.
func (p *Artifacts) Patch(diff string) (string, error) {
	sum := sha256.Sum256([]byte(diff))
	return p.write(filepath.Join("patches", hex.EncodeToString(sum[:5])+".patch"), diff)
}

// Script moves a command of several lines into a file, if there is an output folder. The command
// then runs the file.
func (p *Artifacts) Script(c *job.Command) error {
	if p.Out == "" || !strings.Contains(c.Line, "\n") {
		return nil
	}
	sum := sha256.Sum256([]byte(c.Line))
	path, err := p.write(filepath.Join("byhand", hex.EncodeToString(sum[:5])+".sh"), c.Line+"\n")
	c.Line = "sh " + shell.Quote(path)
	return err
}

func (p *Artifacts) write(name, text string) (string, error) {
	path := filepath.Join(p.Out, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// mostNamed is how many tests a command names.
const mostNamed = 8

// judged returns the odfix options that name the tests of a check. If there are more than
// mostNamed tests, it writes them to a file, because they would fill the screen.
func (p *Artifacts) judged(tests []suite.TestID) (string, error) {
	var line strings.Builder
	if len(tests) <= mostNamed {
		for _, t := range tests {
			line.WriteString(" --test " + shell.Quote(string(t)))
		}
		return line.String(), nil
	}
	text := strings.Join(ids(tests), "\n") + "\n"
	sum := sha256.Sum256([]byte(text))
	path, err := p.write(filepath.Join("orders", hex.EncodeToString(sum[:5])+".tests.txt"), text)
	return " --tests " + shell.Quote(path), err
}

// Commands returns a shell command for each check that orders show.
func (p *Artifacts) Commands(checks []repair.Check, diff string) ([]job.Command, error) {
	if p.Out == "" {
		return nil, nil
	}
	patch, err := p.Patch(diff)
	if err != nil {
		return nil, err
	}
	var out []job.Command
	for _, c := range checks {
		if len(c.Orders) == 0 || !c.OK {
			continue
		}
		orders, err := p.orders(c.Orders)
		if err != nil {
			return nil, err
		}
		judged, err := p.judged(c.Tests)
		if err != nil {
			return nil, err
		}
		cmd := job.Command{What: c.Name, Dir: ".", Line: "odfix run" + p.flags + " --orders " + shell.Quote(orders) + judged}
		if c.Patched {
			cmd.Line += " --patch " + shell.Quote(patch)
		}
		switch {
		case c.Pass:
		case len(c.Tests) > 1:
			cmd.Line += " --each-fails"
		default:
			cmd.Exit = 1
		}
		if err := p.Script(&cmd); err != nil { // a name with a line break in it
			return nil, err
		}
		out = append(out, cmd)
	}
	return out, nil
}

// ids returns the tests as strings.
func ids(o suite.Order) []string {
	out := make([]string, len(o))
	for i, t := range o {
		out[i] = string(t)
	}
	return out
}
