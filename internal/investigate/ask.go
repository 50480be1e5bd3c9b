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

// job is the runner's job. It holds the folder of the sources, but no repository and no token. Of
// this machine it holds only the variables that the operator gives to tests.
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

// javaHome is the JDK that the configuration asks for, if the operator has set it up.
func (r *running) javaHome() string {
	home := r.s.o.JDKs[r.cfg.JDK]
	if r.cfg.JDK != 0 && home == "" {
		r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("The configuration asks for JDK %d, which this odfix was not "+
			"given: the build chose.", r.cfg.JDK))
	}
	return home
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

// mavenFlags adds a note where the configured command is not Maven's.
func (r *running) mavenFlags(command []config.Word) []string {
	if len(command) > 0 && !isMaven(command) {
		r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("The configuration's command begins with %s: odfix runs Maven "+
			"builds, and used none of it.", command[0]))
	}
	return mavenFlags(command)
}

func isMaven(command []config.Word) bool {
	return strings.HasPrefix(path.Base(string(command[0])), "mvn")
}

// mavenFlags are the flags of the configured command, such as profiles and properties. Goals and
// folders are left out: odfix chooses them.
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
