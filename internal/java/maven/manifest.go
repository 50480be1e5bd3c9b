package maven

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// manifestVersion stands at the head of the file; another one means: copy anew.
const manifestVersion = "odfix-manifest 1"

// write stores the manifest, one line a file: size, time, mode, path, link.
func (m manifest) write(file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), "manifest.*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, manifestVersion)
	for _, path := range m.paths() {
		e := m[path]
		fmt.Fprintf(w, "%d %d %d %q %q\n", e.Size, e.MTime, uint32(e.Mode), path, e.Link)
	}
	err = w.Flush()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

func (m manifest) paths() []string {
	paths := make([]string, 0, len(m))
	for path := range m {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}

func readManifest(file string) (manifest, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := manifest{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	if !s.Scan() || s.Text() != manifestVersion {
		return nil, fmt.Errorf("not a manifest of this version")
	}
	for s.Scan() {
		path, e, err := parseEntry(s.Text())
		if err != nil {
			return nil, err
		}
		m[path] = e
	}
	return m, s.Err()
}

func parseEntry(line string) (string, entry, error) {
	var e entry
	fields := strings.SplitN(line, " ", 4)
	if len(fields) != 4 {
		return "", e, fmt.Errorf("manifest line %q", line)
	}
	size, err1 := strconv.ParseInt(fields[0], 10, 64)
	mtime, err2 := strconv.ParseInt(fields[1], 10, 64)
	mode, err3 := strconv.ParseUint(fields[2], 10, 32)
	quoted, err4 := strconv.QuotedPrefix(fields[3])
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return "", e, fmt.Errorf("manifest line %q", line)
	}
	path, err1 := strconv.Unquote(quoted)
	link, err2 := strconv.Unquote(strings.TrimSpace(fields[3][len(quoted):]))
	if err1 != nil || err2 != nil {
		return "", e, fmt.Errorf("manifest line %q", line)
	}
	return path, entry{Size: size, MTime: mtime, Mode: fs.FileMode(mode), Link: link}, nil
}
