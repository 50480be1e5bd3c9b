package jest

import (
	"context"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestSettingsAreKnown: a report may hold each setting that is tried, and the server knows it.
func TestSettingsAreKnown(t *testing.T) {
	if !slices.Equal(settings, job.Settings) {
		t.Errorf("%v, not %v", settings, job.Settings)
	}
}

func TestSettingsOfState(t *testing.T) {
	for field, want := range map[string]int{
		"mock a.test.js send": 3, "spy axios.get": 1, "builtin console.log": 1, "core fs.readFile": 1,
		"var a.test.js count": 0, "env HOME": 0, "document body": 0,
	} {
		if got := (&Project{}).Settings([]string{"document title", field}); len(got) != want {
			t.Errorf("%s: %v", field, got)
		}
	}
	if _, err := (&Project{}).Configured("testMatch: []"); err == nil {
		t.Error("a setting of another kind is tried")
	}
}

// TestConfigured: a setting holds whatever file holds the configuration, for each project of it, and
// only where it is asked for.
func TestConfigured(t *testing.T) {
	const tests = `
		const send = jest.fn();
		test('sends', () => { send(); });
		test('sent nothing', () => { expect(send).not.toHaveBeenCalled(); });`
	const options = `clearMocks: false, testMatch: ['**/*.test.js']`
	for name, c := range map[string]struct {
		text     string // of the configuration
		manifest string
		packages []string
	}{
		"package.json":     {manifest: `"jest": {"clearMocks": false}, `},
		"jest.config.js":   {text: `module.exports = {` + options + `};`},
		"jest.config.cjs":  {text: `module.exports = async () => ({` + options + `});`},
		"jest.config.mjs":  {text: `export default {` + options + `};`},
		"jest.config.json": {text: `{"projects": [{"displayName": "one", "clearMocks": false}]}`},
		"jest.config.ts": {text: `const config: {clearMocks: boolean} = {clearMocks: false}; export default config;`,
			packages: []string{"ts-node@10", "typescript@5"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"a.test.js": tests,
				"package.json": `{"private": true, ` + c.manifest + `"scripts": {"test": "jest"}}`}
			if c.text != "" {
				files[name] = c.text
			}
			p := openProject(t, newProject(t, files, append([]string{"jest@30"}, c.packages...)...))
			order := suite.Order{"a.test.js#sends", "a.test.js#sent nothing"}
			at, err := p.Configured("clearMocks: true")
			if err != nil {
				t.Fatal(err)
			}
			plain, err := p.Build(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for want, site := range map[suite.Outcome]interface {
				Run(context.Context, suite.Order) (*suite.Run, error)
			}{suite.Pass: at, suite.Fail: plain} {
				if run, err := site.Run(t.Context(), order); err != nil || run.Last().Outcome != want {
					t.Errorf("%+v, %v; want %s", run, err, want)
				}
			}
			if text, err := p.Source(name); err != nil || text != files[name] {
				t.Errorf("the configuration is changed: %s, %v", text, err)
			}
		})
	}
}
