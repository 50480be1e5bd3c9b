package jest

import "testing"

// TestParserThatEnded: a parser whose process ends answers the next question with another one.
func TestParserThatEnded(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": "it('x', () => {});\n"})
	e.parser.child.Kill()
	if _, err := e.parser.outline(t.Context(), "a.test.js", "it('x', () => {});\n"); err == nil || isUnfit(err) {
		t.Errorf("a process that was killed answers: %v", err)
	}
	if _, err := e.parser.outline(t.Context(), "a.test.js", "it('x', () => {});\n"); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := e.parser.outline(t.Context(), "b.test.js", ""); err == nil {
		t.Error("a closed parser answers")
	}
}
