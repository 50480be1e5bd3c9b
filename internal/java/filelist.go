package java

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of the agent (Files.java): a list is made only where the agent's own look would have
// stayed within them, and holds the sums of what it would have read.
const (
	maxListed   = 20000
	maxSummed   = 1 << 16
	maxSummedIn = 1 << 20
)

// fileList lists the files that exist before a test process begins, for the agent. The agent's own
// first list would cost a young JVM a tenth of a second of processor time and more. This one takes
// milliseconds, and is read only when a test may have written files.
type fileList struct {
	out     bytes.Buffer
	resting bytes.Buffer // the same of folders in which hardly a test writes
	read    int
	files   int
}

// errNoList says that the agent is to list the files itself.
var errNoList = errors.New("no list of files")

// listFiles writes the list of the files below the working folder of the tests and below the
// further roots, or leaves it to the agent.
func (p *Project) listFiles(further []string, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if p.launch.Properties["user.dir"] != "" ||
		slices.ContainsFunc(p.launch.JVMArgs, func(a string) bool { return strings.HasPrefix(a, "-Duser.dir=") }) {
		return nil
	}
	roots := []string{p.launch.Dir}
	for _, root := range further {
		if !filepath.IsAbs(root) {
			root = filepath.Join(p.launch.Dir, root)
		}
		roots = append(roots, root)
	}
	var l fileList
	for i, root := range roots {
		if err := l.below(i, root); err != nil {
			return nil // whatever it is, the agent finds it, too
		}
	}
	return os.WriteFile(to, slices.Concat(fmt.Appendf(nil, "%d\x00", l.read), l.out.Bytes(), []byte{0}, l.resting.Bytes()), 0o600)
}

// below adds all below the root of that number.
func (l *fileList) below(number int, root string) error {
	if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return errNoList // the agent looks at what the link leads to
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if path == root && errors.Is(err, fs.ErrNotExist) {
			return nil // as to the agent
		}
		if err != nil || path == root {
			return err
		}
		if d.Name() == ".git" || d.Name() == "node_modules" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if l.files++; l.files >= maxListed {
			return errNoList
		}
		return l.add(number, root, path, d)
	})
}

func (l *fileList) add(number int, root, path string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	if !ascii(name) {
		return errNoList // a JVM may know it by another name
	}
	kind, size, sum, to := 'f', info.Size(), "", &l.out
	if number == 0 && resting(name) {
		to = &l.resting
	}
	switch {
	case d.IsDir():
		kind, size = 'd', 0
	case d.Type()&fs.ModeSymlink != 0:
		kind = 'l'
	case d.Type().IsRegular() && to == &l.out && size <= maxSummed && int64(l.read)+size <= maxSummedIn:
		content, err := os.ReadFile(path)
		if err != nil {
			break // the agent takes the time for it, too
		}
		l.read += int(size)
		sum = fmt.Sprint(crc32.ChecksumIEEE(content))
	}
	fmt.Fprintf(to, "%d\t%c\t%d\t%d\t%s\t%s\x00", number, kind, size, info.ModTime().UnixNano(), sum, name)
	return nil
}

// resting reports whether a path is in a folder in which tests hardly ever write, as the agent has
// it (Files.rarelyWritten): files there are not read.
func resting(name string) bool {
	parts := strings.Split(name, string(filepath.Separator))
	return len(parts) > 1 && (parts[0] == "src" || strings.HasPrefix(parts[0], ".")) || len(parts) > 2 &&
		strings.HasSuffix(parts[1], "classes")
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || r < ' ' })
}
