package engine

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/build"
	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/runner/junit"
)

// livingSpec is the command for a process that answers many questions, putting back behind each what the tests changed.
// It is called by one at a time.
func (p *project) livingSpec(l build.Launch, overlay string) (harness.Spec, error) {
	agent, err := junit.Unpack(filepath.Dir(filepath.Dir(p.jar)), junit.State)
	if err != nil {
		return harness.Spec{}, err
	}
	jvm := p.jvm(l)
	if overlay != "" {
		jvm.Overlay = []string{overlay}
	}
	jvm.Agent, jvm.Living, jvm.Quick = agent, true, true
	const tmpdir = "java.io.tmpdir"
	if own := jvm.Properties[tmpdir] != "" || slices.ContainsFunc(jvm.Args, func(a string) bool { return strings.HasPrefix(a, "-D"+tmpdir+"=") }); !own {
		if p.temporary == nil {
			if p.temporary, err = newTemporary(); err != nil {
				return harness.Spec{}, err
			}
		}
		jvm.AgentFile = p.temporary.dir
	}
	return jvm.Spec()
}
