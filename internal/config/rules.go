package config

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Bounds of every file. The first two are also in the schema.
const (
	maxItems = 200 // of one list
	maxText  = 300 // characters of one text
	MaxBytes = 64 << 10
	maxDepth = 12
)

// rule describes the valid texts of a kind. Patterns must mean the same in Go and in ECMAScript,
// since editors read the schema.
type rule struct {
	enum    []string
	pattern string
	not     string
	format  string // as JSON Schema names it
	wrong   string // the message for an invalid text, after "which "
	hint    string // what to write instead
}

const oneLine = `^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$`

// rules has a row for each kind of text.
var rules = map[reflect.Type]rule{
	reflect.TypeFor[Name](): {pattern: oneLine, wrong: "is not one line of text", hint: "Write a name; * stands for anything."},
	reflect.TypeFor[Word](): {pattern: oneLine, wrong: "is not one line of text", hint: "Write one word of the command."},
	reflect.TypeFor[Text](): {pattern: oneLine, wrong: "is not one line of text", hint: "Write one line."},
	reflect.TypeFor[Path](): {
		pattern: `^[^\x00-\x1f\x7f\\/:\[\]{}][^\x00-\x1f\x7f\\:\[\]{}]*$`, not: `(^|/)\.\.(/|$)`,
		wrong: "is no path from the top of the repository",
		hint:  "Write it with slashes, without a leading one, without .. and without [ ] { } : or backslashes, such as src/test/** .",
	},
	reflect.TypeFor[EnvName](): {
		pattern: `^[A-Za-z_][A-Za-z0-9_]*$`, not: `([Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Aa][Ss][Ss][Ww]([Oo][Rr])?[Dd]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll]|[Pp][Rr][Ii][Vv][Aa][Tt][Ee]_?[Kk][Ee][Yy]|[Aa][Pp][Ii]_?[Kk][Ee][Yy])`,
		wrong: "cannot be given to tests", hint: "Write the name alone, without a value; names of tokens, " +
			"passwords, keys and other secrets are refused, because tests never get secrets.",
	},
	reflect.TypeFor[Date](): {pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, format: "date", wrong: "is no day",
		hint: "Write year, month and day, such as 2027-01-31."},

	reflect.TypeFor[Tone]():      words(Full, Short),
	reflect.TypeFor[Technique](): words(append(Techniques, rewind)...),
	reflect.TypeFor[Place]():     words(AnyPlace, PolluterTeardown, VictimSetup, VictimStart),
	reflect.TypeFor[Rung]():      words(Suggestion, FileComment, Comment, Stacked, Commit),
	reflect.TypeFor[AlsoOn]():    words(OnFlaky, OnNotReproduced, OnUndecided),
	reflect.TypeFor[Ban]():       words(BanEnabling, BanNetwork, BanEnvironment, BanCommands, BanIgnoring, BanUnapproved, BanStacked, BanCommit),

	reflect.TypeFor[ApprovalWhen](): words(InPublic, Always, Never),
}

func words[T ~string](list ...T) rule {
	r := rule{}
	for _, w := range list {
		r.enum = append(r.enum, string(w))
	}
	return r
}

// compiled holds the rules' patterns.
var compiled = func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for _, r := range rules {
		for _, p := range []string{r.pattern, r.not} {
			if p != "" {
				out[p] = regexp.MustCompile(p)
			}
		}
	}
	return out
}()

// allows reports whether a text is valid.
func (r rule) allows(s string) bool {
	if r.enum != nil {
		return slices.Contains(r.enum, s)
	}
	if n := utf8.RuneCountInString(s); n == 0 || n > maxText {
		return false
	}
	if r.format == "date" {
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return false
		}
	}
	return compiled[r.pattern].MatchString(s) && (r.not == "" || !compiled[r.not].MatchString(s))
}

// bounds are the minimum and maximum of a number.
func bounds(tag reflect.StructTag) (least, most int) {
	least, err := strconv.Atoi(tag.Get("min"))
	most, err2 := strconv.Atoi(tag.Get("max"))
	if err != nil || err2 != nil {
		panic("config: a number without bounds: " + string(tag))
	}
	return least, most
}
