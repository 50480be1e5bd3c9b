package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The lists that strangers may have, by how many lists they lie in: tests, places of one, and the
// names with a place. A few bytes of JSON ("{},") become hundreds in memory: what is read is
// counted before it is.
var strangers = [...]int{10_000, mostOfTest, 100}

const maxPlaces = 30_000 // of all of a stranger's tests together

// bounded says whether the lists in a text are within what strangers may have.
func bounded(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	var lists []int // of those around, how much is in them; -1 for an object
	depth, places := 0, 0
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("it is not JSON of pollutions: %w", err)
		}
		mark, _ := t.(json.Delim)
		if mark == ']' || mark == '}' {
			if lists = lists[:len(lists)-1]; mark == ']' {
				depth--
			}
			continue
		}
		if i := len(lists) - 1; i >= 0 && lists[i] >= 0 {
			lists[i]++
			if depth == 2 {
				places++
			}
			if depth > len(strangers) || lists[i] > strangers[depth-1] || places > maxPlaces {
				return errors.New("it has longer lists than there can be")
			}
		}
		switch mark {
		case '[':
			lists, depth = append(lists, 0), depth+1
		case '{':
			lists = append(lists, -1)
		}
	}
}
