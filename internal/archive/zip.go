package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
)

// Some unpacks the wanted files of a zip archive into an empty folder, and returns their number.
// want decides by the path. The list of files is read into memory, about 300 bytes and the name for
// each, if there are not more than the limit.
func Some(ctx context.Context, r io.ReaderAt, size int64, dir string, want func(name string) bool, l Limits) (int, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	m := &meter{ctx: ctx, limits: l.filled(), read: func() int64 { return size }}
	switch n, err := entries(ctx, r, size); {
	case err != nil:
		return 0, err
	case n > m.limits.Members:
		return 0, refuse("it has more than %d files and folders", m.limits.Members)
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return 0, refuse("it is no zip file: %v", err)
	}
	n := 0
	for _, f := range z.File {
		if err := m.member(); err != nil {
			return n, err
		}
		if f.FileInfo().IsDir() || !f.Mode().IsRegular() {
			continue
		}
		name, err := local(strings.ReplaceAll(f.Name, `\`, "/"))
		if err != nil {
			return n, err
		}
		if !want(name) {
			continue
		}
		if err := m.zipped(root, f, name); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (m *meter) zipped(root *os.Root, f *zip.File, name string) error {
	content, err := f.Open()
	if err != nil {
		return refuse("%q cannot be unpacked: %v", short(name), err)
	}
	defer content.Close()
	return m.write(root, name, false, content)
}

// entry begins each entry of the list of files in a zip archive.
const entry = "PK\x01\x02"

// entries is at least the number of files that a zip archive lists. The number that the archive
// itself names need not be true: zip.NewReader compares 16 bits of it, after it has read the list.
func entries(ctx context.Context, r io.ReaderAt, size int64) (int, error) {
	n, buf := 0, make([]byte, 64<<10)
	for at := int64(0); at < size; at += int64(len(buf) - len(entry) + 1) { // parts overlap
		k, err := r.ReadAt(buf, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n += bytes.Count(buf[:k], []byte(entry))
	}
	return n, nil
}
