package verdict

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// evil are texts that tests, messages and paths may hold. Each has a word that
// only foreign text has: EV1L.
var evil = []string{
	"@everyone EV1L", "EV1L#1 acme/shop#2 GH-3", "https://EV1L.example.com www.EV1L.example.com EV1L@example.com",
	"**EV1L**", "[EV1L](https://x.example.com)", "![EV1L](https://x.example.com/p.png)", "<img src=x onerror=EV1L()>", "<!-- EV1L -->",
	"--> <script>EV1L</script>", "<!-- odfix:1 0123456789abcdef e30= -->\nEV1L", "`EV1L`", "``EV1L` @everyone",
	"`", "```", "EV1L```\n```suggestion\nrm\n```",
	"EV1L\n\n```\n@everyone\n", "~~~\nEV1L", "\n# EV1L", "\n- [ ] EV1L", "\n| EV1L | b |\n|---|---|\n",
	"</details>EV1L", "</summary>\n\nEV1L",
	"EV1L\x00\x1b[31m\u202eabc\u2028\u200b", "\xff\xfeEV1L", "$EV1L$ $$x$$", ":tada: EV1L", "&lt;EV1L&#64;everyone", "\\EV1L\\`@x\\`",
	"EV1L\r\n@everyone\r\n", " EV1L ", "", strings.Repeat("EV1L ", 2000), strings.Repeat("`", 5000) + "EV1L",
	strings.Repeat("<\x01", 300) + "EV1L", strings.Repeat("EV1L\n", 500), "EV1L.class$a+b(c)", "END\n'; touch EV1L; '",
}

// huge are texts of which each alone is longer than GitHub allows a body to be.
var huge = []string{strings.Repeat("EV1L ", 14000), strings.Repeat("EV1L\n", 14000)}

// poisoned sets every string that a report can hold.
func poisoned(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != reflect.TypeFor[suite.Verdict]() && v.Type() != reflect.TypeFor[patch.Location]() {
			v.SetString(s)
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		poisoned(v.Elem(), s)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			poisoned(v.Index(i), s)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type.Kind() != reflect.Map && f.Name != "Started" && f.Name != "Detection" {
				poisoned(v.Field(i), s)
			}
		}
	}
}

const plainFile = "src/EvilTest.java"

// hostileInput is a report in which every string is s, with a patch that holds s
// as a line of code, for a pull request that shows its lines.
func hostileInput(s string, verdict suite.Verdict) Input {
	p := job.Patch{Statements: []string{""}, Proof: job.Proof{Checks: []job.Check{{}}}, Fixes: []suite.TestID{""}}
	t := job.TestReport{
		Polluters: []suite.Order{{""}}, StateSetters: []suite.Order{{""}},
		Cleaners:     []suite.Cleaner{{Polluter: suite.Order{""}, Cleaner: suite.Order{""}}},
		MinimalOrder: suite.Order{"", ""}, Evidence: []suite.Answer{{Order: suite.Order{"", "", ""}}},
		Reproduce: []job.Command{{}}, Notes: []string{""}, Patches: []job.Patch{p},
		State: []string{""}, Changes: []job.StateChange{{}}, NoReset: []string{""}, ResetBodies: map[string]string{s: s},
	}
	r := &job.Report{Tests: []job.TestReport{t, t, t}, Notes: []string{""}}
	poisoned(reflect.ValueOf(r), s)
	before := "one\ntwo\nthree\n"
	after := "one\n" + strings.ReplaceAll(s, "\r", "") + "\nthree\n"
	for i := range r.Tests {
		t := &r.Tests[i]
		t.Verdict = verdict
		t.Patches = slices.Clone(t.Patches)
		t.Test = suite.TestID(fmt.Sprint(s, i))
		q := &t.Patches[0]
		q.Proof.Proved, q.Proof.Checks[0].OK, q.Location = true, true, patch.VictimStart
		q.Files, q.Fixes = []string{plainFile}, []suite.TestID{t.Test}
		q.SetDiff(patch.Unified(patch.Edit{Path: plainFile, Before: before, After: after}))
		if i == 2 { // a patch that nobody can read, either
			q.SetDiff(s)
		}
	}
	r.Error = nil
	cfg := config.Defaults()
	cfg.Ladder = append(cfg.Ladder, config.Stacked, config.Commit)
	cfg.Comments.AlsoOn = []config.AlsoOn{config.OnFlaky, config.OnNotReproduced, config.OnUndecided}
	return Input{
		Report: r, Head: texts{plainFile: before},
		Files:   []File{{Path: plainFile, Status: "added", Patch: "@@ -0,0 +1,3 @@\n+one\n+two\n+three"}},
		HeadSHA: strings.Repeat("a", 40), TestedSHA: strings.Repeat("b", 40), Config: cfg, CheckURL: checkURL,
		Commands: true, Notes: []string{s},
	}
}

const checkURL = "https://github.com/acme/shop/runs/7"

// ourHTML is all of HTML that we write ourselves.
var ourHTML = regexp.MustCompile(`^(<!-- odfix:1 [0-9a-f]{16} [A-Za-z0-9+/=]+ -->|<details( open)?>|</details>|<summary>[A-Za-z :,']+</summary>|\s)*$`)

// harmlessBody reads a body as GitHub does and complains about whatever of it
// is neither ours nor quoted.
func harmlessBody(t *testing.T, body string) {
	t.Helper()
	src := []byte(body)
	first := strings.HasPrefix(body, "<!-- odfix:1 ")
	if strings.Count(body, "\x00") > 0 || !utf8.ValidString(body) {
		t.Errorf("bytes that are no text in %.300q", body)
	}
	err := ast.Walk(markdown.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.FencedCodeBlock, *ast.CodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			plain(t, string(n.Segment.Value(src)), body)
		case *ast.String:
			plain(t, string(n.Value), body)
		case *ast.HTMLBlock:
			html := string(n.Lines().Value(src))
			if n.HasClosure() {
				html += string(n.ClosureLine.Value(src))
			}
			if !ourHTML.MatchString(html) || strings.Contains(html, "<!--") && !first {
				t.Errorf("HTML %q in\n%.2000s", html, body)
			}
			first = first && !strings.Contains(html, "<!--")
		case *ast.RawHTML:
			t.Errorf("HTML in a line of\n%.2000s", body)
		case *ast.Link:
			if to := string(n.Destination); to != checkURL && to != templates.HelpPage {
				t.Errorf("a link to %q", n.Destination)
			}
		case *ast.AutoLink, *ast.Image:
			t.Errorf("%s in\n%.2000s", n.Kind(), body)
		default:
			if k := n.Kind().String(); k == "Table" || k == "TaskCheckBox" || k == "Strikethrough" ||
				k == "ThematicBreak" || k == "Blockquote" {
				t.Errorf("%s in\n%.2000s", k, body)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func plain(t *testing.T, s, body string) {
	t.Helper()
	if strings.Contains(s, "EV1L") || strings.ContainsAny(s, "@#$&<>") {
		t.Errorf("%.200q stands outside of quotes in\n%.3000s", s, body)
	}
}

func harmlessPlan(t *testing.T, p Plan) {
	t.Helper()
	within(t, p)
	for _, line := range []string{p.Check.Title} {
		oneLine(t, line)
	}
	for _, a := range p.Check.Annotations {
		oneLine(t, a.Title)
		oneLine(t, a.Message)
	}
	harmlessBody(t, p.Check.Summary)
	harmlessBody(t, p.Check.Text)
	for i := range p.Comments {
		for k := &p.Comments[i]; k != nil; k = k.Below {
			bodies := []string{k.Body, k.Plain, Settled(k.Marker, "abc", k.Plain, "")}
			for _, one := range k.Inline {
				bodies = append(bodies, one.Body)
			}
			if k.Fix != nil {
				oneLine(t, k.Fix.Title)
				bodies = append(bodies, k.Fix.Body)
			}
			for _, b := range bodies {
				if b == "" {
					continue
				}
				harmlessBody(t, b)
				if m, ok := FindMarker(b); !ok || m.Fingerprint() != k.Marker.Fingerprint() {
					t.Errorf("the marker of %.300q", b)
				}
			}
		}
	}
}

func oneLine(t *testing.T, s string) {
	t.Helper()
	if strings.IndexFunc(s, unicode.IsControl) >= 0 || !utf8.ValidString(s) {
		t.Errorf("not a line: %q", s)
	}
}

var allVerdicts = []suite.Verdict{suite.Victim, suite.Brittle, suite.VictimBrittle, suite.FlakyOther,
	suite.Genuine, suite.NotReproduced, suite.Undecided}

// TestHostile: whatever a report holds, it stays in code spans and code blocks.
func TestHostile(t *testing.T) {
	for i, s := range evil {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for _, v := range allVerdicts {
				p := PlanOf(hostileInput(s, v))
				harmlessPlan(t, p)
				if v == suite.Genuine && len(p.Comments) > 0 {
					t.Error("a comment on a genuine failure")
				}
			}
			in := hostileInput(s, suite.Victim)
			in.Report = &job.Report{Error: &job.Error{Code: s, Message: s, Hint: s, Detail: s}}
			harmlessPlan(t, PlanOf(in))
			for _, c := range []Check{Progress(job.Event{Phase: s, Message: s, Test: suite.TestID(s), Best: s}, 3),
				Waiting([]string{s, s}), Superseded(s), Green(s)} {
				harmlessBody(t, c.Summary)
				oneLine(t, c.Title)
			}
		})
	}
}

// TestHugeTexts: no text in a report is too long for a plan.
func TestHugeTexts(t *testing.T) {
	for _, s := range huge {
		harmlessPlan(t, PlanOf(hostileInput(s, suite.Victim)))
	}
}

// exact accepts the hostile patch's suggestions and counts them: a line of code,
// whatever it is, comes out as it was proved.
func exact(t *testing.T, in Input) int {
	t.Helper()
	n := 0
	for _, k := range PlanOf(in).Comments {
		if k.Rung != config.Suggestion {
			continue
		}
		n++
		diff := in.Report.Tests[0].Patches[0].RawDiff()
		want, err := patch.ApplyAll(diff, func(string) (string, error) { return in.Head[plainFile], nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := accept(t, in.Head, k.Inline)[plainFile]; got != want[plainFile] {
			t.Errorf("accepted: %q, want %q", got, want[plainFile])
		}
	}
	return n
}

// TestHostileCode: hostile lines of code are suggested as they are, or not at all.
func TestHostileCode(t *testing.T) {
	n := 0
	for _, s := range evil {
		n += exact(t, hostileInput(s, suite.Victim))
	}
	if n < 20 {
		t.Errorf("only %d of %d are suggested", n, len(evil))
	}
}

func FuzzHostile(f *testing.F) {
	for i, s := range evil {
		if len(s) < 1000 {
			f.Add(s, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, s string, v uint8) {
		in := hostileInput(s, allVerdicts[int(v)%len(allVerdicts)])
		harmlessPlan(t, PlanOf(in))
		exact(t, in)
	})
}
