package investigate

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
)

// maxReport bounds the report of an investigation's runner, in bytes.
const maxReport = 1 << 20

// job is the runner's job. For the dispatcher it names the commit, and the step for which it runs. Of
// this machine it holds only the variables that the operator gives to tests.
func (r *running) job(ctx context.Context, sources fs.FS) (job.Job, error) {
	command, err := r.inModules(ctx, sources)
	if err != nil {
		return job.Job{}, err
	}
	b := r.cfg.Budgets
	j := job.Job{
		Version: job.Version, Kind: job.KindFix, Installation: r.i.Installation, Source: r.source(r.sha), Key: r.key("fix"), Tests: r.ev.Tests, Order: r.ev.Order,
		Budget: time.Duration(b.JobMinutes) * time.Minute, Rerun: b.Reruns, TestTimeout: time.Duration(b.TestSeconds) * time.Second,
		MaxReport: maxReport, Offline: r.s.o.Offline, Network: r.cfg.Network && !r.s.o.Offline, Env: r.environment(),
	}
	if r.ev.Tool == ci.Jest {
		j.Language, j.Dir, j.BuildArgs = "jest", packageIn(sources, r.ev.Tests), r.flags(command, jest)
	} else {
		b := javaBuild(sources, r.ev.Tests, r.ev.Tool == ci.Gradle || r.ev.Tool == "" && ofGradle(command))
		j.Language, j.Dir, j.BuildTool, j.BuildArgs, j.JDK = "java", b.dir, b.tool, r.flags(command, b.tool), r.cfg.JDK
	}
	j.Choice = r.cfg.Comments.Tone == config.Full // a short comment shows no second patch
	for _, t := range r.cfg.Techniques {
		j.Techniques = append(j.Techniques, t.Kind())
	}
	if r.cfg.Repair.Place != config.AnyPlace {
		j.Place = patch.Location(r.cfg.Repair.Place)
	}
	if left := r.i.Deadline.Sub(r.s.now()) - time.Minute; left < j.Budget {
		j.Budget = max(left, time.Minute)
	}
	return j, nil
}

// key names a step of this investigation. The commit is part of it: another test merge, after the base
// branch has moved, needs another job.
func (r *running) key(step string) string { return step + "/" + r.i.ID + "/" + r.sha }

// investigationOf is the ID of the investigation that a key names. The key of a job for no
// investigation has a number or nothing in its place, which is the ID of none.
func investigationOf(key string) string {
	_, rest, _ := strings.Cut(key, "/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// source is a commit of the repository, for the dispatcher.
func (r *running) source(sha string) job.Source {
	return job.Source{Repository: r.at.repo.ID, Owner: r.at.repo.Owner, Name: r.at.repo.Name, SHA: sha}
}

// environment is the variables that the configuration asks for and the operator gives to tests.
func (r *running) environment() []string {
	var out []string
	for _, name := range r.cfg.Environment {
		value, ok := r.s.o.Environment[string(name)]
		if !ok {
			r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("The configuration asks for the environment variable %s, "+
				"which this odfix was not given: the tests ran without it.", name))
			continue
		}
		out = append(out, string(name)+"="+value)
	}
	return out
}

// jest is the tool of a job that builds nothing.
const jest = "jest"

// flags are those of the configured command that a job's build tool, or Jest, gets. It adds a note
// where the command is another tool's.
func (r *running) flags(command []config.Word, tool string) []string {
	var words []string
	for _, w := range command {
		words = append(words, string(w))
	}
	if len(words) == 0 {
		return nil
	}
	name, read := "Maven", mavenFlags
	switch tool {
	case job.Gradle:
		name, read = "Gradle", gradleFlags
	case jest:
		name, read = "Jest", jestFlags
	}
	out, ok := read(words)
	if !ok {
		r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("The configuration's command begins with %s: the tests run with %s, "+
			"and odfix used none of it.", words[0], name))
	}
	return out
}

// mavenFlags are the flags of Maven's command, such as profiles and properties. Goals and folders
// are left out: odfix chooses them. False: the command is not Maven's.
func mavenFlags(command []string) ([]string, bool) {
	if !strings.HasPrefix(path.Base(command[0]), "mvn") {
		return nil, false
	}
	ours := []string{"-f", "--file", "-pl", "--projects", "-rf", "--resume-from", "-l", "--log-file"}
	withValue := append([]string{"-P", "--activate-profiles", "-T", "--threads", "-D", "--define", "-s", "--settings"}, ours...)
	var out []string
	for i := 1; i < len(command); i++ {
		w := command[i]
		name, _, _ := strings.Cut(w, "=")
		value := slices.Contains(withValue, w) && i+1 < len(command)
		if strings.HasPrefix(w, "-") && !slices.Contains(ours, name) && w != "-am" && w != "--also-make" {
			out = append(out, w)
			if value {
				out = append(out, command[i+1])
			}
		}
		if value {
			i++
		}
	}
	return out, true
}

// ofGradle reports whether a command is Gradle's.
func ofGradle(command []config.Word) bool {
	return len(command) > 0 && strings.HasPrefix(path.Base(string(command[0])), "gradle")
}

// gradleFlags are Gradle's own options in its command, such as project properties and excluded tasks.
// Tasks and their options, folders and the choice of tests are left out: odfix chooses them. False: the
// command is not Gradle's.
func gradleFlags(command []string) ([]string, bool) {
	if !strings.HasPrefix(path.Base(command[0]), "gradle") {
		return nil, false
	}
	valued := []string{"-P", "--project-prop", "-D", "--system-prop", "-x", "--exclude-task", "-I", "--init-script", "--max-workers",
		"--warning-mode", "--priority"}
	alone := []string{"-i", "--info", "-d", "--debug", "-q", "--quiet", "-w", "--warn", "-s", "--stacktrace", "-S", "--full-stacktrace",
		"--continue", "--parallel", "--no-parallel", "--build-cache", "--no-build-cache", "--configure-on-demand", "--offline"}
	var out []string
	for i := 1; i < len(command); i++ {
		w := command[i]
		name, _, joined := strings.Cut(w, "=")
		short := len(w) > 2 && slices.Contains([]string{"-P", "-D", "-x", "-I"}, w[:2])
		switch {
		case slices.Contains(alone, w), short, joined && slices.Contains(valued, name):
			out = append(out, w)
		case slices.Contains(valued, w) && i+1 < len(command):
			out = append(out, w, command[i+1])
			i++
		}
	}
	return out, true
}

// jestFlags are the options of Jest's command: what follows "jest", or "--" after a script's name.
// False: the command is neither.
func jestFlags(command []string) ([]string, bool) {
	if i := slices.IndexFunc(command, func(w string) bool { return path.Base(w) == "jest" || path.Base(w) == "jest.js" }); i >= 0 {
		return command[i+1:], true
	}
	if !slices.Contains([]string{"npm", "yarn", "pnpm"}, path.Base(command[0])) {
		return nil, false
	}
	if i := slices.Index(command, "--"); i >= 0 {
		return command[i+1:], true
	}
	return nil, true
}
