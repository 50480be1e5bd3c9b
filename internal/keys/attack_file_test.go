package keys

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func words(text []byte) ([]string, error) {
	list := strings.Fields(string(text))
	if len(list) == 0 {
		return nil, errors.New("it is empty")
	}
	return list, nil
}

// TestAttackBrokenFiles: a file that cannot be used takes no secret away. What it has later counts at
// once, also if a link leads to another file then.
func TestAttackBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// As the kubelet does: secret -> ..data/secret, and ..data -> a folder of each version.
	turn := func(version string) {
		next := filepath.Join(dir, "next")
		if err := errors.Join(os.Symlink(version, next), os.Rename(next, filepath.Join(dir, "..data"))); err != nil {
			t.Fatal(err)
		}
	}
	write("v1/secret", "one")
	write("v2/secret", "two")
	turn("v1")
	path := filepath.Join(dir, "secret")
	if err := os.Symlink(filepath.Join("..data", "secret"), path); err != nil {
		t.Skip(err) // a system without links
	}
	f, err := Open(path, words)
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	f.Notify(func(now []string, err error) {
		if err != nil {
			now = append([]string{"broken"}, now...)
		}
		notes = append(notes, strings.Join(now, " "))
	})
	for _, c := range []struct {
		do      func()
		want    string
		correct bool
	}{
		{func() {}, "one", true},
		{func() { turn("v2") }, "two", true},
		{func() { write("v2/secret", "") }, "two", false},
		{func() { write("v2/secret", "thr") }, "thr", true},
		{func() { write("v2/secret", "six") }, "six", true}, // as long, and perhaps at the same time
		{func() { write("v2/secret", strings.Repeat("x", maxFile+1)) }, "six", false},
		{func() { turn("gone") }, "six", false},
		{func() { turn("v1") }, "one", true},
	} {
		c.do()
		if got := strings.Join(f.Get(), " "); got != c.want || (f.Err() == nil) != c.correct {
			t.Errorf("%q, want %q; %v", got, c.want, f.Err())
		}
	}
	if got := strings.Join(notes, ","); got != "two,broken two,thr,six,broken six,broken six,one" {
		t.Errorf("notes: %s", got)
	}
}

// TestAttackKeyInErrors: errors about a broken key do not show it.
func TestAttackKeyInErrors(t *testing.T) {
	const secret = "MIIEowIBAAKCAQEAxSecretSecret"
	for _, text := range []string{secret, "-----BEGIN RSA PRIVATE KEY-----\n" + secret + "\n-----END RSA PRIVATE KEY-----\n"} {
		if _, err := ParseKey([]byte(text)); err == nil || strings.Contains(err.Error(), "Secret") {
			t.Errorf("%v", err)
		}
	}
}
