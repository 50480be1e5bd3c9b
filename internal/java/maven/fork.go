package maven

import (
	"archive/zip"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

// fork is what Surefire passed to the process that the recorder started in place of the test JVM.
type fork struct {
	args   []string          // without the program
	env    map[string]string // of the process
	dir    string            // its working directory
	config map[string]string // Surefire's own settings: classes, class paths, provider
	system map[string]string // system properties for the tests
	files  string            // folder with copies of the files that Surefire passed to it
}

// readForks reads the recorded forks of one execution. There are none if the execution is skipped
// or has no tests.
func readForks(folder string) ([]*fork, error) {
	var out []*fork
	for n := 1; ; n++ {
		dir := filepath.Join(folder, "fork"+strconv.Itoa(n))
		if !build.Exists(filepath.Join(dir, "recorded")) {
			return out, nil
		}
		f, err := readFork(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
}

func readFork(folder string) (*fork, error) {
	var text [3]string
	for i, name := range []string{"args", "dir", "env"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		text[i] = string(data)
	}
	f := &fork{args: splitNul(text[0]), dir: strings.TrimSuffix(text[1], "\n"), env: environment(splitNul(text[2])),
		files: filepath.Join(folder, "files")}
	return f, f.readFiles()
}

func splitNul(s string) []string {
	s = strings.TrimSuffix(s, "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

// readFiles distinguishes Surefire's property files by their content.
func (f *fork) readFiles() error {
	f.config, f.system = map[string]string{}, map[string]string{}
	files, err := os.ReadDir(f.files)
	if err != nil {
		return err
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), "tmp") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(f.files, file.Name()))
		if err != nil {
			return err
		}
		props := build.ParseProperties(string(data))
		if _, ok := props["providerConfiguration"]; ok {
			f.config = props
		} else {
			f.system = props
		}
	}
	return nil
}

// numbered collects prefix0, prefix1, … as Surefire writes lists.
func numbered(props map[string]string, prefix string) []string {
	var out []string
	for i := 0; ; i++ {
		v, ok := props[prefix+strconv.Itoa(i)]
		if !ok {
			return out
		}
		out = append(out, v)
	}
}

// main returns the index at which Surefire's own arguments begin. The arguments before it are the
// JVM's.
func (f *fork) main() int {
	for i := range f.args {
		if f.isMain(i) {
			return i
		}
	}
	return len(f.args)
}

// isMain reports whether args[i] may begin Surefire's own arguments.
func (f *fork) isMain(i int) bool {
	a := f.args[i]
	switch {
	case a == "-jar" && i+1 < len(f.args):
		return strings.Contains(filepath.Base(f.args[i+1]), "surefirebooter")
	case strings.HasPrefix(a, "@"):
		return strings.Contains(filepath.Base(a), "surefire")
	case a == "-cp" || a == "-classpath":
		return i+2 < len(f.args) && strings.HasSuffix(f.args[i+2], "ForkedBooter")
	}
	return strings.HasSuffix(a, ".ForkedBooter")
}

// jvmArgs are the options given to the JVM itself.
func (f *fork) jvmArgs() []string { return append([]string(nil), f.args[:f.main()]...) }

// manifestClassPath returns the Class-Path of the jar that Surefire made for the fork. Some
// versions write the class path nowhere else.
func (f *fork) manifestClassPath() ([]string, error) {
	jars, _ := filepath.Glob(filepath.Join(f.files, "surefirebooter*.jar"))
	if len(jars) == 0 {
		return nil, nil
	}
	z, err := zip.OpenReader(jars[0])
	if err != nil {
		return nil, err
	}
	defer z.Close()
	m, err := z.Open("META-INF/MANIFEST.MF")
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return parseManifestClassPath(m, filepath.Dir(f.jarPath())), nil
}

func (f *fork) jarPath() string {
	if i := f.main() + 1; i < len(f.args) {
		return f.args[i]
	}
	return ""
}

// parseManifestClassPath reads the attribute. Its lines are folded. Its entries are URLs, and
// relative ones start from dir.
func parseManifestClassPath(r io.Reader, dir string) []string {
	text, _ := io.ReadAll(r)
	value := ""
	for line := range strings.Lines(strings.NewReplacer("\r\n ", "", "\n ", "").Replace(string(text))) {
		if rest, ok := strings.CutPrefix(line, "Class-Path: "); ok {
			value = rest
		}
	}
	var out []string
	for _, item := range strings.Fields(value) {
		u, err := url.Parse(item)
		if err != nil {
			continue
		}
		path := filepath.FromSlash(u.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		out = append(out, filepath.Clean(path))
	}
	return out
}
