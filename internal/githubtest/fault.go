package githubtest

import (
	"cmp"
	"net/http"
	"time"
)

// Fault makes requests of one operation fail.
type Fault struct {
	Operation string // GitHub's id, such as "checks/create"
	Times     int    // how many requests fail; 0 means one, a negative number all

	Kind       FaultKind
	Status     int  // of the secondary limit; 0: 403
	RetryAfter int  // seconds; 0: the header is missing
	After      bool // the request takes effect, and only its answer is lost
}

// FaultKind is how a request fails.
type FaultKind int

// The kinds of faults.
const (
	Broken         FaultKind = iota // 502 and a page of HTML
	CutOff                          // the connection ends without an answer
	SecondaryLimit                  // too many requests at once
	Missing                         // 404: the API does not show yet what a webhook named
)

// Fail makes the next requests of an operation fail.
func (s *Server) Fail(f Fault) {
	defer s.lock()()
	f.Times = cmp.Or(f.Times, 1)
	s.faults = append(s.faults, &f)
}

// fault is the fault of this request, or nil.
func (s *Server) fault(c *call) *Fault {
	for i, f := range s.faults {
		if c.what() != f.Operation {
			continue
		}
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			}
		}
		return f
	}
	return nil
}

func (f *Fault) answer() (a answer, cut bool) {
	switch f.Kind {
	case CutOff:
		return answer{}, true
	case SecondaryLimit:
		status := http.StatusForbidden
		if f.Status != 0 {
			status = f.Status
		}
		return withBody(secondaryLimit(status, time.Duration(f.RetryAfter)*time.Second).answer(limitDocs)), false
	case Missing:
		return withBody(notFound().answer("https://docs.github.com/rest")), false
	}
	return answer{status: http.StatusBadGateway, media: "text/html; charset=utf-8",
		raw: []byte("<!DOCTYPE html><title>Unicorn!</title><p>This page is taking too long to load.")}, false
}
