package java

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/lockfile"
)

// temporary is a folder for temporary files of tests. The next runner that asks for a folder
// removes those of killed runners.
type temporary struct {
	dir  string // for the tests
	all  string
	lock io.Closer
}

// The names are short, because tests also create sockets there, and paths of sockets are short.
var temporaries = lockfile.Folders{Prefix: "odfix-", Lock: ".runner.lock", RemoveAll: build.RemoveAll}

func newTemporary() (*temporary, error) {
	temporaries.Sweep(nil)
	all, lock, err := temporaries.Make()
	if err != nil {
		return nil, err
	}
	t := &temporary{dir: filepath.Join(all, "t"), all: all, lock: lock} // the lock is outside the tests' folder
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close removes the folder.
func (t *temporary) Close() error {
	if t == nil {
		return nil
	}
	return errors.Join(build.RemoveAll(t.all), t.lock.Close())
}
