package archive

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"strings"
)

// Sources unpacks a commit's sources (a gzip-compressed tar, as GitHub packs them) into an empty
// folder. The topmost folder of the archive, which has all files, is left out.
func Sources(ctx context.Context, r io.Reader, dir string, l Limits) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	packed := &counter{r: r}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return refuse("it is no gzip file: %v", err)
	}
	m := &meter{ctx: ctx, limits: l.filled(), read: func() int64 { return packed.n }}
	made := links{targets: map[string]string{}}
	u := &sources{meter: m, link: made.add, file: func(name string, h *tar.Header, content io.Reader) error {
		return m.write(root, name, h.Mode&0o100 != 0, content)
	}}
	// Headers and sparse files cost time, too, so the unpacked bytes are counted.
	if err := u.all(tar.NewReader(&metered{r: z, m: m})); err != nil {
		return err
	}
	return made.make(ctx, root)
}

// metered bounds all bytes that tar reads, since some headers are not members.
type metered struct {
	r io.Reader
	m *meter
	n int64
}

func (x *metered) Read(p []byte) (int, error) {
	n, err := x.r.Read(p)
	x.n += int64(n)
	switch {
	case x.n > x.m.limits.Bytes+int64(x.m.limits.Members)*2048:
		return n, refuse("it unpacks to more than %d MiB", x.m.limits.Bytes>>20)
	case x.m.beyondRatio(x.n):
		return n, refuse("it unpacks to more than %d times its size", x.m.limits.Ratio)
	}
	return n, err
}

// sources reads the members of a commit's archive.
type sources struct {
	*meter
	top  string
	file func(name string, h *tar.Header, content io.Reader) error
	link func(name, target string) error
}

func (u *sources) all(t *tar.Reader) error {
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return u.broken(err)
		}
		if err := u.one(h, t); err != nil {
			return err
		}
	}
}

func (u *sources) broken(err error) error {
	if u.ctx.Err() != nil || errors.Is(err, ErrRefused) {
		return err
	}
	return refuse("it is broken: %v", err)
}

func (u *sources) one(h *tar.Header, content io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader { // the commit's sha, which git adds
		return nil
	}
	if err := u.member(); err != nil {
		return err
	}
	name, err := u.below(h.Name)
	if err != nil || name == "." {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return nil // it comes with its first file; git has no empty folders
	case tar.TypeReg:
		return u.file(name, h, content)
	case tar.TypeSymlink:
		return u.link(name, h.Linkname)
	}
	return refuse("%q is neither a file nor a folder nor a symbolic link", short(name))
}

// below is a member's name without the topmost folder.
func (u *sources) below(name string) (string, error) {
	clean, err := local(name)
	if err != nil {
		return "", err
	}
	top, rest, _ := strings.Cut(clean, "/")
	u.top = cmp.Or(u.top, top)
	if top != u.top {
		return "", refuse("it has more than one folder at its top: %q and %q", short(u.top), short(top))
	}
	if rest == "" {
		return ".", nil
	}
	return rest, nil
}
