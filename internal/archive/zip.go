package archive

import (
	"archive/zip"
	"context"
	"io"
	"os"
	"strings"
)

// Some unpacks the wanted files of a zip archive into an empty folder, and returns their number.
// want decides by the path. The list of files is read into memory. It takes about 300 bytes for
// each 46 bytes of the archive, so the caller must bound the archive's size.
func Some(ctx context.Context, r io.ReaderAt, size int64, dir string, want func(name string) bool, l Limits) (int, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	z, err := zip.NewReader(r, size)
	if err != nil {
		return 0, refuse("it is no zip file: %v", err)
	}
	m := &meter{ctx: ctx, limits: l.filled(), read: func() int64 { return size }}
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
