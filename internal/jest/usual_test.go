package jest

import "testing"

// TestUsual: what the hooks of other files call comes before what no file has.
func TestUsual(t *testing.T) {
	own := lines("import { setInputs, resetAll, clearInputs } from './inputs';", "afterEach(() => {});", "test('x', () => { setInputs(); process.env.MODE = 'x'; });", "test('y', () => {});")
	for name, c := range map[string]struct {
		other string
		first string
	}{
		"a hook of another file":                {lines("import { clearInputs } from '../inputs';", "describe('b', () => {", "  afterEach(async () => {", "    await clearInputs();", "  });", "});"), "clearInputs()"},
		"not in a hook":                         {lines("import { clearInputs } from '../inputs';", "test('b', () => {", "  clearInputs();", "});"), "resetAll()"},
		"another module's function of the name": {lines("import { clearInputs } from './inputs';", "afterEach(() => {", "  clearInputs();", "});"), "resetAll()"},
		"the file's own function of the name":   {lines("afterEach(() => {", "  clearInputs();", "});", "function clearInputs() {}"), "resetAll()"},
		"a global":                              {lines("beforeEach(() => {", "  jest.restoreAllMocks();", "});"), "resetAll()"},
	} {
		e := editorOf(t, map[string]string{"inputs.js": "export function setInputs() {}\nexport function resetAll() {}\nexport function clearInputs() {}\n", "a.test.js": own,
			"sub/b.test.js": c.other, "sub/inputs.js": "export function clearInputs() {}\n"})
		e.p.files = []string{"a.test.js", "sub/b.test.js"}
		got, _ := proposals(t, e, "a.test.js#y", "a.test.js#x")
		if len(got) == 0 || got[0] != c.first {
			t.Errorf("%s: %q", name, got)
		}
	}
}
