package githubtest

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fault makes requests fail as they do on bad days.
type Fault struct {
	Operation string // GitHub's id, such as "checks/create"; empty: any
	Path      string // part of the path; empty: any
	Skip      int    // so many requests pass before
	Times     int    // so many fail; 0 means one, negative all

	Kind       FaultKind
	Status     int  // of Broken (502) and of the limits (403)
	RetryAfter int  // seconds; 0: the header is missing
	After      bool // the request takes effect, and only its answer is lost
}

// FaultKind is how a request fails.
type FaultKind int

// The kinds of faults.
const (
	Broken         FaultKind = iota // a page of HTML with a 5xx status
	CutOff                          // the connection ends without an answer
	PrimaryLimit                    // no requests left in this hour
	SecondaryLimit                  // too many at once
	Missing                         // 404: the API does not show yet what a webhook told
)

// Fail makes the next requests that fit fail.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Times == 0 {
		f.Times = 1
	}
	s.faults = append(s.faults, &f)
}

// fault is the one that this request runs into, if any.
func (s *Server) fault(c *call) *Fault {
	for i, f := range s.faults {
		if f.Operation != "" && (c.end == nil || c.end.op.ID != f.Operation) || !strings.Contains(c.r.URL.Path, f.Path) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			return nil
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

func (f *Fault) answer(s *Server) (a answer, cut bool) {
	status := func(otherwise int) int {
		if f.Status != 0 {
			return f.Status
		}
		return otherwise
	}
	switch f.Kind {
	case CutOff:
		return answer{}, true
	case PrimaryLimit:
		p := &problem{status: status(http.StatusForbidden), message: "API rate limit exceeded for installation.", docs: limitDocs}
		a = withBody(p.answer(limitDocs))
		a.header = http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Limit": {"5000"},
			"X-Ratelimit-Reset": {strconv.FormatInt(s.now().Add(time.Minute).Unix(), 10)}}
	case SecondaryLimit:
		a = withBody(secondaryLimit(status(http.StatusForbidden)).answer(limitDocs))
	case Missing:
		a = withBody(notFound().answer("https://docs.github.com/rest"))
	default:
		a = answer{status: status(http.StatusBadGateway), media: "text/html; charset=utf-8",
			raw: []byte("<!DOCTYPE html><title>Unicorn!</title><p>This page is taking too long to load.")}
	}
	if f.RetryAfter > 0 {
		if a.header == nil {
			a.header = http.Header{}
		}
		a.header.Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	return a, false
}
