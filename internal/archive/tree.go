package archive

import (
	"archive/tar"
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Tree is a commit's sources as a file system that is only read. Its files are parts of one file,
// the archive without its compression. So no name and no link of the archive ever names a file of
// this machine. Links are not followed.
type Tree struct {
	file  *os.File
	nodes map[string]*node
	most  int // files, links and folders
}

// node is a file, a folder or a link of a tree. It is its own fs.FileInfo and fs.DirEntry.
type node struct {
	name     string
	mode     fs.FileMode
	at, size int64
	target   string  // of a link
	children []*node // of a folder, sorted by name
}

var (
	_ fs.ReadLinkFS = (*Tree)(nil)
	_ fs.ReadDirFS  = (*Tree)(nil)
)

// maxNames bounds the names of a tree, in bytes. They are kept in memory.
const maxNames = 16 << 20

// OpenTree reads a commit's sources (a gzip-compressed tar, as GitHub packs them). It keeps them in a
// file in dir, which Close removes. It refuses what Sources refuses.
func OpenTree(ctx context.Context, r io.Reader, dir string, l Limits) (*Tree, error) {
	file, err := os.CreateTemp(dir, "odfix-tree-")
	if err != nil {
		return nil, err
	}
	l = l.filled()
	t := &Tree{file: file, most: 2 * l.Members, nodes: map[string]*node{".": {name: ".", mode: fs.ModeDir | 0o755}}}
	if err := t.read(ctx, r, l); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	for _, n := range t.nodes {
		slices.SortFunc(n.children, func(a, b *node) int { return cmp.Compare(a.name, b.name) })
	}
	return t, nil
}

// Close removes the tree's file.
func (t *Tree) Close() error { return errors.Join(t.file.Close(), os.Remove(t.file.Name())) }

func (t *Tree) read(ctx context.Context, r io.Reader, l Limits) error {
	packed := &counter{r: r}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return refuse("it is no gzip file: %v", err)
	}
	m := &meter{ctx: ctx, limits: l, read: func() int64 { return packed.n }}
	out := bufio.NewWriterSize(t.file, 1<<20)
	at := &counter{r: io.TeeReader(&metered{r: z, m: m}, out)}
	names, linked := 0, 0
	u := &sources{meter: m}
	u.file = func(name string, h *tar.Header, content io.Reader) error {
		for key := range h.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse") {
				return refuse("%q is a sparse file", short(name))
			}
		}
		mode := fs.FileMode(0o644)
		if h.Mode&0o100 != 0 {
			mode = 0o755
		}
		names += len(name)
		if err := t.add(name, &node{mode: mode, at: at.n, size: h.Size}, names); err != nil {
			return err
		}
		return m.copy(io.Discard, content)
	}
	u.link = func(name, target string) error {
		if linked++; linked > maxLinks {
			return refuse("it has more than %d symbolic links", maxLinks)
		}
		names += len(name) + len(target)
		return t.add(name, &node{mode: fs.ModeSymlink | 0o777, target: target}, names)
	}
	if err := u.all(tar.NewReader(at)); err != nil {
		return err
	}
	return out.Flush()
}

// add adds a node, and the folders around it.
func (t *Tree) add(name string, n *node, names int) error {
	if names > maxNames {
		return refuse("its names have more than %d MiB", maxNames>>20)
	}
	if t.nodes[name] != nil {
		return refuse("it has %q twice", short(name))
	}
	dir, err := t.folder(path.Dir(name))
	if err != nil {
		return err
	}
	n.name = path.Base(name)
	dir.children = append(dir.children, n)
	t.nodes[name] = n
	return nil
}

func (t *Tree) folder(name string) (*node, error) {
	if n := t.nodes[name]; n != nil {
		if !n.IsDir() {
			return nil, refuse("%q is a folder and no folder", short(name))
		}
		return n, nil
	}
	above, err := t.folder(path.Dir(name))
	if err != nil {
		return nil, err
	}
	n := &node{name: path.Base(name), mode: fs.ModeDir | 0o755}
	above.children = append(above.children, n)
	t.nodes[name] = n
	if len(t.nodes) > t.most {
		return nil, refuse("it has more than %d files and folders", t.most)
	}
	return n, nil
}

func (t *Tree) node(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := t.nodes[name]
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// Open implements fs.FS. A link cannot be opened.
func (t *Tree) Open(name string) (fs.File, error) {
	n, err := t.node("open", name)
	switch {
	case err != nil:
		return nil, err
	case n.IsDir():
		return &folder{node: n}, nil
	case n.mode.IsRegular():
		return &content{n, io.NewSectionReader(t.file, n.at, n.size)}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// ReadDir implements fs.ReadDirFS.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.node("readdir", name)
	if err != nil {
		return nil, err
	}
	return (&folder{node: n}).ReadDir(-1)
}

// Lstat implements fs.ReadLinkFS.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) { return t.node("lstat", name) }

// ReadLink implements fs.ReadLinkFS.
func (t *Tree) ReadLink(name string) (string, error) {
	n, err := t.node("readlink", name)
	if err == nil && n.mode&fs.ModeSymlink == 0 {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return "", err
	}
	return n.target, nil
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return n.size }
func (n *node) Mode() fs.FileMode          { return n.mode }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) IsDir() bool                { return n.mode.IsDir() }
func (n *node) Sys() any                   { return nil }
func (n *node) Type() fs.FileMode          { return n.mode.Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) String() string             { return fs.FormatFileInfo(n) }

// content is an open file.
type content struct {
	node *node
	*io.SectionReader
}

// Stat implements fs.File.
func (c *content) Stat() (fs.FileInfo, error) { return c.node, nil }

// Close implements fs.File.
func (c *content) Close() error { return nil }

// folder is an open folder.
type folder struct {
	node *node
	read int
}

// Stat implements fs.File.
func (f *folder) Stat() (fs.FileInfo, error) { return f.node, nil }

// Close implements fs.File.
func (f *folder) Close() error { return nil }

// Read implements fs.File.
func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.node.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	left := f.node.children[f.read:]
	if n > 0 && len(left) == 0 {
		return nil, io.EOF
	}
	if n > 0 {
		left = left[:min(n, len(left))]
	}
	out := make([]fs.DirEntry, 0, len(left))
	for _, c := range left {
		out = append(out, c)
	}
	f.read += len(left)
	return out, nil
}
