package jest

import (
	"cmp"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// command is how a package's script calls Jest.
type command struct {
	script   string   // the name of the script; "" where none calls Jest
	wrapper  []string // a tool's command that may start Jest, such as react-scripts test; nil: Jest is called directly
	env      []string // "NAME=value", set by the script
	node     []string // options of Node
	args     []string // options of Jest that choose a configuration
	patterns []string // options and arguments of Jest that choose test files
}

// maxScripts bounds how deep scripts call each other.
const maxScripts = 10

// scriptNames are tried in this order; others follow by name.
var scriptNames = []string{"test", "test:unit", "unit", "test:jest", "jest", "test:ci", "test-unit", "tests"}

// findCommand is how the package's scripts call Jest: directly, by a tool that is known to start it,
// or else by any other tool; the zero command is `jest` as it is.
func findCommand(scripts map[string]string) command {
	names := slices.Clone(scriptNames)
	var others []string
	for name := range scripts {
		if !slices.Contains(names, name) && strings.Contains(name, "test") {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	var maybe *command
	for _, name := range append(names, others...) {
		if c, ok := (scriptReader{scripts, false}).script(name, maxScripts); ok {
			c.script = name
			return c
		}
		c, ok := scriptReader{scripts, true}.script(name, maxScripts)
		if c.script = name; ok && c.startsJest() {
			return c
		}
		if ok && maybe == nil {
			maybe = &c
		}
	}
	if maybe != nil {
		return *maybe
	}
	return command{}
}

// startsJest reports whether the script calls a tool that is known to start Jest.
func (c command) startsJest() bool {
	if len(c.wrapper) == 0 {
		return false
	}
	if c.wrapper[0] == "vue-cli-service" {
		return len(c.wrapper) > 1 && c.wrapper[1] == "test:unit"
	}
	return slices.Contains(jestTools, c.wrapper[0])
}

// reachesJest reports whether the test script calls Jest, or a tool that is known to do so.
func reachesJest(scripts map[string]string) bool {
	if _, ok := (scriptReader{scripts, false}).script("test", maxScripts); ok {
		return true
	}
	c, _ := scriptReader{scripts, true}.script("test", maxScripts)
	return c.startsJest()
}

// jestTools start Jest, whatever else they do.
var jestTools = []string{"react-scripts", "react-app-rewired", "craco", "kcd-scripts", "tsdx"}

// otherTools never start Jest in their own process for the package itself.
var otherTools = []string{
	"tsc", "eslint", "prettier", "vitest", "mocha", "ava", "tap", "jasmine", "karma", "playwright", "cypress", "ng", "lerna", "turbo",
	"nx", "rush", "wsrun", "bun", "deno", "tsd", "tstyche", "rm", "rimraf", "echo", "exit", "cd", "cp", "mkdir", "sh", "bash", "make", "web-test-runner", "wtr", "testem", "testcafe",
}

// scriptReader reads a package's scripts. With tools, it looks for commands of other tools that may
// start Jest.
type scriptReader struct {
	scripts map[string]string
	tools   bool
}

func (r scriptReader) script(name string, depth int) (command, bool) {
	text := r.scripts[name]
	if text == "" || depth == 0 {
		return command{}, false
	}
	for _, words := range shellWords(text) {
		if c, ok := r.words(words, depth-1); ok {
			return c, true
		}
	}
	return command{}, false
}

// words reads one simple command of a script.
func (r scriptReader) words(words []string, depth int) (c command, ok bool) {
	node := false
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch base := path.Base(strings.TrimSuffix(strings.ReplaceAll(word, `\`, "/"), ".js")); {
		case isAssignment(word):
			c.env = append(c.env, word)
		case slices.Contains([]string{"cross-env", "cross-env-shell", "env", "npx", "exec", "dotenv", "--",
			"--no-install", "--silent", "-s", "time", "is-ci", "nyc", "c8", "pnpx", "bunx", "run-s", "corepack"}, base):
		case base == "node":
			node = true
			for len(words) > 0 && strings.HasPrefix(words[0], "-") {
				c.node = append(c.node, words[0])
				words = words[1:]
				if takes := []string{"-r", "--require", "--import", "--loader",
					"--experimental-loader"}; slices.Contains(takes, c.node[len(c.node)-1]) && len(words) > 0 {
					c.node = append(c.node, words[0])
					words = words[1:]
				}
			}
		case base == "jest" || base == "jest-cli":
			c.read(words)
			return c, !r.tools
		case slices.Contains([]string{"npm", "yarn", "pnpm", "bun"}, base):
			return r.called(c, words, depth)
		default:
			all := append([]string{word}, words...)
			other := word == "test" || slices.Contains(otherTools, base) || strings.HasPrefix(word, "-")
			if !r.tools || other || !slices.ContainsFunc(all, testWord.MatchString) {
				return c, false
			}
			if node {
				all, c.node = slices.Concat([]string{"node"}, c.node, all), nil
			}
			c.wrapper = all
			return c, true
		}
	}
	return c, false
}

// testWord is a word by which a tool is told to run tests.
var testWord = regexp.MustCompile(`(^|[^a-z])tests?($|:|\.[cm]?js$)`)

// called follows `npm run NAME`, `yarn NAME` and the like.
func (r scriptReader) called(c command, words []string, depth int) (command, bool) {
	for len(words) > 0 && (words[0] == "run" || words[0] == "run-script" || strings.HasPrefix(words[0], "-")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return c, false
	}
	inner, ok := r.script(words[0], depth)
	if !ok {
		if _, own := r.scripts[words[0]]; own {
			return c, false
		}
		inner, ok = r.words(words, depth) // yarn jest
		inner.env = append(c.env, inner.env...)
		return inner, ok
	}
	rest := words[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	inner.env = append(c.env, inner.env...)
	if len(inner.wrapper) > 0 {
		inner.wrapper = append(inner.wrapper, rest...)
		return inner, true
	}
	inner.read(rest)
	return inner, true
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.IndexFunc(name,
		func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}

// What odfix does with Jest's options: those of kept choose a configuration and take a value, those
// of chosen choose files. All others say how results are shown, or what odfix decides by itself.
var (
	kept = []string{
		"--config", "-c", "--env", "--testEnvironment", "--projects", "--rootDir", "--roots", "--selectProjects",
		"--ignoreProjects", "--preset", "--setupFiles",
		"--setupFilesAfterEnv", "--testTimeout", "--transform", "--moduleNameMapper", "--globals",
		"--resolver", "--runner", "--testRunner", "--testEnvironmentOptions",
		"--globalSetup", "--globalTeardown", "--moduleDirectories", "--modulePaths", "--moduleFileExtensions",
		"--testURL", "--timers", "--snapshotSerializers", "--testMatch", "--testRegex",
	}
	switches = []string{"--clearMocks", "--resetMocks", "--restoreMocks", "--resetModules", "--automock",
		"--no-cache", "--injectGlobals", "--prettierPath"}
	chosen = []string{"--testPathPattern", "--testPathPatterns", "--testPathIgnorePatterns"}
	// lists take more than one value.
	lists = []string{"--projects", "--roots", "--selectProjects", "--ignoreProjects", "--setupFiles",
		"--setupFilesAfterEnv", "--testPathPattern", "--testPathPatterns", "--testPathIgnorePatterns", "--testMatch"}
	// valued take a value that is dropped with them.
	valued = []string{
		"-t", "--testNamePattern", "--maxWorkers", "-w", "--reporters", "--outputFile", "--coverageDirectory",
		"--coverageReporters", "--collectCoverageFrom", "--coverageProvider", "--changedSince",
		"--shard", "--seed", "--cacheDirectory", "--testSequencer", "--maxConcurrency", "--workerIdleMemoryLimit",
		"--filter", "--coveragePathIgnorePatterns", "--coverageThreshold", "--testResultsProcessor",
	}
)

// read sorts Jest's arguments.
func (c *command) read(words []string) {
	for i := 0; i < len(words); i++ {
		name, _, inline := strings.Cut(words[i], "=")
		switch {
		case slices.Contains(switches, name):
			c.args = append(c.args, words[i])
		case slices.Contains(kept, name), slices.Contains(chosen, name):
			to := &c.args
			if slices.Contains(chosen, name) {
				to = &c.patterns
			}
			*to = append(*to, words[i])
			for n := 0; !inline && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") &&
				(n == 0 || slices.Contains(lists, name)); n++ {
				i++
				*to = append(*to, words[i])
			}
		case slices.Contains(valued, name):
			if !inline && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
			}
		case strings.HasPrefix(words[i], "-"):
		default:
			c.patterns = append(c.patterns, words[i])
		}
	}
}

// expansion is what a shell replaces by a variable's value: $NAME, ${NAME}, ${NAME:-otherwise}.
var expansion = regexp.MustCompile(`^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::?-([^}]*))?\})`)

// shellWords cuts a script into its simple commands, and these into words. Variables have the values
// of odfix's own environment.
func shellWords(text string) [][]string {
	var out [][]string
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	end := func() {
		endWord()
		if len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	escaped := false
	skip := 0 // bytes that are read already
	for i, r := range text {
		var v []string
		if quote != '\'' && !escaped && i >= skip {
			v = expansion.FindStringSubmatch(text[i:])
		}
		switch {
		case i < skip:
		case v != nil:
			value := cmp.Or(os.Getenv(v[1]+v[2]), v[3])
			word.WriteString(value)
			inWord = inWord || value != ""
			skip = i + len(v[0])
		case escaped:
			word.WriteRune(r)
			escaped, inWord = false, true
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case r == '&' || r == '|' || r == ';' || r == '\n' || r == '(' || r == ')':
			end()
		case unicode.IsSpace(r):
			endWord()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	end()
	return out
}
