package templates

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/state"
)

// java holds the words for JUnit's tests: for places of state with names such as
// "package.Class.field", and for the reset methods that restore them.
var java = wording{
	places: map[patch.Location]string{
		patch.VictimStart:           "at the start of the test",
		patch.VictimSetup:           "in the setup of the test's class",
		patch.VictimSetupStart:      "at the start of the setup of the test's class",
		patch.PolluterTeardown:      "in the teardown of the polluter's class",
		patch.PolluterClassTeardown: "in the teardown of the polluter's class, once after all its tests",
		patch.PolluterEnd:           "at the end of the polluter",
	},
	spots: map[patch.Location]string{
		patch.VictimStart:           "at the start of TEST",
		patch.VictimSetup:           "before each test of UNIT",
		patch.VictimSetupStart:      "at the start of the setup of UNIT",
		patch.PolluterTeardown:      "after each test of UNIT",
		patch.PolluterClassTeardown: "once after all tests of UNIT",
		patch.PolluterEnd:           "at the end of TEST",
	},
	group: "class",
	state: stateName, short: shortPlace, listed: func(place string) string { return place },
	changed: shortChange, missing: missing,
}

// processNames are words for state of the process that fields of the JDK hold.
var processNames = map[string]string{
	"java.util.Locale.defaultLocale":                   "the default locale",
	"java.util.TimeZone.defaultTimeZone":               "the default time zone",
	"java.lang.System.out":                             "System.out",
	"java.lang.System.err":                             "System.err",
	"java.lang.System.in":                              "System.in",
	"java.lang.Thread.defaultUncaughtExceptionHandler": "the default handler of uncaught exceptions",
}

// shortChange is the access path with its class's simple name.
func shortChange(c job.StateChange) string {
	return shortPlace(c.Field) + strings.TrimPrefix(c.Path, c.Field)
}

// stateName is a place of state, or several, for people.
func stateName(place string) string {
	if strings.HasPrefix(place, job.LeftFile) {
		return place
	}
	if first, rest, several := strings.Cut(place, ", "); several {
		return stateName(first) + " and " + stateName(rest)
	}
	if name, ok := processNames[place]; ok {
		return name
	}
	if strings.HasPrefix(place, "system property ") {
		return "the " + place
	}
	if class, ok := strings.CutPrefix(place, state.LeftOpen); ok {
		return state.LeftOpen + class[strings.LastIndexByte(class, '.')+1:]
	}
	if strings.Contains(place, " ") { // "the level of the logger com.acme"
		return place
	}
	return shortPlace(place)
}

// missing names the reset methods that would let a test clean up, and the classes that lack them.
func missing(t job.TestReport) string {
	var names, classes []string
	for _, f := range t.NoReset {
		short := shortPlace(f)
		class := short[:max(0, strings.LastIndexByte(short, '.'))]
		if class != "" && !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
		names = append(names, short)
	}
	if t.OtherLoader {
		return "no call that was tried resets " + strings.Join(names, " or ") +
			" where another class loader than that of the class path has loaded " + strings.Join(classes, " and ") +
			": only code that comes from that class loader can"
	}
	if len(t.NoResetOfTests) == len(t.NoReset) {
		verb, them := " is", "it"
		if len(names) > 1 {
			verb, them = " are", "they"
		}
		return "no call that was tried resets " + strings.Join(names, " or ") + ", which" + verb +
			" static in a test class; made anew for each test (@Before, or @BeforeEach), in a field that is not static, " +
			them + " would reach no other test"
	}
	where := ""
	if len(classes) > 0 {
		where = " in " + strings.Join(classes, " and ")
	}
	return "no call that was tried resets " + strings.Join(names, " or ") + "; a method" + where +
		" like " + resetMethod(t, classes) + " would let a test clean up"
}

// reflectable names the way to ask for a patch by reflection.
func reflectable(t job.TestReport, asked string) string {
	if len(t.Reflectable) < len(t.NoReset) {
		return ""
	}
	return "; where that cannot be had, " + asked + " looks for a patch that reaches the private " +
		plural(len(t.NoReset), "field", "fields") + " by reflection"
}

// maxBody is how long the statements of a reset method may be to be shown.
const maxBody = 120

// resetMethod is the method that is missing. It has its body where one class needs one and the
// whole body is known.
func resetMethod(t job.TestReport, classes []string) string {
	const signature = "static void reset()"
	var body []string
	for _, f := range t.NoReset {
		if s := t.ResetBodies[f]; s != "" {
			body = append(body, s)
		}
	}
	text := strings.Join(body, " ")
	if len(classes) != 1 || len(body) < len(t.NoReset) || len(text) > maxBody {
		return signature
	}
	return signature + " { " + text + " }"
}
