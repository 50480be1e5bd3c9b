package investigate

import (
	"slices"
	"testing"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/verdict"
)

// TestOtherSystems: the red check of another CI system has annotations and nothing else.
func TestOtherSystems(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	other, err := h.AddApp(githubtest.AppSpec{Name: "other-ci", WebhookURL: "http://127.0.0.1:9/",
		Secret: investigatetest.Secret, Permissions: map[string]string{"checks": "write"}})
	h.Must(err)
	other.Hold()
	client := h.Client(other, other.Install(h.Owner))
	p := h.Pull(nil)
	note := func(path, title, message string) *gh.CheckRunAnnotation {
		return &gh.CheckRunAnnotation{Path: gh.String(path), StartLine: gh.Int(1), EndLine: gh.Int(1),
			AnnotationLevel: gh.String("failure"), Title: gh.String(title), Message: gh.String(message)}
	}
	red := func(name string, notes ...*gh.CheckRunAnnotation) {
		t.Helper()
		_, _, err := client.Checks.CreateCheckRun(h.Ctx, "acme", "shop", gh.CreateCheckRunOptions{
			Name: name, HeadSHA: p.HeadSha(), Status: gh.String("completed"), Conclusion: gh.String("failure"),
			Output: &gh.CheckRunOutput{Title: gh.String("red"), Summary: gh.String("It failed."), Annotations: notes},
		})
		h.Must(err)
	}
	red("style", note("src/main/java/com/example/shop/Settings.java", "line too long", "100 columns"))
	red("tests", note("src/test/java/com/example/shop/ReceiptTest.java", "ReceiptTest.printsTheTotal",
		"expected:<5[.]00 EUR> but was:<5[,]00 EUR>"),
		note("pom.xml", "exit code 1", "Process completed with exit code 1."))
	if list := h.settled(p, 1); list[0].State != store.Done {
		t.Fatalf("%+v", list)
	}
	jobs := h.asked()
	if len(jobs) != 1 || !slices.Equal(jobs[0].Tests, []string{"com.example.shop.ReceiptTest#printsTheTotal"}) {
		t.Fatalf("%+v", jobs)
	}
	if o := jobs[0].Order; o == nil || o.Provenance != suite.Inferred || o.Source != `annotations of the check "tests"` {
		t.Errorf("%+v", jobs[0].Order)
	}
	if s := h.Posted(p); len(s.Checks) != 1 || s.Reviews != 1 {
		t.Errorf("%d checks, %d reviews", len(s.Checks), s.Reviews)
	}
	h.Push(p, "fixed")
	conclude := func(name, conclusion string) {
		t.Helper()
		_, _, err := client.Checks.CreateCheckRun(h.Ctx, "acme", "shop", gh.CreateCheckRunOptions{
			Name: name, HeadSHA: p.HeadSha(), Status: gh.String("completed"), Conclusion: gh.String(conclusion)})
		h.Must(err)
	}
	isSettled := func() bool {
		m, _ := verdict.FindMarker(h.Posted(p).Causes()[0])
		return m.Settled
	}
	conclude("style", "failure")
	conclude("tests", "success")
	h.settled(p, 1)
	if isSettled() {
		t.Error("another check is red, and the cause passes for gone")
	}
	conclude("style", "success")
	h.settled(p, 1)
	if !isSettled() {
		t.Error("every check is green, and the comment is not settled")
	}
}

// TestOtherSystemLater: the red check of another CI system is read, too, if it comes after a red
// run of Actions without failing tests, whose log was read and which costs nothing more.
func TestOtherSystemLater(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	other, err := h.AddApp(githubtest.AppSpec{Name: "other-ci", WebhookURL: "http://127.0.0.1:9/",
		Secret: investigatetest.Secret, Permissions: map[string]string{"checks": "write"}})
	h.Must(err)
	other.Hold()
	p := h.Pull(nil)
	h.Red(p, []byte("2026-05-04T03:02:01.0000001Z src/A.java:3: line too long\n"))
	if list := h.settled(p, 1); len(list) != 1 || list[0].State != store.Cancelled {
		t.Fatalf("%+v", list)
	}
	_, _, err = h.Client(other, other.Install(h.Owner)).Checks.CreateCheckRun(h.Ctx, "acme", "shop", gh.CreateCheckRunOptions{
		Name: "tests", HeadSHA: p.HeadSha(), Status: gh.String("completed"), Conclusion: gh.String("failure"),
		Output: &gh.CheckRunOutput{Title: gh.String("red"), Summary: gh.String("It failed."), Annotations: []*gh.CheckRunAnnotation{{
			Path: gh.String("src/test/java/com/example/shop/ReceiptTest.java"), StartLine: gh.Int(1), EndLine: gh.Int(1),
			AnnotationLevel: gh.String("failure"), Title: gh.String("ReceiptTest.printsTheTotal"),
			Message: gh.String("expected:<5[.]00 EUR> but was:<5[,]00 EUR>")}}},
	})
	h.Must(err)
	h.settled(p, 2)
	if jobs := h.asked(); len(jobs) != 1 || !slices.Equal(jobs[0].Tests, []string{"com.example.shop.ReceiptTest#printsTheTotal"}) {
		t.Errorf("%+v", jobs)
	}
}
