package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dashboard"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/templates"
)

// hookRoutes are the routes for the internet: webhooks, pages, and a health check.
func (s *server) hookRoutes(hook http.Handler, pages *dashboard.Dashboard) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/webhook", hook)
	pages.Register(mux)
	mux.HandleFunc("GET /{$}", home)
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	return mux
}

// home is the page to which comments link. It explains odfix.
func home(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	io.WriteString(w, templates.Home()) //nolint:errcheck // a client that has gone needs no answer
}

// opsRoutes are the routes for operators. The metrics show how busy an App is, so the internet must
// not reach them.
func (s *server) opsRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.opsHealth)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.Handle("GET /metrics", s.metrics.handler())
	return mux
}

// healthz answers if the process runs. It does not check the database, because a restart repairs no
// database.
func (s *server) healthz(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }

// opsHealth is healthz for operators: it also says what is paused. It answers ok while the database
// does not answer.
func (s *server) opsHealth(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	text := "ok"
	list, err := store.Read(ctx, s.store, func(tx *store.Tx) ([]store.Pause, error) { return tx.Pauses() })
	if err == nil && len(list) > 0 {
		text += "\n" + strings.TrimSuffix(pausesText(list), "\n")
	}
	say(w, http.StatusOK, text)
}

// readyz answers whether deliveries can be stored.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if !s.ready.Load() {
		say(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	if err := s.store.Ping(ctx); err != nil {
		s.log.Error("the database does not answer", zap.Error(err))
		say(w, http.StatusServiceUnavailable, "the database does not answer")
		return
	}
	say(w, http.StatusOK, "ready")
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	w.Write([]byte(text + "\n")) // a client that has gone needs no answer
}
