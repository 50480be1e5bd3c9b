package verdict

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Marker is the hidden first line of every body. It identifies the cause and stays the same over
// several pushes, because it contains no line and no commit. It is only trusted in bodies that the
// App itself wrote.
type Marker struct {
	Kind    suite.Verdict `json:"kind"`
	By      []string      `json:"by,omitempty"`      // polluters or state-setters, sorted
	Victims []string      `json:"victims,omitempty"` // sorted
	Part    int           `json:"part,omitempty"`    // of several comments of one review, from 1
	Settled bool          `json:"settled,omitempty"` // the body says that the cause is gone

	fingerprint string
}

// maxMarked is how many names of each kind a marker contains, and maxName how long a name may be.
const (
	maxMarked = 10
	maxName   = 200
)

// newMarker makes the marker of a cause. The fingerprint is computed from all names, even if the
// marker does not contain all of them.
func newMarker(kind suite.Verdict, by, victims []string) Marker {
	by, victims = sortedSet(by), sortedSet(victims)
	text, _ := json.Marshal([]any{kind, by, victims}) // strings only: cannot fail
	sum := sha256.Sum256(text)
	return Marker{Kind: kind, By: few(by), Victims: few(victims), fingerprint: hex.EncodeToString(sum[:8])}
}

func sortedSet(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out)
}

// few limits the names in a marker. A name that is too long is replaced by its hash.
func few(names []string) []string {
	var out []string
	for _, n := range names[:min(len(names), maxMarked)] {
		if len(n) > maxName {
			sum := sha256.Sum256([]byte(n))
			n = strings.ToValidUTF8(n[:maxName-17], "") + "~" + hex.EncodeToString(sum[:8])
		}
		out = append(out, strings.ToValidUTF8(n, "\uFFFD"))
	}
	return out
}

// Fingerprint identifies kind, polluters or state-setters, and victims.
func (m Marker) Fingerprint() string { return m.fingerprint }

// Line returns the marker as a line of a body. Base64 keeps names from ending the HTML comment.
func (m Marker) Line() string {
	text, _ := json.Marshal(m) // as above
	return "<!-- odfix:1 " + m.fingerprint + " " + base64.StdEncoding.EncodeToString(text) + " -->"
}

var markerLine = regexp.MustCompile(`^<!-- odfix:1 ([0-9a-f]{16}) ([A-Za-z0-9+/=]+) -->\r?(\n|$)`)

// FindMarker reads the marker of a body. It only counts in the first line, which never contains
// foreign text.
func FindMarker(body string) (Marker, bool) {
	found := markerLine.FindStringSubmatch(body)
	if found == nil {
		return Marker{}, false
	}
	text, err := base64.StdEncoding.DecodeString(found[2])
	m := Marker{fingerprint: found[1]}
	if err != nil || json.Unmarshal(text, &m) != nil {
		return Marker{}, false
	}
	return m, true
}

// Match finds, for each new marker, the index of the old marker of the same cause, or -1. An equal
// fingerprint counts most, then a common victim, then equal polluters or state-setters: a push may
// add a victim, or change which polluter is the first. No old marker is used twice. Callers leave
// out the markers of further parts of a review, which are not matched.
func Match(old, now []Marker) []int {
	out := make([]int, len(now))
	taken := make([]bool, len(old))
	for i := range out {
		out[i] = -1
	}
	for _, same := range []func(a, b Marker) bool{
		func(a, b Marker) bool { return a.fingerprint == b.fingerprint },
		func(a, b Marker) bool { return overlap(a.Victims, b.Victims) },
		func(a, b Marker) bool { return a.Kind == b.Kind && len(a.By) > 0 && slices.Equal(a.By, b.By) },
	} {
		for i := range now {
			for k := range old {
				if out[i] < 0 && !taken[k] && same(old[k], now[i]) {
					out[i], taken[k] = k, true
				}
			}
		}
	}
	return out
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
