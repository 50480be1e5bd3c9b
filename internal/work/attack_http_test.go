package work

import (
	"bytes"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// TestAttackForms: a body is only read within its limit, also if it calls itself a form.
func TestAttackForms(t *testing.T) {
	o, _, s := opened(t, secret)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "file")
	if err == nil {
		_, err = part.Write(make([]byte, maxBody-maxReport+1<<20))
	}
	if err = errors.Join(err, form.WriteField("first", "1"), form.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+Prefix+"tasks/t1/messages", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer one-job")
	r.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest || len(o.taken) > 0 {
		t.Errorf("status %d, %d taken", resp.StatusCode, len(o.taken))
	}
}

// TestAttackSlowBodies: while a body of a task arrives, no other one of it takes a place.
func TestAttackSlowBodies(t *testing.T) {
	h := &handler{o: HandlerOptions{Tasks: new(one), Log: zap.NewNop()}, bodies: places{most: 3}}
	post := func() int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?first=1", nil)
		r.SetPathValue("id", "t1")
		r.Header.Set("Authorization", "Bearer one-job")
		w := httptest.NewRecorder()
		h.messages(w, r)
		return w.Code
	}
	h.bodies.enter("t1") // as a request that still sends
	if code := post(); code != http.StatusTooManyRequests {
		t.Errorf("a second body: %d", code)
	}
	h.bodies.leave("t1")
	if code := post(); code != http.StatusOK || len(h.bodies.taken) > 0 {
		t.Errorf("after it: %d, %d places", code, len(h.bodies.taken))
	}
}

// TestPlaces: one for each task, and a bounded number of all.
func TestPlaces(t *testing.T) {
	p := places{most: 2}
	if !p.enter("a") || p.enter("a") || !p.enter("b") || p.enter("c") {
		t.Error("wrong places")
	}
	if p.leave("a"); !p.enter("c") || p.enter("a") {
		t.Error("a place that was left is not free, or there are more")
	}
}

// TestAttackManyNames: ids that are none of tasks are neither counted nor looked up.
func TestAttackManyNames(t *testing.T) {
	h := &handler{o: HandlerOptions{Log: zap.NewNop()}}
	for _, id := range []string{strings.Repeat("a", 10000), "a\x00b", "A", ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		r.SetPathValue("id", id)
		r.Header.Set("Authorization", "Bearer x")
		w := httptest.NewRecorder()
		if _, _, _, ok := h.held(w, r); ok || w.Code != http.StatusUnauthorized { // without Tasks, a look-up would panic
			t.Errorf("%.20q: %d", id, w.Code)
		}
	}
	if len(h.rates.counts) > 2 { // a second may pass
		t.Errorf("%d keys", len(h.rates.counts))
	}
}
