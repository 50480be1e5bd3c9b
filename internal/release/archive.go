package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// files lists what an archive holds, sorted: the programs in dir, man pages and completions, and
// documents from the sources.
func (r release) files(dir, pages string) ([]file, error) {
	out := []file{{"LICENSE", "LICENSE", 0o644}, {"CHANGELOG.md", "CHANGELOG.md", 0o644}}
	for _, p := range r.Programs {
		out = append(out, file{p.Name, filepath.Join(dir, p.Name), 0o755})
	}
	err := filepath.WalkDir(pages, func(from string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(pages, from)
		out = append(out, file{filepath.ToSlash(rel), from, 0o644})
		return err
	})
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
	return out, err
}

// writeArchive writes a tar.gz file in which only names, contents and modes differ from release to
// release: every file has the date of the commit, and belongs to nobody.
func writeArchive(to, folder string, files []file, date time.Time) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		text, err := os.ReadFile(f.From)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: path.Join(folder, f.Path), Size: int64(len(text)), Mode: int64(f.Mode), ModTime: date, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(text); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o644)
}

// sumsName is the file with the checksums of all others.
const sumsName = "checksums.txt"

// digests are the SHA-256 sums of a folder's files.
func digests(dir string) (map[string]string, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, e := range list {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		out[e.Name()] = hex.EncodeToString(sum[:])
	}
	return out, nil
}

// writeSums writes the checksums in the format of sha256sum.
func writeSums(dir string) error {
	sums, err := digests(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s  %s\n", sums[name], name)
	}
	return os.WriteFile(filepath.Join(dir, sumsName), []byte(b.String()), 0o644)
}
