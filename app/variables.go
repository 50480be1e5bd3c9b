package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// variableName is the pattern for names of environment variables for tests.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// taken are variables that the sandbox sets itself.
var taken = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "JAVA_HOME"}

// variables reads a file of NAME=value lines: the environment variables of the operator that tests
// may get. Empty lines and lines that begin with # are ignored.
func variables(file string) (map[string]string, error) {
	out := map[string]string{}
	if file == "" {
		return out, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("Name a file that can be read.", "--environment-file: %v", err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		switch _, twice := out[name]; {
		case !ok || !variableName.MatchString(name) || strings.ContainsRune(value, 0):
			return nil, usage("Write NAME=value, one a line.", "--environment-file: line %d of %s is no variable", n, file)
		case slices.Contains(taken, name) || strings.HasPrefix(name, "ODFIX_"):
			return nil, usage("Take it out.", "--environment-file: line %d of %s gives %s, which odfix sets itself", n, file, name)
		case twice:
			return nil, usage("Take one of them out.", "--environment-file: line %d of %s gives %s a second time", n, file, name)
		}
		out[name] = value
	}
	return out, nil
}
