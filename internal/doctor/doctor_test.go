package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

func granted(except ...string) map[string]string {
	out := map[string]string{}
	for _, n := range github.Needs() {
		out[n.Name] = n.Level
	}
	for _, e := range except {
		name, level, _ := strings.Cut(e, ":")
		out[name] = level
	}
	return out
}

func TestClock(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for theirs, want := range map[time.Time]Grade{
		now: Good, now.Add(20 * time.Second): Good, now.Add(-5 * time.Minute): Bad, now.Add(time.Hour): Bad, {}: Warning,
	} {
		hold(t, Clock(now, now, theirs), want, "")
	}
	// A slow answer is not a wrong clock.
	asked, answered := now.Add(-time.Minute), now.Add(time.Minute)
	for _, theirs := range []time.Time{asked, now, answered} {
		hold(t, Clock(asked, answered, theirs), Good, "")
	}
	hold(t, Clock(asked, answered, asked.Add(-40*time.Second)), Bad, " 40s")
	hold(t, Clock(asked, answered, answered.Add(40*time.Second)), Bad, "-40s")
}

func hold(t *testing.T, f Finding, grade Grade, detail string) {
	t.Helper()
	if f.Grade != grade || !strings.Contains(f.Detail, detail) || f.What == "" || f.Detail == "" || (f.Fix == "") != (f.Grade == Good) {
		t.Errorf("%+v: not %s, %q", f, grade, detail)
	}
}

func TestApp(t *testing.T) {
	hook := github.HookSettings{URL: "https://odfix.example.com/webhook", JSON: true, Secret: true}
	whole := github.Standing{Name: "odfix", Permissions: granted(), Events: github.Subscriptions(), Hook: hook}
	for _, f := range App(&whole) {
		hold(t, f, Good, "")
	}
	for name, c := range map[string]struct {
		change func(*github.Standing)
		grade  Grade
		detail string
	}{
		"no checks":    {func(s *github.Standing) { s.Permissions = granted("checks:read") }, Bad, "Checks: write"},
		"no comments":  {func(s *github.Standing) { s.Permissions = granted("pull_requests:read") }, Warning, "Pull requests: write"},
		"writes more":  {func(s *github.Standing) { s.Permissions = granted("contents:write", "issues:write") }, Good, ""},
		"no events":    {func(s *github.Standing) { s.Events = nil }, Bad, "workflow_run, workflow_job"},
		"no address":   {func(s *github.Standing) { s.Hook = github.HookSettings{} }, Bad, "no address"},
		"unsigned":     {func(s *github.Standing) { s.Hook.Secret = false }, Bad, "not signed"},
		"form":         {func(s *github.Standing) { s.Hook.JSON = false }, Bad, "form"},
		"other path":   {func(s *github.Standing) { s.Hook.URL = "https://odfix.example.com/" }, Warning, "listens at /webhook"},
		"behind":       {func(s *github.Standing) { s.Hook.URL = "https://example.com/odfix/webhook" }, Good, ""},
		"plain":        {func(s *github.Standing) { s.Hook.URL = "http://example.com/webhook" }, Warning, "TLS"},
		"unverified":   {func(s *github.Standing) { s.Hook.Insecure = true }, Warning, "TLS"},
		"odd address":  {func(s *github.Standing) { s.Hook.URL = "https://[/webhook" }, Bad, "no address"},
		"its contents": {func(s *github.Standing) { delete(s.Permissions, "contents") }, Bad, "sources"},
	} {
		s := whole
		s.Permissions = granted()
		c.change(&s)
		worst := good("all", "good")
		for _, f := range App(&s) {
			if f.Grade != Good {
				worst = f
			}
		}
		if worst.Grade != c.grade || c.grade != Good && !strings.Contains(worst.Detail, c.detail) {
			t.Errorf("%s: %+v", name, worst)
		}
	}
}

func TestDeliveries(t *testing.T) {
	try := func(status ...int) []github.DeliveryTry {
		var out []github.DeliveryTry
		for _, s := range status {
			out = append(out, github.DeliveryTry{Status: s, Text: "words"})
		}
		return out
	}
	hold(t, Deliveries(nil), Warning, "none")
	hold(t, Deliveries(try(202, 200, 204)), Good, "of the last 3, 3 arrived")
	hold(t, Deliveries(try(401, 202)), Bad, "refused 1 for their signature")
	hold(t, Deliveries(try(0, 202)), Bad, "of the last 2, 1 arrived")
	hold(t, Deliveries(try(502, 202)), Bad, "words")
	hold(t, Deliveries(try(202, 502, 401)), Good, "again at its start")
}

func TestInstallations(t *testing.T) {
	if got := Installations(nil); len(got) != 1 || got[0].Grade != Warning {
		t.Errorf("%+v", got)
	}
	got := Installations([]github.InstallationInfo{{Account: "acme", Permissions: granted()},
		{Account: "old", Permissions: granted("checks:")}, {Account: "asleep", Suspended: true}})
	hold(t, got[0], Good, "")
	hold(t, got[1], Bad, "Checks: write")
	hold(t, got[2], Warning, "suspended")
	if Worst(got) != Bad || Worst(got[:1]) != Good || Worst(got[2:]) != Warning {
		t.Error("another grade is the worst")
	}
}

func TestLocal(t *testing.T) {
	hold(t, Database(&store.Inspection{Name: "sqlite", New: true}, nil), Good, "first start")
	hold(t, Database(&store.Inspection{Name: "sqlite", Pending: []string{"002.sql"}}, nil), Good, "002.sql")
	hold(t, Database(&store.Inspection{Name: "postgres"}, nil), Good, "up to date")
	hold(t, Database(&store.Inspection{Name: "postgres", Unknown: []string{"9.sql"}}, nil), Bad, "9.sql")
	hold(t, Database(nil, errors.New("it is locked")), Bad, "it is locked")
	hold(t, Space("disk", "/x", 100<<20), Bad, "100 MiB")
	hold(t, Space("disk", "/x", 2<<30), Warning, "2.0 GiB")
	hold(t, Space("disk", "/x", 90<<30), Good, "/x")
	hold(t, KeyFile("key", "k.pem", 0o640), Warning, "0640")
	hold(t, KeyFile("key", "k.pem", 0o600), Good, "")
	got := Tools([]Tool{{Name: "java", Needed: "for Maven", Fix: "Install it."},
		{Name: "mvn", Path: "/mvn", Err: errors.New("exit 1"), Fix: "Install it again."}, {Name: "java", Path: "/java", Version: "17"}})
	hold(t, got[0], Bad, "needed for Maven")
	hold(t, got[1], Bad, "exit 1")
	hold(t, got[2], Good, "17 at /java")
	hold(t, Tools([]Tool{{Name: "node", Needed: "for Jest", Optional: true, Fix: "Install it."}})[0], Warning, "needed for Jest")
	hold(t, Sandbox([]string{"bubblewrap", "no network"}, "", nil, false), Good, "bubblewrap; no network")
	hold(t, Sandbox([]string{"bubblewrap"}, "no cgroups", nil, false), Warning, "no cgroups")
	hold(t, Sandbox(nil, "", errors.New("no bwrap"), false), Bad, "no bwrap")
	hold(t, Sandbox(nil, "", nil, true), Warning, "as this user")
	hold(t, JobDisks(20<<30, 20<<30, 2, "/w"), Good, "--runners 2")
	hold(t, JobDisks(20<<30-1, 20<<30, 2, "/w"), Bad, "need 20 GiB in /w")
	hold(t, SharedDisk("no mkfs.ext4"), Warning, "no mkfs.ext4")
	hold(t, Watches(100, 100, false), Good, "100, more")
	hold(t, Watches(99, 100, false), Bad, "may have 99")
	hold(t, Watches(99, 100, true), Warning, "may have 99")
	if fix := Watches(99, 100, false).Fix; !strings.Contains(fix, "sysctl -w fs.epoll.max_user_watches=100`") ||
		!strings.Contains(fix, "echo fs.epoll.max_user_watches=100 |") {
		t.Error(fix)
	}
	low := LowLimits([]string{"fs.file-max=9", "net.ipv4.tcp_mem=1 2 3"})
	if fix := low.Fix; !strings.Contains(fix, "-w 'fs.file-max=9' 'net.ipv4.tcp_mem=1 2 3'`") {
		t.Error(fix)
	}
	if free, err := Free(t.TempDir()); err == nil && free == 0 {
		t.Error("nothing is free")
	}
}
