package isolate

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tools are the machine's JDK, Maven and Gradle, and the folders that they need.
type tools struct {
	java string   // JDK's folder; empty: there is none
	path []string // folders for PATH
	show []string // folders outside /usr
}

// findTools follows the links under which programs are installed to the folders they are in.
func findTools(java string) tools {
	var t tools
	java = cmp.Or(java, os.Getenv("JAVA_HOME"), homeOf("java"))
	if real, err := filepath.EvalSymlinks(java); java != "" && err == nil {
		t.java = real
		t.add(real)
	}
	for _, program := range []string{"mvn", "gradle"} {
		if home := homeOf(program); home != "" {
			t.add(home)
		}
	}
	return t
}

func (t *tools) add(home string) {
	t.path = append(t.path, filepath.Join(home, "bin"))
	if !strings.HasPrefix(home, "/usr/") {
		t.show = append(t.show, home)
	}
}

// homeOf is the folder above bin of a program in PATH; empty if that is a system's folder.
func homeOf(program string) string {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return ""
	}
	home := filepath.Dir(filepath.Dir(path))
	if home == "/" || home == "/usr" || home == "/usr/local" {
		return ""
	}
	return home
}

// settings are the files in /etc that a JDK, Maven and a C library read. They hold no passwords;
// Maven's are in the home folder, which is not shown.
var settings = []string{
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone",
	"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/fonts", "/etc/maven", "/etc/mime.types",
}

// the settings of Java, of any release.
const javaSettings = "/etc/java*"

func systemSettings() []string {
	more, _ := filepath.Glob(javaSettings)
	var out []string
	for _, p := range append(more, settings...) {
		if _, err := os.Stat(p); err == nil {
			out = append(out, p)
		}
	}
	return out
}
