package maven

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/odfix/odfix/internal/harness"
)

// argFile returns the content of the argument file that Surefire makes to run tests on the module
// path. It returns nil if there is no such file.
func (f *fork) argFile() ([]string, error) {
	for i := range f.args {
		if f.isMain(i) && strings.HasPrefix(f.args[i], "@") {
			data, err := os.ReadFile(filepath.Join(f.files, filepath.Base(f.args[i])))
			return parseArgFile(string(data)), err
		}
	}
	return nil, nil
}

// parseModules reads java's arguments before the main class.
func parseModules(args []string) (m harness.Modules, classPath []string) {
	m.Patch = map[string][]string{}
	for i := 0; i < len(args) && !strings.HasSuffix(args[i], ".ForkedBooter"); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if !joined && takesValue[name] && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch name {
		case "--module-path", "-p":
			m.Path = filepath.SplitList(value)
		case "--class-path", "-classpath", "-cp":
			classPath = filepath.SplitList(value)
		case "--patch-module":
			module, dirs, _ := strings.Cut(value, "=")
			m.Patch[module] = append(m.Patch[module], filepath.SplitList(dirs)...)
		default:
			m.Args = append(m.Args, name)
			if value != "" {
				m.Args = append(m.Args, value)
			}
		}
	}
	return m, classPath
}

// takesValue lists the options of java whose value is the next argument.
var takesValue = map[string]bool{"--module-path": true, "-p": true, "--class-path": true, "-classpath": true, "-cp": true,
	"--patch-module": true, "--add-modules": true, "--add-reads": true, "--add-exports": true, "--add-opens": true,
	"--limit-modules": true, "--upgrade-module-path": true}

// parseArgFile splits a java @argfile. White space separates words, quotes join them, a backslash
// inside quotes escapes, and # begins a comment.
func parseArgFile(data string) []string {
	var out []string
	var word strings.Builder
	var quote byte
	open := false
	flush := func() {
		if open {
			out = append(out, word.String())
		}
		word.Reset()
		open = false
	}
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case quote != 0 && c == '\\' && i+1 < len(data):
			i++
			if data[i] != '\n' {
				word.WriteByte(unescapeArg(data[i]))
			}
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, open = c, true
		case c == '#' && !open:
			for i < len(data) && data[i] != '\n' {
				i++
			}
		case strings.IndexByte(" \t\r\n\f", c) >= 0:
			flush()
		default:
			word.WriteByte(c)
			open = true
		}
	}
	flush()
	return out
}

func unescapeArg(c byte) byte {
	if i := strings.IndexByte("nrtf", c); i >= 0 {
		return "\n\r\t\f"[i]
	}
	return c
}
