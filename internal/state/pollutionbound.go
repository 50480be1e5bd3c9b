package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// strangers limits lists in a file from an untrusted source, by the depth of the list: tests,
// changes of a test, and names of a change. A few bytes of JSON ("{},") take hundreds of bytes in
// memory once decoded, so lists are counted before they are decoded.
var strangers = [...]int{10_000, mostOfTest, 100}

const maxPlaces = 30_000 // changes of all tests together

// bounded returns an error if lists in the text are longer than strangers allows.
func bounded(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	var lists []int // the length so far of each open list; -1 for an object
	depth, fields := 0, 0
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
				fields++
			}
			if depth > len(strangers) || lists[i] > strangers[depth-1] || fields > maxPlaces {
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
