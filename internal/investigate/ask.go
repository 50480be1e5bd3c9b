package investigate

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
)

// job is what the runner is asked. It names nothing but the sources' folder: no
// repository, no token, nothing of this machine.
func (r *running) job(root string) job.Job {
	b := r.cfg.Budgets
	j := job.Job{
		Version: job.Version, Kind: job.KindFix, Dir: projectIn(root, r.ev.Tests), Tests: r.ev.Tests, Order: r.ev.Order,
		Budget: time.Duration(b.JobMinutes) * time.Minute, Rerun: b.Reruns, TestTimeout: time.Duration(b.TestSeconds) * time.Second,
		BuildArgs: mavenFlags(r.cfg.Tests.Command), Offline: r.s.o.Offline, Network: r.cfg.Network && !r.s.o.Offline, JavaHome: r.javaHome(),
	}
	if left := r.i.Deadline.Sub(r.s.now()) - time.Minute; left < j.Budget {
		j.Budget = max(left, time.Minute)
	}
	return j
}

// javaHome is the JDK that the configuration asks for, if whoever operates odfix has it.
func (r *running) javaHome() string {
	home := r.s.o.JDKs[r.cfg.JDK]
	if r.cfg.JDK != 0 && home == "" {
		r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("The configuration asks for JDK %d, which this odfix was not given: the build chose.", r.cfg.JDK))
	}
	return home
}

// mavenFlags are the flags of the configured command: profiles, properties and the like. What
// is run, and in which folder, is odfix's to say.
func mavenFlags(command []config.Word) []string {
	if len(command) == 0 || !strings.HasPrefix(path.Base(string(command[0])), "mvn") {
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
