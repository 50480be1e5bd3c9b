package maven

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/odfix/odfix/runner/junit"
)

// cacheVersion changes whenever Launch or the code that fills it changes.
const cacheVersion = 9

// cacheEntry is a record and the conditions under which it is valid.
type cacheEntry struct {
	Key      string           `json:"key"`
	Files    map[string]stamp `json:"files"` // what is on the class path, outside the copy
	Maven    string           `json:"maven"`
	Alone    bool             `json:"alone"`
	Phase    string           `json:"phase"`
	Failsafe bool             `json:"failsafe"` // Failsafe has tests, and its phase was not recorded
	Launches []Launch         `json:"launches"`
}

// stamp distinguishes a changed file from an unchanged one.
type stamp struct {
	Size  int64 `json:"size"`
	MTime int64 `json:"mtime"`
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{-1, 0}
	}
	if info.IsDir() {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime().UnixNano()}
}

// cacheKey covers all that decides what Maven would record: every file of the checkout, Maven and
// its settings, the JDK, odfix's extension, and the options.
func (p *Project) cacheKey() string {
	h := sha256.New()
	jar, _ := junit.Unpack(filepath.Join(p.opts.Work, "jars"), junit.Launch)
	fmt.Fprintf(h, "%d %q %q %q %q %q %v\n", cacheVersion, jar, p.opts.Args, p.maven.Command, p.module, p.javaHome(), p.slot)
	for _, name := range []string{"MAVEN_OPTS", "MAVEN_ARGS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "PATH"} {
		fmt.Fprintf(h, "%q\n", os.Getenv(name))
	}
	home, _ := os.UserHomeDir()
	for _, f := range []string{filepath.Join(home, ".m2", "settings.xml"), filepath.Join(home, ".m2", "toolchains.xml"), p.maven.Command[0],
		filepath.Join(p.javaHome(), "release")} {
		fmt.Fprintln(h, f, stampOf(f))
	}
	for _, path := range p.files.paths() {
		e := p.files[path]
		fmt.Fprintf(h, "%q %d %d %o %q\n", path, e.Size, e.MTime, e.Mode, e.Link)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (p *Project) javaHome() string {
	if p.opts.JavaHome != "" {
		return p.opts.JavaHome
	}
	return os.Getenv("JAVA_HOME")
}

// jdk identifies the JDK, however its path is written. Another JDK may not be able to load classes
// that this one compiled.
func (p *Project) jdk() string {
	home := p.javaHome()
	if home == "" {
		java, err := exec.LookPath("java")
		if err != nil {
			return ""
		}
		home = java
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		return real
	}
	return home
}

func (p *Project) cacheFile() string { return filepath.Join(p.slot, "launches.json") }

// cached returns the last record if it is still valid.
func (p *Project) cached(key string) ([]Launch, bool) {
	var c cacheEntry
	if readJSON(p.cacheFile(), &c) != nil || c.Key != key {
		return nil, false
	}
	for file, was := range c.Files {
		if stampOf(file) != was {
			return nil, false
		}
	}
	if c.Failsafe && p.missesTests(c.Launches) {
		return nil, false
	}
	p.maven.Version, p.alone, p.phase = c.Maven, c.Alone, c.Phase
	return c.Launches, true
}

// dropRecord removes the last record before a build begins in the copy. If the build is stopped
// early, compiled outputs that the record needs may be missing, also those of another module.
func (p *Project) dropRecord() error {
	if err := os.Remove(p.cacheFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return diskError("cannot give up the last record of the build", err)
	}
	return nil
}

// store keeps a record for the next run. A failure costs only another run of Maven.
func (p *Project) store(key string, launches []Launch, failsafe bool) {
	c := cacheEntry{Key: key, Files: map[string]stamp{}, Maven: p.maven.Version, Alone: p.alone, Phase: p.phase,
		Failsafe: failsafe, Launches: launches}
	for _, l := range launches {
		for _, list := range [][]string{l.ClassPath, l.ProviderPath, {l.Java}} {
			for _, file := range list {
				c.Files[file] = stampOf(file)
			}
		}
	}
	if data, err := json.Marshal(c); err == nil {
		os.WriteFile(p.cacheFile(), data, 0o644)
	}
}
