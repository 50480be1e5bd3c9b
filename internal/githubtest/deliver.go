package githubtest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// send is the App's sender: one webhook after the other, until the server closes.
func (a *App) send() {
	defer a.s.done.Done()
	for {
		select {
		case <-a.s.ended.Done():
			return
		case <-a.wake:
		}
		for d := a.next(); d != nil; d = a.next() {
			a.post(d)
		}
	}
}

func (a *App) next() *Delivery {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if a.held || len(a.queue) == 0 || a.s.ended.Err() != nil {
		return nil
	}
	d := a.queue[0]
	a.queue = a.queue[1:]
	a.sending++
	return d
}

func (a *App) post(d *Delivery) {
	a.s.mu.Lock()
	url, secret := a.WebhookURL, a.WebhookSecret
	a.s.mu.Unlock()
	began := time.Now()
	header := a.hookHeaders(d, secret)
	code, status, answered, text := a.s.knock(url, header, d.Payload)
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	d.Done, d.StatusCode, d.Status, d.Duration, d.At = true, code, status, time.Since(began), a.s.now()
	d.requestHeaders, d.responseHeaders, d.response = flatten(header), flatten(answered), text
	a.sending--
	a.s.touch()
}

// hookHeaders are the headers of a webhook; GitHub still sends the old SHA-1
// signature beside the one that counts.
func (a *App) hookHeaders(d *Delivery, secret string) http.Header {
	h := http.Header{}
	h.Set("Accept", "*/*")
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "GitHub-Hookshot/"+strings.ToLower(randomHex(4))[:7])
	h.Set("X-GitHub-Delivery", d.GUID)
	h.Set("X-GitHub-Event", d.Event)
	h.Set("X-GitHub-Hook-ID", strconv.FormatInt(a.ID, 10))
	h.Set("X-GitHub-Hook-Installation-Target-ID", strconv.FormatInt(a.ID, 10))
	h.Set("X-GitHub-Hook-Installation-Target-Type", "integration")
	if secret != "" {
		h.Set("X-Hub-Signature-256", "sha256="+Sign(secret, d.Payload))
		old := hmac.New(sha1.New, []byte(secret))
		old.Write(d.Payload)
		h.Set("X-Hub-Signature", "sha1="+hex.EncodeToString(old.Sum(nil)))
	}
	return h
}

// Sign is the hexadecimal HMAC-SHA256 of a payload, as in X-Hub-Signature-256.
func Sign(secret string, payload []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(payload)
	return hex.EncodeToString(mac.Sum(nil))
}

// knock posts a webhook and says how that went, in GitHub's words.
func (s *Server) knock(url string, header http.Header, body []byte) (code int, status string, answered http.Header, text string) {
	ctx, cancel := context.WithTimeout(s.ended, s.config.Callback)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 502, "failed to connect to host", nil, ""
	}
	r.Header = header
	resp, err := hookClient.Do(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return 504, "timed out", nil, ""
	case err != nil:
		return 502, "failed to connect to host", nil, ""
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	status = "OK"
	if resp.StatusCode >= 400 {
		status = fmt.Sprintf("Invalid HTTP Response: %d", resp.StatusCode)
	}
	return resp.StatusCode, status, resp.Header, string(said)
}

// hookClient follows no redirects, as GitHub's does not.
var hookClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func flatten(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		out[name] = strings.Join(values, ", ")
	}
	return out
}

// kept is how long GitHub keeps deliveries for redelivery.
const kept = 3 * 24 * time.Hour

func (c *call) listDeliveries() (answer, error) {
	size := min(max(c.query("per_page", 30), 1), 100)
	before := int64(1<<62 - 1)
	if cursor, ok := strings.CutPrefix(c.r.URL.Query().Get("cursor"), "v1_"); ok {
		before, _ = strconv.ParseInt(cursor, 10, 64) // what is no cursor finds nothing
	}
	var part []*Delivery
	header := http.Header{}
	all := c.by.app.deliveries
	for i := len(all) - 1; i >= 0; i-- {
		d := all[i]
		if d.ID >= before || !d.Done || d.At.Before(c.s.now().Add(-kept)) {
			continue
		}
		if len(part) == size {
			header.Set("Link", fmt.Sprintf(`<%s/app/hook/deliveries?per_page=%d&cursor=v1_%d>; rel="next"`, c.s.URL, size, part[size-1].ID))
			break
		}
		part = append(part, d)
	}
	return answer{status: http.StatusOK, body: views(part, (*Delivery).item), header: header}, nil
}

func (d *Delivery) item() Object {
	number := func(n int64) any {
		if n == 0 {
			return nil
		}
		return n
	}
	return Object{"id": d.ID, "guid": d.GUID, "delivered_at": stamp(d.At), "redelivery": d.Redelivery,
		"duration": d.Duration.Seconds(), "status": d.Status, "status_code": d.StatusCode, "event": d.Event,
		"action": textOrNull(d.Action), "installation_id": number(d.Installation), "repository_id": number(d.Repository), "throttled_at": nil}
}

func (c *call) delivery() (*Delivery, error) {
	for _, d := range c.by.app.deliveries {
		if d.ID == c.number("delivery_id") && d.Done && !d.At.Before(c.s.now().Add(-kept)) {
			return d, nil
		}
	}
	return nil, notFound()
}

func (c *call) getDelivery() (answer, error) {
	d, err := c.delivery()
	if err != nil {
		return answer{}, err
	}
	o := d.item()
	o["url"] = c.by.app.WebhookURL
	o["request"] = Object{"headers": d.requestHeaders, "payload": json.RawMessage(d.Payload)}
	o["response"] = Object{"headers": d.responseHeaders, "payload": d.response}
	return ok(o), nil
}

func (c *call) redeliver() (answer, error) {
	d, err := c.delivery()
	if err != nil {
		return answer{}, err
	}
	again := &Delivery{ID: c.s.id("delivery"), GUID: d.GUID, Event: d.Event, Action: d.Action, Installation: d.Installation,
		Repository: d.Repository, Payload: d.Payload, At: c.s.now(), Redelivery: true}
	c.by.app.push(again)
	return answer{status: http.StatusAccepted, body: Object{}}, nil
}
