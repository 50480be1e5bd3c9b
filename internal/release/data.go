package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Product is what is the same in every release.
type Product struct {
	Name, Description, Homepage, License, Maintainer string
	// Programs are the names of the programs, with the build tags of each.
	Programs []program
	// Platforms are those of the release. Windows is not one of them: odfix compiles there, but
	// nobody has run its test processes there.
	Platforms []platform
	Actions   map[string]string // pinned by sha
	JDK       string
}

type program struct{ Name, Tags string }

var product = Product{
	Name:        "odfix",
	Description: "Explains and repairs tests that depend on the order in which tests run",
	Homepage:    "https://github.com/odfix/odfix",
	License:     "Apache-2.0",
	Maintainer:  "odfix <noreply@github.com>",
	Programs:    []program{{"odfix", ""}, {"odfix-sandbox", "sandbox"}},
	Platforms:   []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}},
	Actions: map[string]string{
		"checkout": "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
		"go":       "actions/setup-go@b7ad1dad31e06c5925ef5d2fc7ad053ef454303e # v7.0.0",
		"java":     "actions/setup-java@b6effb05e454b25005698d916606bdc6ffcbf961 # v5.7.0",
		"attest":   "actions/attest-build-provenance@a2bbfa25375fe432b6a289bc6b6cd05ecd0c4c32 # v4.1.0",
	},
	JDK: "17",
}

// platform is an operating system and a processor, by Go's names.
type platform struct{ OS, Arch string }

func (p platform) String() string { return p.OS + "/" + p.Arch }

// choose returns the platforms of a list such as linux/amd64,darwin/arm64; empty: all.
func choose(list string) ([]platform, error) {
	if list == "" {
		return product.Platforms, nil
	}
	var out []platform
	for name := range strings.SplitSeq(list, ",") {
		os, arch, _ := strings.Cut(name, "/")
		p := platform{os, arch}
		if !slices.Contains(product.Platforms, p) {
			return nil, fmt.Errorf("there is no release for %q; the platforms are %v", name, product.Platforms)
		}
		out = append(out, p)
	}
	return out, nil
}

// release is one release, as the templates see it.
type release struct {
	Product
	Version string // without v
	Commit  string
	Date    time.Time         // of the commit
	Sums    map[string]string // SHA-256 of the archives, by name
}

// Folder is the folder in the archive of a platform.
func (r release) Folder(p platform) string {
	return fmt.Sprintf("%s_%s_%s_%s", r.Name, r.Version, p.OS, p.Arch)
}

// Archive is the name of a platform's archive.
func (r release) Archive(p platform) string { return r.Folder(p) + ".tar.gz" }

// URL is the address of a file of this release.
func (r release) URL(name string) string {
	return r.Homepage + "/releases/download/v" + r.Version + "/" + name
}

// block is a part of the Homebrew formula: the archives of one operating system.
type block struct {
	Name     string // macos or linux
	Archives []archive
}

type archive struct{ CPU, URL, Sum string }

// Blocks are in Homebrew's words.
func (r release) Blocks() []block {
	var out []block
	for _, os := range []struct{ ours, brews string }{{"darwin", "macos"}, {"linux", "linux"}} {
		b := block{Name: os.brews}
		for _, p := range r.Platforms {
			if p.OS == os.ours {
				cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[p.Arch]
				b.Archives = append(b.Archives, archive{cpu, r.URL(r.Archive(p)), r.Sums[r.Archive(p)]})
			}
		}
		if len(b.Archives) > 0 {
			out = append(out, b)
		}
	}
	return out
}
