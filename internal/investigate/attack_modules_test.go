package investigate

import (
	"context"
	"testing"

	"github.com/odfix/odfix/internal/config"
)

// TestAttackPatternsOfModules: a module's entry is looked for once for each folder, and not after the time is
// over. Long names and patterns can make that take long.
func TestAttackPatternsOfModules(t *testing.T) {
	of := selected{tests: config.Tests{Modules: []config.Module{{Path: "core"}}}}
	for _, folder := range []string{"core", "core", "web", "web"} {
		if _, looked := of.module(t.Context(), folder); looked != (folder == "core") {
			t.Errorf("%s: %v", folder, looked)
		}
	}
	if len(of.known) != 2 {
		t.Errorf("%d folders are known", len(of.known))
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, looked := of.module(ctx, "libs"); looked || len(of.known) != 2 {
		t.Errorf("%v, %d folders are known", looked, len(of.known))
	}
	if _, looked := of.module(ctx, "core"); !looked {
		t.Error("what is known is forgotten")
	}
}
