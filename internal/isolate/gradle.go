package isolate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dists is the part of .gradle with the distributions. Others may hold secrets.
var dists = filepath.Join("wrapper", "dists")

// plantGradle makes the Room's own .gradle, with links to the machine's distributions, and the way to
// the proxy. What cannot be read there is left out: wrappers download it.
func (r *Room) plantGradle(machine string) error {
	home := filepath.Join(r.home(), ".gradle")
	if err := os.MkdirAll(filepath.Join(home, "init.d"), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(GradleScript, filepath.Join(home, "init.d", "odfix.gradle")); err != nil {
		return err
	}
	var names []string
	if machine != "" {
		names = folders(filepath.Join(machine, dists))
	}
	for _, name := range names {
		for _, hash := range folders(filepath.Join(machine, dists, name)) {
			rel := filepath.Join(name, hash)
			if err := linkDistribution(filepath.Join(machine, dists, rel), filepath.Join(home, dists, rel), filepath.Join(GradleSeed, rel)); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(home, "gradle.properties"), []byte(gradleProxy()), 0o644)
}

// folders are the names of the folders in one, as far as it can be read.
func folders(dir string) []string {
	var out []string
	list, _ := os.ReadDir(dir)
	for _, d := range list {
		if d.IsDir() {
			out = append(out, d.Name())
		}
	}
	return out
}

// linkDistribution makes a folder with links to what another one has, which the Room sees elsewhere: a
// distribution, and the file that says it is complete.
func linkDistribution(from, into, seenAs string) error {
	list, _ := os.ReadDir(from)
	if !slices.ContainsFunc(list, func(d fs.DirEntry) bool { return filepath.Ext(d.Name()) == ".ok" }) {
		return nil
	}
	err := os.MkdirAll(into, 0o755)
	for _, d := range list {
		if err == nil && (d.IsDir() || filepath.Ext(d.Name()) == ".ok") {
			err = os.Symlink(filepath.Join(seenAs, d.Name()), filepath.Join(into, d.Name()))
		}
	}
	return err
}

// gradleProxy is ~/.gradle/gradle.properties, which wrappers and Gradle read. It sets the proxy.
func gradleProxy() string {
	host, port, _ := strings.Cut(wayAt, ":")
	var out strings.Builder
	for _, scheme := range []string{"http", "https"} {
		fmt.Fprintf(&out, "systemProp.%[1]s.proxyHost=%[2]s\nsystemProp.%[1]s.proxyPort=%[3]s\n", scheme, host, port)
	}
	return out.String()
}
