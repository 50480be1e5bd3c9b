package jest

import "testing"

// Code that tests share is no production code.
func TestOfTests(t *testing.T) {
	for path, want := range map[string]bool{
		"/src/cart.ts": false, "/lib/api/index.js": false, "/jest.setup.ts": true, "/src/setupTests.js": true, "/src/__mocks__/fs.js": true,
		"/test/helpers.js": true, "/src/__tests__/util.js": true, "/node_modules/x/index.js": true, "/spec/support.js": true,
	} {
		if got := ofTests.MatchString(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
