package jest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFindCommand: a script may reach Jest by way of other scripts, wrappers and setters of
// variables; what only concerns how results are shown is left out.
func TestFindCommand(t *testing.T) {
	t.Setenv("ODFIX_TEST_OPTIONS", "--no-warnings")
	t.Setenv("ODFIX_TEST_NONE", "")
	for _, c := range []struct {
		name    string
		scripts map[string]string
		want    command
	}{
		{"plain", map[string]string{"test": "jest"}, command{script: "test"}},
		{"options", map[string]string{"test": "jest --ci --coverage --maxWorkers 2 -c jest.unit.js --env=jsdom src"},
			command{script: "test", args: []string{"-c", "jest.unit.js", "--env=jsdom"}, patterns: []string{"src"}}},
		{"variables and a linter", map[string]string{"test": "eslint . && cross-env TZ=UTC NODE_ENV=test jest --watch"},
			command{script: "test", env: []string{"TZ=UTC", "NODE_ENV=test"}}},
		{"modules of ECMAScript", map[string]string{"test": "node --experimental-vm-modules node_modules/jest/bin/jest.js"},
			command{script: "test", node: []string{"--experimental-vm-modules"}}},
		{"Node's options in a variable", map[string]string{"test": `NODE_OPTIONS="--experimental-vm-modules --no-warnings" npx jest`},
			command{script: "test", env: []string{"NODE_OPTIONS=--experimental-vm-modules --no-warnings"}}},
		{"variables of the environment", map[string]string{"test": `NODE_OPTIONS="$ODFIX_TEST_OPTIONS --experimental-vm-modules" TZ=${ODFIX_TEST_NONE:-UTC} A='$B' jest $ODFIX_TEST_NONE --env=${ODFIX_TEST_NONE-node} \$c`},
			command{script: "test", env: []string{"NODE_OPTIONS=--no-warnings --experimental-vm-modules", "TZ=UTC", "A=$B"},
				args: []string{"--env=node"}, patterns: []string{"$c"}}},
		{"another script", map[string]string{"test": "npm run lint && npm run test:unit -- --env node",
			"lint": "eslint .", "test:unit": "jest --projects a b"},
			command{script: "test", args: []string{"--projects", "a", "b", "--env", "node"}}},
		{"yarn", map[string]string{"test": "yarn jest --silent"}, command{script: "test"}},
		{"yarn after variables", map[string]string{"test": "cross-env TZ=UTC yarn jest"},
			command{script: "test", env: []string{"TZ=UTC"}}},
		{"react-scripts", map[string]string{"test": "react-scripts test --watchAll=false"},
			command{script: "test", wrapper: []string{"react-scripts", "test", "--watchAll=false"}}},
		{"vue", map[string]string{"test:unit": "vue-cli-service test:unit"},
			command{script: "test:unit", wrapper: []string{"vue-cli-service", "test:unit"}}},
		{"a tool before Jest in another script", map[string]string{"test:unit": "vue-cli-service test:unit", "test:watch": "jest --watch"},
			command{script: "test:unit", wrapper: []string{"vue-cli-service", "test:unit"}}},
		{"a tool and a linter", map[string]string{"test": "npm run lint && npm run unit -- src", "lint": "eslint test", "unit": "A=1 kcd-scripts test"},
			command{script: "test", env: []string{"A=1"}, wrapper: []string{"kcd-scripts", "test", "src"}}},
		{"Jest itself rather than a tool", map[string]string{"test": "some-tool test", "test:unit": "jest"}, command{script: "test:unit"}},
		{"a script of the package", map[string]string{"test": "node scripts/test.js"},
			command{script: "test", wrapper: []string{"node", "scripts/test.js"}}},
		{"a tool that is none of Jest's", map[string]string{"test": "turbo run test"}, command{}},
		{"scripts that call each other", map[string]string{"test": "npm run unit", "unit": "npm run test"}, command{}},
		{"none", map[string]string{"test": "vitest run"}, command{}},
	} {
		if d := cmp.Diff(c.want, findCommand(c.scripts), cmp.AllowUnexported(command{})); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
