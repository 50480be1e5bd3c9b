package main

import (
	"slices"
	"testing"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
)

// TestOtherSystems: the red check of another CI system has annotations and nothing else.
func TestOtherSystems(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	other, err := h.AddApp(githubtest.AppSpec{Name: "other-ci", WebhookURL: "http://127.0.0.1:9/", Secret: childSecret, Permissions: map[string]string{"checks": "write"}})
	h.must(err)
	other.Hold()
	client := h.client(other, other.Install(h.owner))
	p := h.pull(nil)
	note := func(path, title, message string) *gh.CheckRunAnnotation {
		return &gh.CheckRunAnnotation{Path: gh.String(path), StartLine: gh.Int(1), EndLine: gh.Int(1), AnnotationLevel: gh.String("failure"), Title: gh.String(title), Message: gh.String(message)}
	}
	red := func(name string, notes ...*gh.CheckRunAnnotation) {
		t.Helper()
		_, _, err := client.Checks.CreateCheckRun(h.ctx, "acme", "shop", gh.CreateCheckRunOptions{
			Name: name, HeadSHA: p.HeadSha(), Status: gh.String("completed"), Conclusion: gh.String("failure"),
			Output: &gh.CheckRunOutput{Title: gh.String("red"), Summary: gh.String("It failed."), Annotations: notes},
		})
		h.must(err)
	}
	red("style", note("src/main/java/com/example/shop/Settings.java", "line too long", "100 columns"))
	red("tests", note("src/test/java/com/example/shop/ReceiptTest.java", "ReceiptTest.printsTheTotal", "expected:<5[.]00 EUR> but was:<5[,]00 EUR>"),
		note("pom.xml", "exit code 1", "Process completed with exit code 1."))
	if list := h.settled(p, 1); list[0].State != store.Done {
		t.Fatalf("%+v", list)
	}
	jobs := h.runner.asked()
	if len(jobs) != 1 || !slices.Equal(jobs[0].Tests, []string{"com.example.shop.ReceiptTest#printsTheTotal"}) {
		t.Fatalf("%+v", jobs)
	}
	if o := jobs[0].Order; o == nil || o.Provenance != job.Inferred || o.Source != `annotations of the check "tests"` {
		t.Errorf("%+v", jobs[0].Order)
	}
	if s := h.see(p); len(s.checks) != 1 || s.reviews != 1 {
		t.Errorf("%d checks, %d reviews", len(s.checks), s.reviews)
	}
	h.push(p, "mended")
	conclude := func(name, conclusion string) {
		t.Helper()
		_, _, err := client.Checks.CreateCheckRun(h.ctx, "acme", "shop", gh.CreateCheckRunOptions{
			Name: name, HeadSHA: p.HeadSha(), Status: gh.String("completed"), Conclusion: gh.String(conclusion)})
		h.must(err)
	}
	isSettled := func() bool {
		m, _ := verdict.FindMarker(h.see(p).ours()[0])
		return m.Settled
	}
	conclude("style", "failure")
	conclude("tests", "success")
	h.settled(p, 1)
	if isSettled() {
		t.Error("another check is red, and the cause passes for gone")
	}
	conclude("style", "success")
	h.must(h.Await(h.ctx, "the comment to be settled", isSettled))
}
