package investigate

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// TestForgedProof: what only the first runner has proved is not posted. The diagnosis is.
func TestForgedProof(t *testing.T) {
	change := func(do func(*job.Report)) func(context.Context, job.Job) (*job.Report, error) {
		return func(_ context.Context, j job.Job) (*job.Report, error) {
			r := investigatetest.Echo(j)
			do(r)
			return r, nil
		}
	}
	first := func(r *job.Report) *job.Patch { return &r.Tests[0].Patches[0] }
	for name, verify := range map[string]func(context.Context, job.Job) (*job.Report, error){
		"is not proved": change(func(r *job.Report) { first(r).Proof = job.Proof{} }),
		"is missing":    change(func(r *job.Report) { r.Tests[0].Patches = nil }),
		"another test":  change(func(r *job.Report) { r.Tests[0].Test = "com.example.shop.ReceiptTest#other" }),
		"another patch": change(func(r *job.Report) {
			first(r).SetDiff(strings.Replace(first(r).RawDiff(), "Settings.reset();", "Settings.other();", 1))
		}),
		"another verdict": change(func(r *job.Report) { r.Tests[0].Verdict = "genuine" }),
		"an error":        change(func(r *job.Report) { r.Error = &job.Error{Code: "bad-report", Message: "x"} }),
		"no report": func(context.Context, job.Job) (*job.Report, error) {
			return nil, &job.Error{Code: "runner-died", Message: "x"}
		},
		"no network": func(context.Context, job.Job) (*job.Report, error) { return nil, io.ErrUnexpectedEOF },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			h.runner.Verify = verify
			p := h.Pull(nil)
			h.red(p, "demo.log")
			list := h.settled(p, 1)
			s := h.Posted(p)
			if n := len(h.runner.Proofs()); list[0].State != store.Done || len(s.Checks) != 1 || n == 0 || n > mostAttempts {
				t.Fatalf("%+v, %d checks, %d second jobs", list[0], len(s.Checks), n)
			}
			text := s.Checks[0].GetOutput().GetSummary() + s.Checks[0].GetOutput().GetText() + strings.Join(s.Causes(), "")
			wantNotIn(t, text, "Settings.reset();", "Proved", "```suggestion", "A change is proved")
			wantIn(t, text, "ReceiptTest#printsTheTotal", "could not be proved", "did not prove it")
		})
	}
}

// TestSecondRunnerBeginsAnew: it gets the commit and the patch. Nothing that the first runner could
// write reaches it, neither files nor texts.
func TestSecondRunnerBeginsAnew(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.Configure("version: 1\njdk: 99\nbudgets: {proof-minutes: 7}\n")
	h.runner.Change = func(r *job.Report) {
		x := &r.Tests[0]
		x.Reason, x.Notes, x.Evidence[0].Why = "EV1L", []string{"EV1L"}, "EV1L"
		r.Tool, r.Notes, r.Project.Provider = "EV1L", []string{"EV1L"}, "EV1L"
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	proofs := h.runner.Proofs()
	if len(proofs) != 1 || len(h.asked()) != 1 || h.Posted(p).Reviews != 1 {
		t.Fatalf("%d second jobs, %d first ones, %d reviews", len(proofs), len(h.asked()), h.Posted(p).Reviews)
	}
	out := h.Posted(p).Checks[0].GetOutput()
	if text := out.GetSummary() + out.GetText(); strings.Count(text, "JDK") != 1 {
		t.Errorf("the note on the JDK is there %d times", strings.Count(text, "JDK"))
	}
	one, two := h.asked()[0], proofs[0]
	if two.Kind != job.KindVerify || two.Dir == one.Dir || two.Work == one.Work || two.Budget != 7*time.Minute || two.MaxReport != maxReport {
		t.Errorf("%+v after %+v", two, one)
	}
	c := two.Report
	if len(c.Tests) != 1 || len(c.Tests[0].Patches) != 1 || c.Tool != "" || len(c.Notes)+len(c.Tests[0].Notes)+len(c.Tests[0].Evidence) > 0 ||
		c.Tests[0].Reason != "" || c.Project.Provider != "" {
		t.Errorf("%+v", c)
	}
}

// TestAlternative: a second patch is shown where the second runner has proved it, too. Of further
// patches, however many the first runner claims, the second runner gets none.
func TestAlternative(t *testing.T) {
	for _, proved := range []bool{true, false} {
		h := newHub(t, githubtest.Config{}, "demo.report.json")
		h.runner.Change = func(r *job.Report) {
			x := &r.Tests[0]
			for _, other := range []string{"Settings.other();", "Settings.third();"} {
				p := x.Patches[0]
				p.SetDiff(strings.Replace(p.RawDiff(), "Settings.reset();", other, 1))
				x.Patches = append(x.Patches, p)
			}
		}
		h.runner.Verify = func(_ context.Context, j job.Job) (*job.Report, error) {
			r := investigatetest.Echo(j)
			for i := range r.Tests[0].Patches[1:] {
				r.Tests[0].Patches[1+i].Proof.Proved = proved
			}
			return r, nil
		}
		p := h.Pull(nil)
		h.red(p, "demo.log")
		h.settled(p, 1)
		if n := len(h.runner.Proofs()[0].Report.Tests[0].Patches); n != 2 || !h.asked()[0].Choice {
			t.Errorf("the second runner got %d patches of %+v", n, h.asked()[0])
		}
		text := strings.Join(h.Posted(p).Causes(), "")
		wantIn(t, text, "Settings.reset();")
		wantNotIn(t, text, "Settings.third();")
		if shown := strings.Contains(text, "<summary>Alternative: another change that is proved</summary>") &&
			strings.Contains(text, "Settings.other();"); shown != proved {
			t.Errorf("proved %v: %s", proved, text)
		}
	}
}

// TestProcessDiesWithDraft: the first job is not repeated, and its result is not lost.
func TestProcessDiesWithDraft(t *testing.T) {
	for name, kill := range map[string]func(h *hub, ctx context.Context) error{
		"no heartbeat": func(h *hub, _ context.Context) error {
			h.advance(2 * DefaultPace.Silence)
			h.Must(h.s.reap(h.Ctx, reapArgs{}))
			h.settle()
			return nil
		},
		"network": func(*hub, context.Context) error { return errors.New("broken pipe") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
			h.github(githubtest.Config{})
			h.adjust = func(o *Options) { o.Pace.Beat, o.Pace.Progress = time.Hour, time.Hour }
			h.serve(h.runner)
			h.runner.Verify = func(ctx context.Context, j job.Job) (*job.Report, error) {
				h.runner.Verify = nil
				return investigatetest.Echo(j), kill(h, ctx)
			}
			p := h.Pull(nil)
			h.red(p, "demo.log")
			list := h.settled(p, 1)
			if s := h.Posted(p); list[0].State != store.Done || len(h.asked()) != 1 || len(h.runner.Proofs()) != 2 ||
				len(s.Checks) != 1 || len(s.Causes()) != 1 || s.Reviews != 1 {
				t.Errorf("%+v, %d jobs, %d second jobs, %d comments", list[0], len(h.asked()), len(h.runner.Proofs()), len(s.Causes()))
			}
		})
	}
}

// TestUnconfirmedReport: a report that an older odfix stored has no patch and no command.
func TestUnconfirmedReport(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	handle(h, worker[publishArgs]{s: h.s, do: func(ctx context.Context, a publishArgs) error {
		var ev evidence
		h.Must(h.db.Do(ctx, func(tx *store.Tx) error {
			if err := tx.Evidence(a.ID, &ev); err != nil {
				return err
			}
			ev.Confirmed = false
			return tx.SaveEvidence(a.ID, ev)
		}))
		return h.s.publish(ctx, a)
	}})
	h.red(p, "demo.log")
	h.settled(p, 1)
	s := h.Posted(p)
	if len(s.Causes()) != 1 || s.Reviews != 0 {
		t.Fatalf("%d comments, %d reviews", len(s.Causes()), s.Reviews)
	}
	wantNotIn(t, s.Causes()[0], "Settings.reset();", "mvn ")
}

// TestAttackTwinOfAPatch: beside the patch that the second runner gets, the report has the same one
// in other words, which would be of a kind and at a place that the configuration wants.
func TestAttackTwinOfAPatch(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.Configure("version: 1\nrepair: {place: victim-setup}\ntechniques: [reset]\n")
	h.runner.Change = func(r *job.Report) {
		a := &r.Tests[0]
		twin := a.Patches[0]
		twin.Kind, twin.Location, twin.At, twin.Helper, twin.StatementIDs = job.FromReset, patch.VictimSetup, a.Test, nil, nil
		twin.Statements, twin.Why = []string{"Forged.harmless();"}, "a second runner has read it"
		a.Patches = append(a.Patches, twin)
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	s := h.Posted(p)
	text := s.Checks[0].GetOutput().GetSummary() + s.Checks[0].GetOutput().GetText() + strings.Join(s.Causes(), "")
	wantNotIn(t, text, "Forged", "a second runner has read it", "```suggestion")
	wantIn(t, text, "a change is proved, but of the kind helper, which the configuration does not want")
}

// TestAttackWordsAboutAPatch: what is said about a patch is what the second runner says.
func TestAttackWordsAboutAPatch(t *testing.T) {
	for kind, shown := range map[string]bool{job.FromHelper: true, job.FromReflection: false} {
		h := newHub(t, githubtest.Config{}, "demo.report.json")
		why := job.Why{Location: patch.PolluterTeardown, Places: 1}.Sentence(suite.Nouns{Group: "class", Groups: "classes"})
		h.runner.Change = func(r *job.Report) {
			x := &r.Tests[0].Patches[0]
			x.Statements, x.Why = []string{"Forged.harmless();"}, "a person has read it"
		}
		h.runner.Verify = func(_ context.Context, j job.Job) (*job.Report, error) {
			r := investigatetest.Echo(j)
			x := &r.Tests[0].Patches[0]
			x.Kind, x.Statements, x.Why = kind, []string{"Settings.reset();"}, why
			return r, nil
		}
		p := h.Pull(nil)
		h.red(p, "demo.log")
		h.settled(p, 1)
		text := strings.Join(h.Posted(p).Causes(), "")
		wantNotIn(t, text, "Forged", "a person has read it")
		if strings.Contains(text, why) != shown || strings.Contains(text, "```suggestion") != shown {
			t.Errorf("%s: %s", kind, text)
		}
	}
}
