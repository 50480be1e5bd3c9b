package maven

import (
	"encoding/gob"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// write stores the manifest. A reader finds all of it, or the one before.
func (m manifest) write(file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), "manifest.*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = gob.NewEncoder(f).Encode(m)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

func (m manifest) paths() []string { return slices.Sorted(maps.Keys(m)) }

func readManifest(file string) (m manifest, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return m, gob.NewDecoder(f).Decode(&m)
}
