package harness

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/wholefile"
)

// Limits of a command line, in bytes, with some room left. Linux refuses an argument of 128 KiB.
// macOS refuses arguments and variables above 1 MiB together.
const (
	maxArgument  = 120 << 10
	maxArguments = 512 << 10
)

// fit returns arguments that are short enough for a command line. It writes longer ones to a file:
// an @argfile from Java 9 on, and before that a jar whose manifest holds the class path.
func (j JVM) fit(args []string) ([]string, error) {
	if fits(args) {
		return args, nil
	}
	if j.takesArgfile() {
		direct := 0
		if fits(j.Args) { // java does not read an @file inside another @file
			direct = len(j.Args)
		}
		path, err := j.store("args-*.txt", argfile(args[direct:]))
		return append(args[:direct:direct], "@"+path), err
	}
	jar, err := j.manifestJar(j.classPath())
	if err != nil {
		return nil, err
	}
	args = j.arguments([]string{jar})
	if !fits(args) {
		return nil, fmt.Errorf("the project's JVM arguments are longer than a command line may be, and %s takes "+
			"none from a file: use Java 9 or newer", j.Java)
	}
	return args, nil
}

func fits(args []string) bool {
	total := 0
	for _, a := range args {
		if len(a) > maxArgument {
			return false
		}
		total += len(a) + 1
	}
	return total <= maxArguments
}

// takesArgfile reads the JDK's release file. A JVM without one counts as old, because a manifest
// jar works with every version.
func (j JVM) takesArgfile() bool {
	java, err := filepath.EvalSymlinks(j.Java)
	if err != nil {
		return false
	}
	home := filepath.Dir(filepath.Dir(java))
	for _, dir := range []string{home, filepath.Dir(home)} { // Java 8 also has bin/java in jre/
		if text, err := os.ReadFile(filepath.Join(dir, "release")); err == nil {
			return majorVersion(string(text)) >= 9
		}
	}
	return false
}

// majorVersion reads JAVA_VERSION="17.0.15" (or "1.8.0_442") from a release file. It returns 0 if
// there is none.
func majorVersion(release string) int {
	_, rest, ok := strings.Cut("\n"+release, "\nJAVA_VERSION=\"")
	if !ok {
		return 0
	}
	rest = strings.TrimPrefix(rest, "1.")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	n, _ := strconv.Atoi(rest[:max(end, 0)])
	return n
}

// argfile quotes each argument for the java launcher.
func argfile(args []string) []byte {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\f", `\f`)
	var b bytes.Buffer
	for _, a := range args {
		b.WriteString(`"` + quote.Replace(a) + "\"\n")
	}
	return b.Bytes()
}

// manifestJar writes a jar that names the entries as absolute URLs. The URL of a folder ends with a
// slash.
func (j JVM) manifestJar(classPath []string) (string, error) {
	var urls []string
	for _, p := range classPath {
		if !filepath.IsAbs(p) {
			p = filepath.Join(j.Dir, p)
		}
		if fi, err := os.Stat(p); err == nil && fi.IsDir() && !strings.HasSuffix(p, "/") {
			p += "/"
		}
		urls = append(urls, (&url.URL{Scheme: "file", Path: p}).String())
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("META-INF/MANIFEST.MF")
	if err != nil {
		return "", err
	}
	fmt.Fprintf(w, "Manifest-Version: 1.0\r\n%s\r\n", manifestLine("Class-Path: "+strings.Join(urls, " ")))
	if err := z.Close(); err != nil {
		return "", err
	}
	return j.store("classpath-*.jar", b.Bytes())
}

// manifestLine breaks a line after 72 bytes, as manifests require.
func manifestLine(s string) string {
	var b strings.Builder
	for width := 72; len(s) > width-2; width = 71 {
		b.WriteString(s[:width-2] + "\r\n ")
		s = s[width-2:]
	}
	return b.String() + s + "\r\n"
}

// store writes data to a file that is named after its digest, so that the same arguments always use
// one file.
func (j JVM) store(pattern string, data []byte) (string, error) {
	dir := j.Scratch
	if dir == "" {
		cache, err := os.UserCacheDir() // not the shared temporary folder, where other users could put a file of this name
		if err != nil {
			return "", fmt.Errorf("no place for the test process's arguments: %w", err)
		}
		dir = filepath.Join(cache, "odfix", "arguments")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("no place for the test process's arguments: %w", err)
	}
	sum := sha256.Sum256(data)
	path, err := filepath.Abs(filepath.Join(dir, strings.Replace(pattern, "*", hex.EncodeToString(sum[:8]), 1)))
	if err != nil {
		return "", err
	}
	if err := wholefile.Write(path, data, 0o600); err != nil {
		return "", fmt.Errorf("writing the test process's arguments: %w", err)
	}
	return path, nil
}
