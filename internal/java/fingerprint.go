package java

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Fingerprint implements project.Project. It reads classes instead of their sources, so that a
// changed comment does not change it.
func (p *Project) Fingerprint(ctx context.Context) (string, error) {
	h := sha256.New()
	addTests(h, p.suite.Order())
	l := p.launch
	fmt.Fprintf(h, "%s\n%s\n%q\n%v\n%s\n", p.info.Java, l.Java, p.opts.BuildArgs, l.ForkPerClass, p.opts.TestTimeout)
	for _, entry := range slices.Concat(l.ClassPath, l.Modules.Path) {
		fi, err := os.Stat(entry)
		switch {
		case err == nil && fi.IsDir():
			err = addFiles(ctx, h, entry, nil, isClass)
		default:
			fmt.Fprintf(h, "library %s\n", filepath.Base(entry))
			err = addLibrary(h, entry)
		}
		if err != nil {
			return "", err
		}
	}
	if err := addFiles(ctx, h, p.copy.Checkout(), notInputs, isInput); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// addTests adds the names of the tests, whatever their order: before JUnit 4.11, the order of a
// class's methods can differ in each JVM.
func addTests(h hash.Hash, tests suite.Order) {
	for _, t := range slices.Sorted(slices.Values(tests)) {
		fmt.Fprintf(h, "%s\n", t)
	}
}

func isClass(rel string) bool { return strings.HasSuffix(rel, ".class") }

// sources are the extensions of source files that are compiled. Their classes are read instead.
var sources = []string{".java", ".kt", ".groovy", ".scala"}

// isInput reports whether a build or its tests read the file, other than as a class: the files of
// Maven and Gradle, resources. The path is below the checkout, where no test writes.
func isInput(rel string) bool {
	rel = "/" + filepath.ToSlash(rel)
	return strings.HasSuffix(rel, "/pom.xml") || strings.Contains(rel, "/.mvn/") ||
		strings.HasSuffix(rel, ".gradle") || strings.HasSuffix(rel, ".gradle.kts") || strings.HasSuffix(rel, "/gradle.properties") ||
		strings.Contains(rel, "/gradle/") ||
		strings.Contains(rel, "/src/") && !slices.Contains(sources, filepath.Ext(rel))
}

// notInputs are folders whose files never count.
var notInputs = []string{".git", ".gradle", "target", "node_modules"}

// addFiles adds names and contents of the wanted files below a folder. It leaves out unreadable
// files, because no test can read them either.
func addFiles(ctx context.Context, h hash.Hash, root string, skip []string, wanted func(rel string) bool) error {
	return filepath.WalkDir(root, func(path string, de fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission) || err == nil && path != root && de.IsDir() && slices.Contains(skip, de.Name()):
			return fs.SkipDir
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || !de.Type().IsRegular() || !wanted(rel) {
			return err
		}
		fmt.Fprintf(h, "file %s\n", filepath.ToSlash(rel))
		return addFile(h, path)
	})
}

func addFile(h hash.Hash, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(h, f)
	return err
}

// addLibrary adds the checksums of a library's files. A snapshot may change while its name does
// not. The times of files may change while their contents do not. A library that cannot be read
// counts by its name.
func addLibrary(h hash.Hash, file string) error {
	r, err := zip.OpenReader(file)
	if err != nil {
		return nil
	}
	defer r.Close()
	for _, f := range r.File {
		if !strings.HasPrefix(f.Name, "META-INF/") {
			fmt.Fprintf(h, "%s %08x %d\n", f.Name, f.CRC32, f.UncompressedSize64)
		}
	}
	return nil
}
