package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// cacheVersion changes whenever Launch or the code that fills it changes.
const cacheVersion = 10

// cacheEntry is a record of a build and the conditions under which it is valid.
type cacheEntry struct {
	Key      string           `json:"key"`
	Files    map[string]stamp `json:"files"` // what is on the class path, outside the copy
	State    json.RawMessage  `json:"state"` // what the build tool's package keeps with it
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

// Key covers what decides the record of a build: every file of the checkout, the JDK and its
// environment, the arguments, and what the build tool's package adds: settings, whose files may be
// missing, and anything else.
func (w *Workspace) Key(settings []string, more ...any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %q %q %q\n", cacheVersion, w.Opts.Args, w.javaHome(), w.slot)
	for _, name := range []string{"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "PATH"} {
		fmt.Fprintf(h, "%q\n", os.Getenv(name))
	}
	for _, f := range append(settings, filepath.Join(w.javaHome(), "release")) {
		fmt.Fprintln(h, f, stampOf(f))
	}
	for _, m := range more {
		fmt.Fprintf(h, "%q\n", m)
	}
	for _, path := range w.files.paths() {
		e := w.files[path]
		fmt.Fprintf(h, "%q %d %d %o %q\n", path, e.Size, e.MTime, e.Mode, e.Link)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (w *Workspace) javaHome() string {
	if w.Opts.JavaHome != "" {
		return w.Opts.JavaHome
	}
	return os.Getenv("JAVA_HOME")
}

// jdk identifies the JDK, however its path is written. Another JDK may not be able to load classes
// that this one compiled.
func (w *Workspace) jdk() string {
	home := w.javaHome()
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

func (w *Workspace) cacheFile() string { return w.Beside("launches.json") }

// Recorded returns the last record if it is still valid, and reads what Keep stored with it into
// state.
func (w *Workspace) Recorded(key string, state any) ([]Launch, bool) {
	var c cacheEntry
	if ReadJSON(w.cacheFile(), &c) != nil || c.Key != key {
		return nil, false
	}
	for file, was := range c.Files {
		if stampOf(file) != was {
			return nil, false
		}
	}
	return c.Launches, json.Unmarshal(c.State, state) == nil
}

// Forget removes the last record before a build begins in the copy. If the build is stopped early,
// compiled outputs that the record needs may be missing, also those of another module.
func (w *Workspace) Forget() error {
	if err := os.Remove(w.cacheFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return DiskError("cannot give up the last record of the build", err)
	}
	return nil
}

// Keep stores a record for the next run. A failure costs only another run of the build.
func (w *Workspace) Keep(key string, state any, launches []Launch) {
	w.markBuilt()
	c := cacheEntry{Key: key, Files: map[string]stamp{}, Launches: launches}
	for _, l := range launches {
		for _, list := range [][]string{l.ClassPath, l.ProviderPath, {l.Java}} {
			for _, file := range list {
				c.Files[file] = stampOf(file)
			}
		}
	}
	var err error
	if c.State, err = json.Marshal(state); err != nil {
		return
	}
	if data, err := json.Marshal(c); err == nil {
		os.WriteFile(w.cacheFile(), data, 0o644)
	}
}

// ReadJSON reads a file of JSON.
func ReadJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
