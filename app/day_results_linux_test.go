package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
)

// verify checks that each red build has one answer, that no delivery is lost, and that no step failed for
// good.
func (d *replayedDay) verify() {
	d.t.Helper()
	made := map[string]int{} // checks, by head
	for _, r := range d.github.Requests() {
		if r.Operation == "checks/create" && r.Status == 201 {
			made[headPattern.FindStringSubmatch(r.Body)[1]]++
		}
	}
	for _, b := range d.builds {
		s := d.posted(b.pull)
		if made[b.sha] != 1 || len(s.Checks) != 1 || len(s.Causes()) != 1 || s.Reviews != 1 ||
			s.Checks[0].GetStatus() != "completed" || s.Checks[0].GetConclusion() != "neutral" {
			d.t.Errorf("%s, %d: %d checks made, %d there, %d comments, %d reviews", b.pull.URL(), b.fate, made[b.sha], len(s.Checks),
				len(s.Causes()), s.Reviews)
		}
	}
	if n := len(d.strings(`SELECT id FROM investigation WHERE state <> 'done'`)); n > 0 || len(d.builds) != d.scale.builds {
		d.t.Errorf("%d builds; %d investigations did not end well", len(d.builds), n)
	}
	handled := map[string]bool{}
	for _, guid := range d.strings(`SELECT guid FROM delivery WHERE handled > 0`) {
		handled[guid] = true
	}
	for guid := range d.stored {
		if !handled[guid] {
			d.t.Errorf("the delivery %s was accepted, and is not there or not handled", guid)
		}
	}
	others := slices.DeleteFunc(d.strings(`SELECT guid FROM delivery`), func(g string) bool { return !strings.HasPrefix(g, "00000000-") })
	if len(others) != d.scale.deliveries {
		d.t.Errorf("%d of %d other deliveries are stored", len(others), d.scale.deliveries)
	}
	if given := d.strings(`SELECT kind || ' ' || args::text || ' ' || coalesce(errors[array_upper(errors, 1)]::text, '') FROM river_job
		WHERE state = 'discarded' AND kind NOT IN ('redeliver', 'sweep', 'reap', 'forget')`); len(given) > 0 {
		d.t.Errorf("jobs were given up: %s", strings.Join(given, "\n"))
	}
	if d.t.Failed() {
		d.showLogs()
	}
}

// posted is what the App has posted on a pull request.
func (d *replayedDay) posted(p *githubtest.PullRequest) investigatetest.Posted {
	d.t.Helper()
	st, err := p.State(d.ctx)
	d.must(err)
	out := investigatetest.Posted{Reviews: len(st.Reviews)}
	out.Checks, err = githubtest.As[[]*gh.CheckRun](st.Checks)
	d.must(err)
	out.Checks = slices.DeleteFunc(out.Checks, func(c *gh.CheckRun) bool { return c.GetApp().GetID() != d.app.ID })
	out.Comments, err = githubtest.As[[]*gh.IssueComment](st.Comments)
	d.must(err)
	out.Inline, err = githubtest.As[[]*gh.PullRequestComment](st.Inline)
	d.must(err)
	return out
}

// showLogs prints the warnings of all processes.
func (d *replayedDay) showLogs() {
	d.t.Helper()
	for _, p := range d.processes {
		p.kill()
		for line := range strings.Lines(p.log()) {
			if !strings.Contains(line, `"level":"info"`) {
				d.t.Logf("%s: %.500s", p.name, line)
			}
		}
	}
}

// report prints the figures.
func (d *replayedDay) report(b *testing.B) {
	b.Helper()
	created, requests := map[string]time.Time{}, map[string]int{}
	for _, r := range d.github.Requests() {
		requests[r.Operation]++
		if r.Operation == "checks/create" && r.Status == 201 {
			created[headPattern.FindStringSubmatch(r.Body)[1]] = r.At
		}
	}
	waits := map[string][]time.Duration{}
	names := map[fate]string{arrives: "check", missed: "missed-check", swallowed: "swallowed-check"}
	for _, build := range d.builds {
		at, name := created[build.sha], names[build.fate]
		waits[name] = append(waits[name], at.Sub(build.red))
		if stored, ok := d.arrived[build.sha]; ok && build.fate == arrives { // without the stand-in's own part
			waits["stored-to-check"] = append(waits["stored-to-check"], at.Sub(stored))
		}
	}
	for name, list := range waits {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2].Seconds(), name+"-p50-s")
		b.ReportMetric(list[len(list)*99/100].Seconds(), name+"-p99-s")
	}
	for name, kib := range d.use.peaks {
		b.ReportMetric(float64(kib)/1024, strings.ReplaceAll(name, " ", "-")+"-MiB")
	}
	for name, used := range d.use.processor() {
		b.ReportMetric(used.Seconds(), strings.ReplaceAll(name, " ", "-")+"-cpu-s")
	}
	b.ReportMetric(float64(len(d.stored)), "deliveries")
	b.ReportMetric(float64(len(d.stored))/d.ended.Seconds(), "deliveries/s")
	b.ReportMetric(d.ended.Seconds(), "answered-s")
	all := 0
	var lines []string
	for name, n := range requests {
		all += n
		lines = append(lines, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(lines)
	b.ReportMetric(float64(all)/float64(len(d.builds)), "requests/build")
	fmt.Printf("%d requests to GitHub: %s\n", all, strings.Join(lines, ", ")) // a benchmark's log has ten lines at most
}
