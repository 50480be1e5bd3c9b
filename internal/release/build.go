package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// build compiles the programs for a platform into dir.
func (r release) build(ctx context.Context, p platform, dir string) error {
	env := []string{"CGO_ENABLED=0", "GOOS=" + p.OS, "GOARCH=" + p.Arch, "GOFLAGS="}
	for _, prog := range r.Programs {
		err := command(ctx, env, "go", "build", "-trimpath", "-buildvcs=true", "-tags", prog.Tags,
			"-ldflags", "-s -w -X main.version=v"+r.Version, "-o", filepath.Join(dir, prog.Name), "./app")
		if err != nil {
			return err
		}
	}
	return nil
}

// shells are those that odfix has completions for, with the place of each in the archive.
var shells = []struct{ name, file string }{
	{"bash", "completions/odfix.bash"}, {"zsh", "completions/_odfix"}, {"fish", "completions/odfix.fish"}, {"powershell", "completions/odfix.ps1"},
}

// pages writes man pages and completions. It runs the program built for this machine, and the one
// with every command, odfix-sandbox.
func (r release) pages(ctx context.Context, work, dir string) error {
	here := platform{runtime.GOOS, runtime.GOARCH}
	own := filepath.Join(work, here.String())
	if _, err := os.Stat(own); err != nil {
		if err := r.build(ctx, here, own); err != nil {
			return err
		}
	}
	if err := command(ctx, nil, filepath.Join(own, "odfix-sandbox"), "man", "--date", r.Date.Format(time.DateOnly), filepath.Join(dir, "man")); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "completions"), 0o755); err != nil {
		return err
	}
	for _, s := range shells {
		text, err := output(ctx, filepath.Join(own, "odfix"), "completion", s.name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, s.file), []byte(text+"\n"), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Tools that are run from the Go module proxy, by version. cyclonedx-gomod is CycloneDX's own tool
// for Go; nfpm makes Debian packages without Debian.
const (
	cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
	nfpm      = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"
	// The bill of the jars in odfix is made by Maven, which knows their dependencies.
	cyclonedxMaven = "org.cyclonedx:cyclonedx-maven-plugin:2.9.1:makeAggregateBom"
)

// materials writes the bills of materials: of the Go modules in the program that has all of them,
// and of the jars inside odfix.
func (r release) materials(ctx context.Context, out, work string) error {
	fmt.Fprintln(os.Stderr, "release: bills of materials")
	p := r.Platforms[0] // all have the same modules
	err := command(ctx, []string{"GOFLAGS="}, "go", "run", cyclonedx, "bin", "-json", "-licenses", "-std", "-noserial", "-notimestamp", "-short-purls",
		"-version", "v"+r.Version, "-output", filepath.Join(out, r.Name+"_"+r.Version+"_go.cdx.json"),
		filepath.Join(work, p.String(), r.Programs[len(r.Programs)-1].Name))
	if err != nil {
		return err
	}
	err = command(ctx, nil, "mvn", "-B", "-q", "-f", "runner/junit/pom.xml", cyclonedxMaven, "-DoutputFormat=json",
		"-DincludeBomSerialNumber=false", "-DincludeProvidedScope=false", "-DincludeTestScope=false", "-DoutputName=odfix-bom")
	if err != nil {
		return err
	}
	text, err := os.ReadFile("runner/junit/target/odfix-bom.json")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, r.Name+"_"+r.Version+"_java.cdx.json"), text, 0o644)
}

// debians writes a Debian package for each processor.
func (r release) debians(ctx context.Context, out, work, pages string) error {
	for _, p := range r.Platforms {
		if p.OS != "linux" {
			continue
		}
		files, err := r.files(filepath.Join(work, p.String()), pages)
		if err != nil {
			return err
		}
		if err := r.debian(ctx, out, p, files); err != nil {
			return err
		}
	}
	return nil
}

// debian writes the Debian package of a platform.
func (r release) debian(ctx context.Context, out string, p platform, files []file) error {
	settings, err := os.CreateTemp("", "odfix-nfpm-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(settings.Name())
	if err := settings.Close(); err != nil {
		return err
	}
	type entry struct{ From, To, Mode string }
	var entries []entry
	for _, f := range files {
		if to := debianPlace(f.Path); to != "" {
			entries = append(entries, entry{f.From, to, fmt.Sprintf("%#o", f.Mode)})
		}
	}
	data := struct {
		release
		Arch    string
		Entries []entry
	}{r, p.Arch, entries}
	if err := renderFile("nfpm.yaml", settings.Name(), 0o600, data); err != nil {
		return err
	}
	return command(ctx, []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.Date.Unix()), "GOFLAGS="}, "go", "run", nfpm, "package",
		"-f", settings.Name(), "-p", "deb", "-t", filepath.Join(out, fmt.Sprintf("%s_%s_%s.deb", r.Name, r.Version, p.Arch)))
}

// debianPlace is where a file of the archive is installed; empty: nowhere.
func debianPlace(path string) string {
	dir, name := filepath.Split(path)
	switch {
	case dir == "" && (name == "odfix" || name == "odfix-sandbox"):
		return "/usr/bin/" + name
	case dir == "":
		return "/usr/share/doc/odfix/" + name
	case dir == "man/":
		return "/usr/share/man/man1/" + name
	case name == "odfix.bash":
		return "/usr/share/bash-completion/completions/odfix"
	case name == "_odfix":
		return "/usr/share/zsh/vendor-completions/" + name
	case name == "odfix.fish":
		return "/usr/share/fish/vendor_completions.d/" + name
	}
	return ""
}
