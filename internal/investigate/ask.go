package investigate

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
)

// job is what the runner is asked. It names nothing but the sources' folder: no
// repository, no token, nothing of this machine but what its operator lets tests know.
func (r *running) job(ctx context.Context, root string) (job.Job, error) {
	command, err := r.inModules(ctx, root)
	if err != nil {
		return job.Job{}, err
	}
	b := r.cfg.Budgets
	j := job.Job{
		Version: job.Version, Kind: job.KindFix, Dir: projectIn(root, r.ev.Tests), Tests: r.ev.Tests, Order: r.ev.Order,
		Budget: time.Duration(b.JobMinutes) * time.Minute, Rerun: b.Reruns, TestTimeout: time.Duration(b.TestSeconds) * time.Second,
		BuildArgs: r.mavenFlags(command), Offline: r.s.o.Offline, Network: r.cfg.Network && !r.s.o.Offline, Runtime: r.javaHome(),
		Env: r.environment(),
	}
	for _, t := range r.cfg.Techniques {
		j.Techniques = append(j.Techniques, t.Kind())
	}
	if left := r.i.Deadline.Sub(r.s.now()) - time.Minute; left < j.Budget {
		j.Budget = max(left, time.Minute)
	}
	return j, nil
}

// javaHome is the JDK that the configuration asks for, if whoever operates odfix has it.
func (r *running) javaHome() string {
	home := r.s.o.JDKs[r.cfg.JDK]
	if r.cfg.JDK != 0 && home == "" {
		r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("The configuration asks for JDK %d, which this odfix was not given: the build chose.", r.cfg.JDK))
	}
	return home
}

// environment are the variables that the configuration asks for, as far as
// whoever operates odfix gives them to tests.
func (r *running) environment() []string {
	var out []string
	for _, name := range r.cfg.Environment {
		value, ok := r.s.o.Environment[string(name)]
		if !ok {
			r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("The configuration asks for the environment variable %s, which this odfix was not given: the tests ran without it.", name))
			continue
		}
		out = append(out, string(name)+"="+value)
	}
	return out
}

// mavenFlags says where a configured command is none that can be used.
func (r *running) mavenFlags(command []config.Word) []string {
	if len(command) > 0 && !isMaven(command) {
		r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("The configuration's command begins with %s: odfix runs Maven builds, and used none of it.", command[0]))
	}
	return mavenFlags(command)
}

func isMaven(command []config.Word) bool {
	return strings.HasPrefix(path.Base(string(command[0])), "mvn")
}

// mavenFlags are the flags of the configured command: profiles, properties and the like. What
// is run, and in which folder, is odfix's to say.
func mavenFlags(command []config.Word) []string {
	if len(command) == 0 || !isMaven(command) {
		return nil
	}
	ours := []string{"-f", "--file", "-pl", "--projects", "-rf", "--resume-from", "-l", "--log-file"}
	withValue := append([]string{"-P", "--activate-profiles", "-T", "--threads", "-D", "--define", "-s", "--settings"}, ours...)
	var out []string
	for i := 1; i < len(command); i++ {
		w := string(command[i])
		name, _, _ := strings.Cut(w, "=")
		value := slices.Contains(withValue, w) && i+1 < len(command)
		if strings.HasPrefix(w, "-") && !slices.Contains(ours, name) && w != "-am" && w != "--also-make" {
			out = append(out, w)
			if value {
				out = append(out, string(command[i+1]))
			}
		}
		if value {
			i++
		}
	}
	return out
}
