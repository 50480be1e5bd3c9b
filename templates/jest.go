package templates

import (
	"path"
	"regexp"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/state"
)

// jest holds the words for Jest's tests: for places of state with names such as "var FILE NAME" or
// "env NAME", and for the functions that restore them.
var jest = wording{
	places: map[patch.Location]string{
		patch.VictimStart:           "at the start of the test",
		patch.VictimSetup:           "in beforeEach around the test",
		patch.VictimBlockSetup:      "in beforeAll around the test",
		patch.PolluterTeardown:      "in afterEach around the polluter",
		patch.PolluterClassTeardown: "in afterAll around the polluter",
		patch.PolluterEnd:           "at the end of the polluter",
		patch.PolluterBody:          "in the polluter itself",
	},
	spots: map[patch.Location]string{
		patch.VictimStart:           "at the start of TEST",
		patch.VictimSetup:           "in a `beforeEach` around TEST",
		patch.VictimBlockSetup:      "in the `beforeAll` around TEST",
		patch.PolluterTeardown:      "in an `afterEach` around TEST",
		patch.PolluterClassTeardown: "in an `afterAll` around TEST",
		patch.PolluterEnd:           "at the end of TEST",
		patch.PolluterBody:          "in TEST itself",
	},
	group: "file", variables: true, state: jestState, short: jestState, listed: jestState, changed: jestChange, missing: jestMissing,
}

// ofGlobals stands in the place of a file for a mock that is reached from a global.
const ofGlobals = "global"

// nextState is where another place of state begins. A key, a title and a path may hold a comma, too.
var nextState = regexp.MustCompile(`, (?:(?:var|mock|env|directory|storage|document|core|builtin|spy|listeners|module|global|file|unfinished|the|what|all) ` +
	`|(?:process\.env|window|globalThis)\.|(?:local|session)Storage)`)

// sourceFile is a file, which may hold blanks, and what follows it.
var sourceFile = regexp.MustCompile(`^(.+?\.(?:[cm]?[jt]sx?|vue|svelte|json))(?: (.*))?$`)

// fileAndName splits the name of a variable, a mock, or a part of a store.
func fileAndName(rest string) (file, name string) {
	if m := sourceFile.FindStringSubmatch(rest); m != nil {
		return m[1], m[2]
	}
	file, name, _ = strings.Cut(rest, " ")
	return file, name
}

// jestState is a place of state, or several, for people.
func jestState(place string) string {
	if next := nextState.FindStringIndex(place); next != nil {
		return jestState(place[:next[0]]) + " and " + jestState(place[next[0]+len(", "):])
	}
	if file, is := strings.CutPrefix(place, state.LeftOpen); is {
		return state.LeftOpen + path.Base(file)
	}
	if at, is := strings.CutPrefix(place, state.Unfinished); is {
		return "what " + begun(at) + " begins"
	}
	kind, rest, ok := strings.Cut(place, " ")
	file, name, _ := strings.Cut(rest, " ")
	if kind == "var" || kind == "mock" {
		file, name = fileAndName(rest)
	}
	switch {
	case !ok:
		return place
	case kind == "var" || kind == "mock":
		if name == "" {
			return rest
		}
		if file == ofGlobals {
			return name
		}
		return written(name) + " of " + path.Base(file)
	case kind == "env":
		return "process.env." + rest
	case kind == "directory":
		return "the working directory"
	case kind == "storage":
		return file + "Storage." + name
	case kind == "document":
		return "document." + rest
	case kind == "core", kind == "builtin", kind == "spy":
		return rest
	case kind == "listeners":
		return "the listeners of " + file + " for " + name
	case kind == "module", kind == "global", kind == "file":
		return "the " + place
	case kind == "mocked":
		return "the mock of " + rest + " that jest.doMock has registered"
	case kind == "nock":
		return "the interceptors of nock"
	}
	return place
}

// begun is a line in a source: "line 7 of a.test.js" of "src/a.test.js:7:12".
func begun(place string) string {
	at := strings.Split(place, ":")
	if len(at) < 3 {
		return place
	}
	return "line " + at[len(at)-2] + " of " + path.Base(strings.Join(at[:len(at)-2], ":"))
}

// jestChange is the access path, with the file whose variable it begins with.
func jestChange(c job.StateChange) string {
	kind, rest, _ := strings.Cut(c.Field, " ")
	if file, _ := fileAndName(rest); (kind == "var" || kind == "mock") && file != ofGlobals {
		return written(c.Path) + " of " + path.Base(file)
	}
	if kind == "global" && c.Path == rest && !strings.Contains(rest, ".") {
		return "the global " + rest
	}
	return c.Path
}

// written is an access path as people would write it. Babel calls what a module exports by default _default.
func written(path string) string {
	if rest, ok := strings.CutPrefix(path, "_default"); ok && (rest == "" || strings.ContainsRune(".[", rune(rest[0]))) {
		return "default" + rest
	}
	return path
}

// jestMissing names the state that a test cannot reset.
func jestMissing(t job.TestReport) string {
	var names []string
	for _, place := range t.NoReset {
		names = append(names, jestState(place))
	}
	return "no function that a test could call resets " + strings.Join(names, " or ") +
		"; one that the module exports, such as reset(), would let a test clean up"
}

// settingDoes says what a line of Jest's configuration does before each test.
var settingDoes = map[string]string{
	"clearMocks: true":   "forgets the calls of all mocks before each test",
	"restoreMocks: true": "undoes all spies before each test",
	"resetMocks: true":   "forgets the calls and the answers of all mocks before each test",
}

// alternative says what a setting does and how it compares with a patch; "" for one that is
// unknown. how is "proved" or "checked".
func alternative(setting string, tests int, how string) string {
	if settingDoes[setting] == "" {
		return ""
	}
	return settingDoes[setting] + ", in all files. It fixes " + plural(tests, "this test", "these tests") +
		", too, and is " + how + " in the same way: no other test gets worse. odfix never changes configuration"
}
