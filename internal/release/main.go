// Command release builds a release into a folder: an archive with the programs for each platform,
// Debian packages, checksums, bills of materials, an install script and a Homebrew formula. All of
// them are made from the same data (data.go), and the release workflow is, too.
//
// Invariants: the same commit and the same Go, JDK and Maven give the same bytes. A tree with
// uncommitted changes is refused, since its release could not be made again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "dist", "`folder` for the release; what it holds is replaced")
	only := flag.String("platforms", "", "`list` of platforms, such as linux/amd64,darwin/arm64; empty: all")
	flag.Parse()
	if err := run(ctx, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, only string) error {
	platforms, err := choose(only)
	if err != nil {
		return err
	}
	r, err := describe(ctx)
	if err != nil {
		return err
	}
	r.Platforms = platforms
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "odfix-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	return r.make(ctx, out, work)
}

// make builds everything below work, and writes the release into out.
func (r release) make(ctx context.Context, out, work string) error {
	for _, p := range r.Platforms {
		fmt.Fprintln(os.Stderr, "release: building for", p)
		if err := r.build(ctx, p, filepath.Join(work, p.String())); err != nil {
			return err
		}
	}
	pages := filepath.Join(work, "pages")
	if err := r.pages(ctx, work, pages); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := r.materials(ctx, out, work); err != nil {
		return err
	}
	if err := r.archives(out, work, pages); err != nil {
		return err
	}
	if err := r.debians(ctx, out, work, pages); err != nil {
		return err
	}
	return r.index(out)
}

// archives writes the archive of each platform, whose programs are in work/OS/ARCH.
func (r release) archives(out, work, pages string) error {
	for _, p := range r.Platforms {
		files, err := r.files(filepath.Join(work, p.String()), pages)
		if err != nil {
			return err
		}
		if err := writeArchive(filepath.Join(out, r.Archive(p)), r.Folder(p), files, r.Date); err != nil {
			return err
		}
	}
	return nil
}

// index writes what names the other files: the formula, the install script and the checksums.
func (r release) index(out string) error {
	var err error
	if r.Sums, err = digests(out); err != nil {
		return err
	}
	if err := renderFile("odfix.rb", filepath.Join(out, "odfix.rb"), 0o644, r); err != nil {
		return err
	}
	if err := renderFile("install.sh", filepath.Join(out, "install.sh"), 0o755, r); err != nil {
		return err
	}
	return writeSums(out)
}

// describe reads the version from git: the tag of the commit, or else one that no tag has.
func describe(ctx context.Context) (release, error) {
	r := release{Product: product}
	changed, err := output(ctx, "git", "status", "--porcelain")
	if err != nil {
		return r, err
	}
	if changed != "" {
		return r, fmt.Errorf("there are uncommitted changes; commit them first:\n%s", changed)
	}
	if r.Commit, err = output(ctx, "git", "rev-parse", "HEAD"); err != nil {
		return r, err
	}
	seconds, err := output(ctx, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return r, err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return r, err
	}
	r.Date = time.Unix(n, 0).UTC()
	tag, err := output(ctx, "git", "describe", "--tags", "--exact-match", "--match", "v[0-9]*")
	if err != nil {
		tag = "v0.0.0-" + r.Commit[:10]
	}
	r.Version = strings.TrimPrefix(tag, "v")
	return r, nil
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, e.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// command runs a command of the release; env is added to the environment.
func command(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// file is one file of a release.
type file struct {
	Path string // in the archive
	From string
	Mode fs.FileMode
}
