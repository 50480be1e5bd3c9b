package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// listed is a zip archive that lists so many files, all with the same header, and names another
// number of them.
func listed(n int, named uint16) []byte {
	list := bytes.Repeat(append(append([]byte(entry), make([]byte, 24)...), // no name, no content
		make([]byte, 18)...), n)
	end := binary.LittleEndian.AppendUint16([]byte("PK\x05\x06\x00\x00\x00\x00"), named)
	end = binary.LittleEndian.AppendUint16(end, named)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(list)))
	return append(append(list, end...), make([]byte, 6)...) // the list is at 0; no comment
}

// TestAttackManyEntries: the list of a zip archive is not read if it is too long, also if the archive
// says that it is short.
func TestAttackManyEntries(t *testing.T) {
	l, none := Limits{Members: 100_000}, func(string) bool { return false }
	fits := zipOf(t, member{name: "a"}, member{name: "b"}, member{name: "c"})
	if _, err := Some(t.Context(), bytes.NewReader(fits), int64(len(fits)), t.TempDir(), none, Limits{Members: 3}); err != nil {
		t.Errorf("as many files as allowed: %v", err)
	}
	const n = 8<<16 + 1
	for _, named := range []uint16{1, 0xffff} {
		packed := listed(n, named)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Some(t.Context(), bytes.NewReader(packed), int64(len(packed)), t.TempDir(), none, l)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "more than 100000 files") {
			t.Errorf("%d files, named %d: %v", n, named, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
			t.Errorf("%d files, named %d, take %d KiB", n, named, used>>10)
		}
	}
}

// TestEntriesAreCounted: each entry counts once, wherever it is.
func TestEntriesAreCounted(t *testing.T) {
	for _, size := range []int{0, 3, 4, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200 << 10} {
		for at := max(0, 64<<10-8); at < 64<<10+8; at++ {
			text := bytes.Repeat([]byte("x"), size)
			want := 0
			for _, p := range []int{0, at, 2*at + 5} {
				if p+len(entry) <= size {
					copy(text[p:], entry)
					want++
				}
			}
			if got, err := entries(t.Context(), bytes.NewReader(text), int64(size)); err != nil || got != want {
				t.Errorf("%d of %d in %d bytes, one at %d, %v", got, want, size, at, err)
			}
		}
	}
}

// TestAttackManyFoldersInAZip: folders around few files count as files do, and take room of a disk.
func TestAttackManyFoldersInAZip(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range 30 {
		if _, err := z.Create(fmt.Sprintf("%d/%sTEST-a.xml", i, strings.Repeat("a/", 90))); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	all := func(string) bool { return true }
	for name, l := range map[string]Limits{
		"files": {Members: 500, Bytes: 1 << 30, Ratio: 1 << 20},
		"bytes": {Members: 1 << 20, Bytes: 1 << 20, Ratio: 1 << 20},
	} {
		if _, err := Some(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), t.TempDir(), all, l); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
