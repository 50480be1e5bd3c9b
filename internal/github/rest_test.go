package github

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestRequestsEnd: nothing of a request stays after its answer, also of one that GitHub refuses.
func TestRequestsEnd(t *testing.T) {
	for status, body := range map[int]string{200: `{"id": 7}`, 404: `{"message": "Not Found"}`, 202: `{}`, 500: ""} {
		var of context.Context
		c := newREST(statusTrip(func(r *http.Request) (int, string) {
			of = r.Context()
			if _, bounded := of.Deadline(); !bounded {
				t.Error("the request has no deadline")
			}
			return status, body
		}))
		_, _, err := c.Repositories.GetByID(t.Context(), 7)
		if (err == nil) != (status == 200) {
			t.Errorf("%d: %v", status, err)
		}
		if of.Err() == nil {
			t.Errorf("%d: the request goes on after its answer", status)
		}
	}
}

// TestAttackLargeErrors: an error that is very large takes no place from other answers.
func TestAttackLargeErrors(t *testing.T) {
	a := newAnswers(statusTrip(func(*http.Request) (int, string) {
		return 422, `{"message": "` + strings.Repeat("x", mostAnswer) + `"}`
	}))
	if _, _, err := newREST(a).Repositories.GetByID(t.Context(), 7); err == nil {
		t.Error("no error")
	}
	if len(a.places) != 0 {
		t.Errorf("%d places are taken", len(a.places))
	}
}

// statusTrip answers each request with a status and JSON.
type statusTrip func(*http.Request) (int, string)

func (t statusTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := t(r)
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(body))}, nil
}
