package java

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/project"
)

// agentFile writes the agent's options, as Java's properties, to a new file.
func (p *Project) agentFile(look project.Look) (file string, err error) {
	if look.Fields != nil {
		// A static field is no file, and comparing all files would cost more than everything else.
		look.IncludeRoots, look.ExcludeRoots = holders(look.Fields), []string{"file"}
	}
	f, err := os.CreateTemp(p.work, "state-*.properties")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, kv := range []struct {
		key    string
		values []string
	}{
		{"include_roots", look.IncludeRoots}, {"exclude_roots", look.ExcludeRoots}, {"exclude_fields", look.ExcludeFields},
		{"file_roots", look.FileRoots}, {"class_loading", []string{look.ClassLoading}},
	} {
		fmt.Fprintf(&b, "%s=%s\n", kv.key, property(strings.Join(kv.values, "\n")))
	}
	fmt.Fprintf(&b, "lines=%t\n", look.Lines)
	fmt.Fprintf(&b, "classes=%s\n", property(filepath.Join(p.work, "state.classes"))) // the agent loads the classes in this list early
	_, err = f.WriteString(b.String())
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return f.Name(), err
}

// property escapes a value for java.util.Properties.
func property(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, " ", `\ `, "=", `\=`, ":", `\:`, "#", `\#`, "!", `\!`).Replace(s)
}

// holders returns the classes of static fields.
func holders(places []string) []string {
	var out []string
	for _, place := range places {
		dot := strings.LastIndexByte(place, '.')
		if dot < 0 || strings.HasPrefix(place, propertyPlace) || strings.HasPrefix(place, "java.") || strings.HasPrefix(place, "javax.") {
			continue // state of the process is always observed
		}
		if class := place[:dot]; !slices.Contains(out, class) {
			out = append(out, class)
		}
	}
	return out
}
