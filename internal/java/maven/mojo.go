package maven

import (
	"encoding/json"
	"path/filepath"
	"sort"

	"github.com/odfix/odfix/internal/java/build"
)

// mojoRecord is what odfix's extension writes about one execution of a mojo (test.json,
// compile.json).
type mojoRecord struct {
	Plugin      string     `json:"plugin"`
	Version     string     `json:"version"`
	Goal        string     `json:"goal"`
	Execution   string     `json:"execution"`
	Module      string     `json:"module"`
	Basedir     string     `json:"basedir"`
	SourceTests []string   `json:"testSourceRoots"`
	TestOutput  string     `json:"testOutput"`
	MainOutput  string     `json:"mainOutput"`
	Parameters  parameters `json:"parameters"`

	Java       string `json:"java"`       // test mojos: the java that the fork would have run
	JavaChosen bool   `json:"javaChosen"` // test mojos: a JDK is configured; otherwise Java is Maven's own
	MavenDir   string `json:"mavenDir"`   // test mojos: where Maven runs
	HiddenBy   string `json:"hiddenBy"`   // test mojos: the extension (or its class) that keeps odfix from the parameters
	WrappedBy  string `json:"wrappedBy"`  // the extension (or its class) that Maven asks to run the mojo

	ProcessorPath []string `json:"processorPath"` // compiler mojos, from here on
	ClassPath     []string `json:"classPath"`
	JavaHome      string   `json:"javaHome"`

	folder string // the folder of this record
}

// sessionRecord is what odfix's extension writes about the whole build (session.json).
type sessionRecord struct {
	Maven   string         `json:"maven"`
	Modules []moduleRecord `json:"modules"`
}

type moduleRecord struct {
	Basedir  string `json:"basedir"`
	Failsafe bool   `json:"failsafe"`
	// Raised names test plugins that odfix raised for its run, with their versions in the pom, such as
	// "maven-surefire-plugin 2.4.3".
	Raised []string `json:"raised"`
}

// readRecords reads the records of one kind, in the order in which Maven ran them.
func readRecords(dir, name string) ([]*mojoRecord, error) {
	files, err := filepath.Glob(filepath.Join(dir, "[0-9]*", name))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var out []*mojoRecord
	for _, file := range files {
		r := &mojoRecord{folder: filepath.Dir(file)}
		if err := build.ReadJSON(file, r); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// parameters are a mojo's configured fields. Their types differ between versions of a plugin. The
// methods accept all of them.
type parameters map[string]any

func (p parameters) text(name string) string { return plainText(p[name]) }

func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		data, _ := json.Marshal(v)
		return string(data)
	}
}

// first returns the first of the named parameters that is set.
func (p parameters) first(names ...string) string {
	for _, name := range names {
		if s := p.text(name); s != "" {
			return s
		}
	}
	return ""
}

func (p parameters) flag(name string) bool { return p.text(name) == "true" }

func (p parameters) list(name string) []string {
	values, _ := p[name].([]any)
	var out []string
	for _, v := range values {
		out = append(out, plainText(v))
	}
	return out
}

func (p parameters) table(name string) map[string]string {
	values, _ := p[name].(map[string]any)
	out := map[string]string{}
	for k, v := range values {
		out[k] = plainText(v)
	}
	return out
}
