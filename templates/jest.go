package templates

import (
	"path"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
)

// jest holds the words for Jest's tests: for places of state with names such as "var FILE NAME" or
// "env NAME", and for the functions that restore them.
var jest = wording{
	places: map[patch.Location]string{
		patch.VictimStart:      "at the start of the test",
		patch.VictimSetup:      "in beforeEach around the test",
		patch.PolluterTeardown: "in afterEach around the polluter",
		patch.PolluterEnd:      "at the end of the polluter",
	},
	group: "file", state: jestState, short: jestState, listed: jestState, changed: jestChange, missing: jestMissing,
}

// ofGlobals stands in the place of a file for a mock that is reached from a global.
const ofGlobals = "global"

// jestState is a place of state, or several, for people.
func jestState(place string) string {
	if first, rest, several := strings.Cut(place, ", "); several {
		return jestState(first) + " and " + jestState(rest)
	}
	kind, rest, ok := strings.Cut(place, " ")
	file, name, _ := strings.Cut(rest, " ")
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
		return name + " of " + path.Base(file)
	case kind == "env":
		return "process.env." + rest
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
	}
	return place
}

// jestChange is the access path, with the file whose variable it begins with.
func jestChange(c job.StateChange) string {
	kind, rest, _ := strings.Cut(c.Field, " ")
	if file, _, _ := strings.Cut(rest, " "); (kind == "var" || kind == "mock") && file != ofGlobals {
		return c.Path + " of " + path.Base(file)
	}
	return c.Path
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
