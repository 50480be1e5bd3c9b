package work

import (
	"bytes"
	"errors"
	"mime/multipart"
	"net/http"
	"testing"
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
