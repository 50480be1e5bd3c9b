package jest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
)

var _ project.Configurable = (*Project)(nil)

// settings are those of job.Settings, the mildest first.
var settings = []string{"clearMocks: true", "restoreMocks: true", "resetMocks: true"}

// Settings implements project.Configurable.
func (p *Project) Settings(fields []string) []string {
	isMock := func(field string) bool { return strings.HasPrefix(field, "mock ") }
	isReplaced := func(field string) bool {
		return slices.ContainsFunc([]string{"spy ", "builtin ", "core "}, func(kind string) bool { return strings.HasPrefix(field, kind) })
	}
	switch {
	case slices.ContainsFunc(fields, isMock):
		return settings
	case slices.ContainsFunc(fields, isReplaced): // perhaps by a spy, which only this one undoes
		return []string{"restoreMocks: true"}
	}
	return nil
}

// Configured implements project.Configurable. Each of these settings is also an option of Jest's
// command. Jest puts its options in the place of what the configuration says, for each of its
// projects and whatever file holds it: package.json, jest.config.js, or the options of another tool.
func (p *Project) Configured(setting string) (repair.Site, error) {
	name, isOn := strings.CutSuffix(setting, ": true")
	if !isOn || !slices.Contains(settings, setting) {
		return nil, fmt.Errorf("%q is no setting of Jest that odfix tries", setting)
	}
	pool := func(s *slot) (*harness.Pool, error) { return p.variant(variant{s, "--" + name}) }
	return &site{l: p.processes, pool: pool}, nil
}
