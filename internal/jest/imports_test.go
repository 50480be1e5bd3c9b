package jest

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestImportsOfResets: a function that resets the polluted module is imported as the file imports
// others.
func TestImportsOfResets(t *testing.T) {
	const body = "\nit('x', () => {\n  use();\n});\n"
	const module = "export let n = 0;\nexport function use() { n++; }\nexport const reset = () => { n = 0; };\n"
	for name, c := range map[string]struct {
		file, text  string // of the test
		at, exports string // of the module
		call        string // "": none is offered
		want        string // the beginning of the patched file
	}{
		"named import": {"a.test.js", "import { use } from './cart';\n" + body, "cart.js", module, "reset()",
			"import { use, reset } from './cart';\n"},
		"named imports in lines": {"a.test.js", "import {\n  use,\n} from './cart';\n" + body, "cart.js", module, "reset()",
			"import {\n  use, reset,\n} from './cart';\n"},
		"braces of a require": {"a.test.js", "const { use } = require('./cart')\n" + body, "cart.js",
			"let n = 0;\nmodule.exports = { use() { n++; }, reset() { n = 0; } };\n", "reset()", "const { use, reset } = require('./cart')\n"},
		"one function of a require": {"a.test.js", "const use = require('./cart').use;\n" + body, "cart.js",
			"let n = 0;\nexports.use = () => { n++; };\nexports.reset = () => { n = 0; };\n", "reset()",
			"const use = require('./cart').use;\nconst { reset } = require('./cart');\n"},
		"imported by another module": {"web/a.test.js", "import { use } from \"./page\";\nimport \"./set-up\";\n" + body, "src/cart/index.js",
			module, "reset()", "import { use } from \"./page\";\nimport \"./set-up\";\nimport { reset } from \"../src/cart\";\n"},
		"TypeScript": {"a.test.ts", "import type { Cart } from './cart';\nimport { use } from './page';\n" + body, "cart.ts", module, "reset()",
			"import type { Cart } from './cart';\nimport { use } from './page';\nimport { reset } from './cart';\n"},
		"TypeScript with extensions": {"a.test.ts", "import { use } from './page.js';\n" + body, "cart.ts", module, "reset()",
			"import { use } from './page.js';\nimport { reset } from './cart.js';\n"},
		"no import": {"a.test.js", "/**\n * @jest-environment jsdom\n */\n'use strict';\n" + body, "cart.js", module, "reset()",
			"/**\n * @jest-environment jsdom\n */\n'use strict';\n\nconst { reset } = require('./cart');\n\nafterEach("},
		"the name is taken": {"a.test.js", "import { use } from './cart';\nconst reset = 1;\n" + body, "cart.js", module, "resetCart()",
			"import { use, reset as resetCart } from './cart';\n"},
		"the name is taken, by require": {"a.test.js", "const { use } = require('./cart');\nconst reset = 1;\n" + body, "cart.js", module, "resetCart()",
			"const { use, reset: resetCart } = require('./cart');\n"},
		"a default export": {"a.test.js", "import { use } from './page';\n" + body, "shopping-cart.js", "export default { n: 0, clear() { this.n = 0; } };\n",
			"shoppingCart.clear()", "import { use } from './page';\nimport shoppingCart from './shopping-cart';\n"},
		"it needs arguments":  {"a.test.js", "import { use } from './cart';\n" + body, "cart.js", "export const use = () => {}; export const reset = (to) => {};\n", "", ""},
		"it resets nothing":   {"a.test.js", "import { use } from './cart';\n" + body, "cart.js", "export const use = () => {};\n", "", ""},
		"it is imported":      {"a.test.js", "import { use, reset } from './cart';\n" + body, "cart.js", module, "reset()", "import { use, reset } from './cart';\n"},
		"the whole is known":  {"a.test.js", "import * as cart from './cart';\n" + body, "cart.js", module, "cart.reset()", "import * as cart from './cart';\n"},
		"the whole, required": {"a.test.js", "const cart = require('./cart');\n" + body, "cart.js", module, "cart.reset()", "const cart = require('./cart');\n"},
	} {
		t.Run(name, func(t *testing.T) {
			e := editorOf(t, map[string]string{c.file: c.text, c.at: c.exports, "page.js": "", "web/page.js": ""})
			e.p.files = []string{c.file}
			test := suite.TestID(c.file + "#x")
			field := "var " + c.at + " n"
			got, err := e.Resets(t.Context(), project.ResetQuery{Reset: true, Fields: []string{field},
				Cause: repair.Cause{Cases: []repair.Case{{Test: test}}, Polluter: suite.Order{test}}})
			if err != nil {
				t.Fatal(err)
			}
			ours := slices.DeleteFunc(got.Made, func(m patch.Made) bool {
				return strings.HasPrefix(m.Statements[0], "jest.") || strings.Contains(m.Statements[0], "Storage.") || !strings.HasSuffix(m.Statements[0], "()") || c.call == ""
			})
			if c.call == "" {
				for _, m := range got.Made {
					if len(m.Imports) > 0 {
						t.Errorf("offered: %+v", m)
					}
				}
				return
			}
			if len(ours) != 1 || ours[0].Statements[0] != c.call {
				t.Fatalf("offered: %+v", got.Made)
			}
			built, err := e.Build(t.Context(), repair.Edit{Made: &ours[0], Keep: ours[0].IDs(), Location: patch.PolluterTeardown, At: test, Style: patch.Inline})
			if err != nil {
				t.Fatal(err)
			}
			text := built.Files[c.file]
			if !strings.HasPrefix(text, c.want) || strings.Count(text, "import ")+strings.Count(text, "require(") != strings.Count(c.want, "import ")+strings.Count(c.want, "require(") ||
				!strings.Contains(text, "afterEach(() => {\n  "+c.call) {
				t.Errorf("%s", text)
			}
		})
	}
}

// TestImportsThatMislead: where a name stands for something else, or the module is not there, the
// statements do not fit.
func TestImportsThatMislead(t *testing.T) {
	e := editorOf(t, map[string]string{
		"a.test.js": "const reset = () => {};\nit('x', () => {});\n", "cart.js": "export function reset() {}\n",
		"b.test.js": "it('x', () => {});\n",
	})
	for at, module := range map[suite.TestID]string{"a.test.js#x": "cart.js", "b.test.js#x": "missing.js"} {
		made := patch.Made{Statements: []string{"reset()"}, Imports: []patch.Import{{Name: "reset", Module: module}}}
		if built, err := e.Build(t.Context(), repair.Edit{Made: &made, Keep: made.IDs(), Location: patch.PolluterTeardown, At: at, Style: patch.Inline}); err == nil {
			t.Errorf("%s: %s", at, built.Files)
		}
	}
}
