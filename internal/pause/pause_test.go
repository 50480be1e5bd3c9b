package pause_test

import (
	"context"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/pause"
)

func TestFor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if !pause.For(ctx, 0) {
		t.Error("the wait was ended")
	}
	if cancel(); pause.For(ctx, time.Hour) {
		t.Error("it waited for an hour")
	}
}
