package accept

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// set is a vocabulary.
func set[T comparable](words ...T) map[T]bool {
	out := map[T]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

// The vocabularies of a report.
var (
	verdicts = set(suite.Victim, suite.Brittle, suite.VictimBrittle, suite.FlakyOther, suite.Genuine, suite.Regression, suite.NotReproduced,
		suite.Undecided)
	outcomes    = set(suite.Pass, suite.Fail, suite.Skip, suite.Flaky, suite.Unresolved)
	provenances = set(suite.Exact, suite.Partial, suite.Inferred)
	prices      = []suite.Price{suite.Fresh, suite.Warm, suite.Batched}
	phases      = job.Phases
	kinds       = set(job.FromHelper, job.FromReset, job.FromReflection)
	locations   = set(patch.PolluterTeardown, patch.PolluterClassTeardown, patch.PolluterEnd, patch.VictimSetup, patch.VictimSetupStart, patch.VictimStart, patch.VictimBlockSetup, patch.Declaration, patch.PolluterBody)
	styles      = set("", patch.Inline, patch.Method)
	unpatched   = set(job.AllUnpatched...)
	crashes     = set("exit", "killed", "hang", "protocol", "start", suite.CrashMissing)
)

// known returns a word of the vocabulary, and "" instead of any other word.
func known[T ~string](word T, of map[T]bool) T {
	if !of[word] {
		return ""
	}
	return word
}

// Verdict reports whether it is one of odfix's verdicts.
func Verdict(v string) bool { return verdicts[suite.Verdict(v)] }

// Phase reports whether it is one of odfix's phases.
func Phase(p string) bool { return slices.Contains(phases, p) }

// The bounds of numbers: more is a mistake or a lie.
const (
	maxCount   = 1 << 30
	maxSeconds = 24 * 60 * 60
	maxID      = 3 << 10 // bytes, as in CI's logs
	maxName    = 255     // bytes of a file's name, as on disk
	maxDepth   = 40      // folders of a test's file
)

func count(n int) int { return max(0, min(n, maxCount)) }

func seconds(s float64) float64 { return max(0, min(s, maxSeconds)) }

// cost takes the known phases and prices.
func cost(c job.Cost) job.Cost {
	out := job.Cost{Questions: map[suite.Price]int{}, Tests: count(c.Tests), Seconds: map[string]float64{}, Total: seconds(c.Total),
		FirstPatch: seconds(c.FirstPatch)}
	for _, p := range prices {
		if n, ok := c.Questions[p]; ok {
			out.Questions[p] = count(n)
		}
	}
	for _, p := range phases {
		if s, ok := c.Seconds[p]; ok {
			out.Seconds[p] = seconds(s)
		}
	}
	return out
}

// cut is the beginning of a text, as valid UTF-8.
func cut(s string, most int) string {
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// line is a short text.
func line(s string) string { return cut(s, 500) }

var identifier = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,79}$`)

// word is a text that is one word of plain letters, or "".
func word(s string) string {
	if !identifier.MatchString(s) {
		return ""
	}
	return s
}

func head[T any](all []T, most int) []T { return all[:min(len(all), most)] }

func list(all []string, most, size int) []string {
	var out []string
	for _, s := range head(all, most) {
		out = append(out, cut(s, size))
	}
	return out
}

// Places of state stand in sentences of comments, so they are qualified names of Java's. Odfix names
// no such places for Jest.
var (
	placeForm = regexp.MustCompile(`^` + name + `(?:\.` + name + `)+$`)
	// resetStatement is a statement of a method that odfix wants: a call without arguments, or a plain
	// value. One with a text that has blanks is left out.
	resetStatement = regexp.MustCompile(`^[\pL\pN_$.]{1,200}(?:\(\)| = (?:[\w.-]{1,100}|"[\w.:/-]{0,40}"|'[^'\\]'|new [\w$.]{1,200}(?:<>)?\(\)));$`)
)

// places takes the places of state that are names.
func (a *acceptor) places(all []string) []string {
	if a.scope.Language == Jest {
		return nil
	}
	return suite.Filter(head(all, maxPlaces), func(s string) bool { return len(s) <= maxID && placeForm.MatchString(s) })
}

// maxPlaces is how many places without a reset method odfix names. Their names stand in a sentence.
const maxPlaces = 3

func bodies(all map[string]string) map[string]string {
	if len(all) == 0 || len(all) > maxList {
		return nil
	}
	out := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if placeForm.MatchString(k) && resetStatement.MatchString(all[k]) {
			out[k] = all[k]
		}
	}
	return out
}

func failure(f *suite.Failure) *suite.Failure {
	if f == nil {
		return nil
	}
	return &suite.Failure{Type: line(f.Type), Message: cut(f.Message, maxText), Stack: cut(f.Stack, maxText)}
}

// class is the binary name of a class, and before '>' the suite class that runs it. Kotlin's names can
// hold all but what the JVM, file systems and Surefire's patterns do not take as a part of a name.
var class = regexp.MustCompile(`^(?:` + binary + `>)?` + binary + `$`)

const (
	name   = `[\pL_$][\pL\pN\pM_$]*`
	part   = `[^\s\pZ\p{Cf}.;\[/\\<>:#,*+!%?"]+(?: [^\s\pZ\p{Cf}.;\[/\\<>:#,*+!%?"]+)*`
	binary = part + `(?:\.` + part + `)*`
)

// valid reports whether a test's id has the form of the language's ids. A title may hold any
// printable text; it is quoted wherever it is shown.
func (a *acceptor) valid(t suite.TestID) bool {
	id := string(t)
	if id == "" || len(id) > maxID || !utf8.ValidString(id) || strings.IndexFunc(id, unicode.IsControl) >= 0 {
		return false
	}
	if a.scope.Language == Jest {
		file := jestid.File(t)
		return patch.Local(file) && strings.Count(file, "/") < maxDepth && jestid.IsSource(file)
	}
	return class.MatchString(junitid.Class(t))
}

// order takes an order whose ids are all valid.
func (a *acceptor) order(o suite.Order) (suite.Order, bool) {
	if len(o) > maxOrder || len(o) > a.left {
		return nil, false
	}
	a.left -= len(o)
	for _, t := range o {
		if !a.valid(t) {
			return nil, false
		}
	}
	return slices.Clone(o), true
}

// orders takes the orders that are valid and not empty.
func (a *acceptor) orders(all []suite.Order) []suite.Order {
	var out []suite.Order
	for _, o := range head(all, maxGroups) {
		if o, ok := a.order(o); ok && len(o) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// variants of an order are those that diagnose makes of it.
var variants = set("each class's tests reversed", "each file's tests reversed",
	"failing tests last in their class", "failing tests last in their file")

func (a *acceptor) seen(s *suite.Seen) *suite.Seen {
	if s == nil || !provenances[s.Provenance] {
		return nil
	}
	o, ok := a.order(s.Order)
	if !ok {
		return nil
	}
	seen := &suite.Seen{Provenance: s.Provenance, Order: o}
	variant, of := strings.CutPrefix(s.Source, a.scope.OrderSource)
	if s.Source == "alone" || of && (variant == "" || variants[strings.TrimPrefix(variant, ", ")]) {
		seen.Source = s.Source // templates have words for other orders that the runner made
	}
	return seen
}
