package dashboard

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/sync/semaphore"
)

// slow is a browser that does not read before a time.
type slow struct {
	*httptest.ResponseRecorder
	begun, read chan struct{}
}

func (s slow) Write(b []byte) (int, error) {
	close(s.begun)
	<-s.read
	return s.ResponseRecorder.Write(b)
}

// TestAttackSlowExports: exports and pages that browsers do not read take bounded memory. Others are asked to
// come again.
func TestAttackSlowExports(t *testing.T) {
	d := &Dashboard{sending: semaphore.NewWeighted(mostSending)}
	export := func(size int, w http.ResponseWriter) {
		if err := d.attach(w, &view{id: 1, days: 30}, "application/json", "json", bytes.NewBuffer(make([]byte, size))); err != nil {
			t.Error(err)
		}
	}
	first := slow{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		export(mostSending-100, first)
	}()
	<-first.begun
	for size, want := range map[int]int{1000: http.StatusServiceUnavailable, 50: http.StatusOK} {
		w := httptest.NewRecorder()
		if export(size, w); w.Code != want {
			t.Errorf("%d bytes beside it: status %d, want %d", size, w.Code, want)
		}
	}
	page := httptest.NewRecorder()
	if err := d.send(page, string(make([]byte, 1000))); err != nil || page.Code != http.StatusServiceUnavailable {
		t.Errorf("a page beside it: status %d, %v", page.Code, err)
	}
	close(first.read)
	<-done
	w := httptest.NewRecorder()
	if export(1000, w); w.Code != http.StatusOK || w.Body.Len() != 1000 || first.Body.Len() != mostSending-100 {
		t.Errorf("afterwards: status %d, %d bytes; the first has %d", w.Code, w.Body.Len(), first.Body.Len())
	}
}
