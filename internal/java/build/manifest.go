package build

import (
	"bytes"
	"encoding/gob"
	"maps"
	"os"
	"slices"

	"github.com/odfix/odfix/internal/wholefile"
)

// write stores the manifest. A reader finds the whole manifest or the whole previous one.
func (m manifest) write(file string) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(m); err != nil {
		return err
	}
	return wholefile.Write(file, b.Bytes(), 0o600)
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
