package github

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

const (
	secret = "old secret"
	sha    = "1234567890123456789012345678901234567890"
	head   = `"installation":{"id":9},"repository":{"id":1,"full_name":"acme/shop","default_branch":"main"},"sender":{"login":"ann","type":"User"}`
)

var checkRun = `{"action":"completed","check_run":{"id":5,"name":"test","head_sha":"` + sha + `","conclusion":"failure"},` + head + `}`

// shelf is a DeliveryStore in memory.
type shelf struct {
	mu     sync.Mutex
	stored map[string]Delivery
	bodies map[string]bool
	err    error
	slow   chan struct{} // not nil: wait for it
}

func newShelf() *shelf { return &shelf{stored: map[string]Delivery{}, bodies: map[string]bool{}} }

// Receive implements DeliveryStore.
func (s *shelf) Receive(ctx context.Context, d Delivery) (bool, error) {
	if s.slow != nil {
		select {
		case <-s.slow:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.stored[d.GUID]; s.err != nil || there || d.Digest != "" && s.bodies[d.Digest] {
		return false, s.err
	}
	s.stored[d.GUID], s.bodies[d.Digest] = d, true
	return true, nil
}

type rig struct {
	*shelf
	hook *Webhook
	logs *observer.ObservedLogs
	seen []string
}

func newRig(t *testing.T, secrets ...string) *rig {
	t.Helper()
	if len(secrets) == 0 {
		secrets = []string{secret}
	}
	core, logs := observer.New(zapcore.DebugLevel)
	r := &rig{shelf: newShelf(), logs: logs}
	var err error
	r.hook, err = NewWebhook(r.shelf, WebhookOptions{Secrets: func() []string { return secrets }, Log: zap.New(core),
		Observe: func(event string, o Outcome, _ time.Duration) {
			r.seen = append(r.seen, event+" "+string(o))
		}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sign(key, body string) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// request returns a delivery as GitHub sends it.
func request(event, guid, body string) *http.Request {
	r := httptest.NewRequest("POST", "/webhook", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(headerEvent, event)
	r.Header.Set(headerGUID, guid)
	r.Header.Set(headerSignature, sign(secret, body))
	return r
}

func (r *rig) send(req *http.Request) (int, string) {
	w := httptest.NewRecorder()
	r.hook.ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

func TestADeliveryIsStored(t *testing.T) {
	r := newRig(t)
	if code, text := r.send(request("check_run", "g-1", checkRun)); code != 202 || text != "Stored.\n" {
		t.Fatalf("%d %s", code, text)
	}
	d := r.stored["g-1"]
	if d.Event == nil || d.Event.Check == nil || d.Event.Check.HeadSHA != sha || d.Event.Installation != 9 || d.Digest == "" {
		t.Errorf("%+v", d)
	}
	if code, text := r.send(request("check_run", "g-1", checkRun)); code != 200 || !strings.Contains(text, "before") {
		t.Errorf("again: %d %s", code, text)
	}
	if code, _ := r.send(request("check_run", "g-2", checkRun)); code != 200 || len(r.stored) != 1 {
		t.Errorf("replayed under another name: %d, %d stored", code, len(r.stored))
	}
	if got := strings.Join(r.seen, ", "); got != "check_run stored, check_run duplicate, check_run duplicate" {
		t.Error(got)
	}
}

// TestAPersonMayAskTwice checks that the same body under another GUID is a second request.
func TestAPersonMayAskTwice(t *testing.T) {
	r := newRig(t)
	body := strings.Replace(checkRun, "completed", "rerequested", 1)
	for n := range 2 {
		if code, text := r.send(request("check_run", fmt.Sprint("g-", n), body)); code != 202 {
			t.Errorf("%d %s", code, text)
		}
	}
	if len(r.stored) != 2 {
		t.Errorf("%d stored", len(r.stored))
	}
}

// TestSeveralSecrets checks that the old and the new secret are valid during a change, and a third
// is not.
func TestSeveralSecrets(t *testing.T) {
	r := newRig(t, "new secret", secret)
	n := 0
	for key, want := range map[string]int{secret: 202, "new secret": 202, "third": 401, "": 401} {
		n++
		body := strings.Replace(checkRun, `"id":5`, fmt.Sprintf(`"id":%d`, n), 1)
		req := request("check_run", fmt.Sprint("g-", n), body)
		req.Header.Set(headerSignature, sign(key, body))
		if code, text := r.send(req); code != want {
			t.Errorf("%q: %d %s", key, code, text)
		}
	}
}

func TestSecretsAreRequired(t *testing.T) {
	for _, list := range [][]string{nil, {""}, {" "}, {"good", ""}} {
		if _, err := NewWebhook(newShelf(), WebhookOptions{Secrets: func() []string { return list }}); err == nil || !strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", list, err)
		}
	}
}

func sha1Signature(body string) string {
	m := hmac.New(sha1.New, []byte(secret))
	m.Write([]byte(body))
	return "sha1=" + hex.EncodeToString(m.Sum(nil))
}

// TestInvalidRequests checks that each request is refused with advice, and that nothing is stored.
func TestInvalidRequests(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(checkRun))
	z.Close()
	for name, c := range map[string]struct {
		change func(*http.Request)
		code   int
		text   string
	}{
		"another method": {func(r *http.Request) { r.Method = "GET" }, 405, "POST"},
		"form": {func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") },
			415, "application/json"},
		"no type":         {func(r *http.Request) { r.Header.Del("Content-Type") }, 415, "application/json"},
		"gzip":            {func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415, "without compression"},
		"no event":        {func(r *http.Request) { r.Header.Del(headerEvent) }, 400, headerEvent},
		"odd event":       {func(r *http.Request) { r.Header.Set(headerEvent, "a/b\nc") }, 400, headerEvent},
		"two events":      {func(r *http.Request) { r.Header.Add(headerEvent, "push") }, 400, headerEvent},
		"no delivery":     {func(r *http.Request) { r.Header.Del(headerGUID) }, 400, headerGUID},
		"long delivery":   {func(r *http.Request) { r.Header.Set(headerGUID, strings.Repeat("a", 65)) }, 400, headerGUID},
		"no signature":    {func(r *http.Request) { r.Header.Del(headerSignature) }, 401, "secret"},
		"two signatures":  {func(r *http.Request) { r.Header.Add(headerSignature, sign("x", checkRun)) }, 401, headerSignature},
		"short signature": {func(r *http.Request) { r.Header.Set(headerSignature, "sha256=ab") }, 401, headerSignature},
		"no digits": {func(r *http.Request) { r.Header.Set(headerSignature, "sha256="+strings.Repeat("x", 64)) },
			401, headerSignature},
		"SHA-1 alone": {func(r *http.Request) {
			r.Header.Set("X-Hub-Signature", sha1Signature(checkRun))
			r.Header.Del(headerSignature)
		}, 401, headerSignature},
		"SHA-1 as SHA-256": {func(r *http.Request) { r.Header.Set(headerSignature, sha1Signature(checkRun)) }, 401, headerSignature},
		"other secret": {func(r *http.Request) { r.Header.Set(headerSignature, sign("guess", checkRun)) },
			401, "different webhook secrets"},
		"other body": {func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(strings.Replace(checkRun, "9", "8", 1)))
		}, 401, "different webhook secrets"},
		"zipped body, signed": {func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(zipped.Bytes())), int64(zipped.Len())
			r.Header.Set(headerSignature, sign(secret, zipped.String()))
		}, 400, "not JSON"},
		"declared to be large": {func(r *http.Request) { r.ContentLength = MaxBody + 1 }, 413, "larger"},
		"large": {func(r *http.Request) {
			r.Body,
				r.ContentLength = io.NopCloser(io.LimitReader(zeros{}, 1<<40)), -1
		}, 413, "larger"},
		"cut off": {func(r *http.Request) { r.ContentLength += 10 }, 400, "incomplete"},
		"breaks off": {func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("{"), broken{})), -1
		}, 400, "incomplete"},
	} {
		r := newRig(t)
		req := request("check_run", "g", checkRun)
		c.change(req)
		if code, text := r.send(req); code != c.code || !strings.Contains(text, c.text) {
			t.Errorf("%s: %d %s", name, code, text)
		}
		if len(r.stored) > 0 {
			t.Errorf("%s: it is stored", name)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// TestInvalidBodies sends signed bodies that are not deliveries.
func TestInvalidBodies(t *testing.T) {
	for name, c := range map[string]struct{ event, body, text string }{
		"empty":           {"check_run", "", "not JSON"},
		"text":            {"check_run", "hello", "not JSON"},
		"half":            {"check_run", checkRun[:100], "not JSON"},
		"two":             {"check_run", checkRun + checkRun, "not JSON"},
		"unknown, broken": {"gollum", "{", "not JSON"},
		"deep":            {"check_run", strings.Repeat(`{"a":`, 1<<20), "not JSON"},
		"deep, closed":    {"check_run", strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20), "not JSON"},
		"list":            {"check_run", "[]", "not what GitHub sends"},
		"other types":     {"check_run", strings.Replace(checkRun, `"id":9`, `"id":"x"`, 1), "installation.id"},
		"huge number":     {"check_run", strings.Replace(checkRun, `"id":9`, `"id":1e999`, 1), "installation.id"},
		"no installation": {"check_run", strings.Replace(checkRun, `"installation":{"id":9},`, "", 1), "the App's own"},
		"no repository":   {"check_run", strings.Replace(checkRun, `"repository":{`, `"repo":{`, 1), "no repository"},
		"no commit":       {"check_run", strings.Replace(checkRun, sha, "main", 1), "no commit"},
		"odd commit":      {"check_run", strings.Replace(checkRun, sha, strings.Repeat("g", 40), 1), "no commit"},
	} {
		r := newRig(t)
		if code, text := r.send(request(c.event, "g", c.body)); code != 400 || !strings.Contains(text, c.text) || len(r.stored) > 0 {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
}

// TestIgnoredEvents checks that such an event is answered with success, and not stored.
func TestIgnoredEvents(t *testing.T) {
	for name, c := range map[string]struct{ event, body string }{
		"unknown event":  {"gollum", `{"x":1}`},
		"other action":   {"check_run", strings.Replace(checkRun, "completed", "created", 1)},
		"ping":           {"ping", `{"zen":"Keep it logically awesome.","hook":{"id":1}}`},
		"pending status": {"status", `{"state":"pending","sha":"` + sha + `",` + head + `}`},
	} {
		r := newRig(t)
		if code, text := r.send(request(c.event, "g", c.body)); code != 202 ||
			!strings.Contains(text, "does not use") || len(r.stored) > 0 {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
}

// TestFailingStore checks that the delivery is not acknowledged, so that it can be delivered again.
func TestFailingStore(t *testing.T) {
	r := newRig(t)
	r.err = errors.New("disk full at /secret/place")
	code, text := r.send(request("check_run", "g", checkRun))
	if code != 503 || strings.Contains(text, "secret/place") || !strings.Contains(text, "redeliver") {
		t.Errorf("%d %s", code, text)
	}
	if r.logs.FilterLevelExact(zapcore.ErrorLevel).Len() != 1 {
		t.Error("the error is not logged")
	}
}

// TestLogsHoldNoSecrets checks that the logs hold no secret, no signature and no body.
func TestLogsHoldNoSecrets(t *testing.T) {
	r := newRig(t)
	for _, change := range []func(*http.Request){
		func(*http.Request) {}, func(r *http.Request) { r.Header.Set(headerSignature, sign("x", checkRun)) },
		func(r *http.Request) { r.Header.Set(headerEvent, strings.Repeat("e", 5000)) },
	} {
		req := request("check_run", "g", checkRun)
		change(req)
		r.send(req)
	}
	for _, e := range r.logs.All() {
		line := fmt.Sprint(e.Message, e.ContextMap())
		if len(line) > 600 || strings.Contains(line, secret) || strings.Contains(line, sign(secret, checkRun)[7:]) ||
			strings.Contains(line, sha) {
			t.Error(line)
		}
	}
}

// TestMemoryIsBounded checks that large bodies wait for memory, and that those that wait too long
// get an error that asks for redelivery. Ordinary bodies do not wait.
func TestMemoryIsBounded(t *testing.T) {
	r := newRig(t)
	if !r.hook.room.large.TryAcquire(largeInFlight) {
		t.Fatal("there is no room")
	}
	large := strings.Replace(checkRun, `{`, `{`+strings.Repeat(" ", ordinaryBody), 1)
	for _, length := range []int64{int64(len(large)), -1} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		req := request("check_run", "g", large).WithContext(ctx)
		req.ContentLength = length
		if code, text := r.send(req); code != 503 || !strings.Contains(text, "redeliver") {
			t.Errorf("%d %s", code, text)
		}
		cancel()
	}
	if code, _ := r.send(request("check_run", "ordinary", checkRun)); code != 202 {
		t.Errorf("an ordinary one: %d", code)
	}
	r.hook.room.large.Release(largeInFlight)
	if code, _ := r.send(request("check_run", "g", large)); code != 202 {
		t.Errorf("%d", code)
	}
	if !r.hook.room.large.TryAcquire(largeInFlight) {
		t.Error("room is not given back")
	}
}

// TestASenderThatGoesAway checks over a real connection that a sender that disconnects leaves
// nothing stored.
func TestASenderThatGoesAway(t *testing.T) {
	r := newRig(t)
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer close(done)
		r.hook.ServeHTTP(w, req)
	}))
	defer server.Close()
	c, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s: check_run\r\n%s: g\r\n"+
		"%s: %s\r\nContent-Length: %d\r\n\r\n%s",
		headerEvent, headerGUID, headerSignature, sign(secret, checkRun), len(checkRun), checkRun[:20])
	c.Close()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for the rest")
	}
	if len(r.stored) > 0 || !r.hook.room.large.TryAcquire(largeInFlight) {
		t.Error("something is left")
	}
}
