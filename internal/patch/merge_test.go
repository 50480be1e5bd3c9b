package patch

import (
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	const base = "a\nb\nc\nc\nc\nd\n"
	for _, c := range []struct{ name, a, b, want string }{
		{"apart", "a\nx\nb\nc\nc\nc\nd\n", "a\nb\nc\nc\nc\ny\nd\n", "a\nx\nb\nc\nc\nc\ny\nd\n"},
		{"the same twice", "a\nx\nb\nc\nc\nc\nd\n", "a\nx\nb\nc\nc\nc\nd\n", "a\nx\nb\nc\nc\nc\nd\n"},
		{"one is none", base, "b\nc\nc\nc\nd\n", "b\nc\nc\nc\nd\n"},
		{"at one point", "a\nx\nb\nc\nc\nc\nd\n", "a\ny\nb\nc\nc\nc\nd\n", ""},
		{"imports at one point", "import x;\n" + base, "import y;\n" + base, "import x;\nimport y;\n" + base},
		{"contradiction", "a\nc\nc\nc\nd\n", "a\nB\nc\nc\nc\nd\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Merge(base, c.a, c.b, false); got != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

// TestMergeAtOnePoint: what two patches insert at one point is joined if the result is proved.
func TestMergeAtOnePoint(t *testing.T) {
	const base = "class T {\n    int a;\n\n    @Test\n    void works() {\n        a();\n    }\n}\n"
	method := func(mark, name, statement string) string {
		return strings.Replace(base, "    int a;\n", "    int a;\n\n    @"+mark+"\n    void "+name+"() {\n        "+statement+"\n    }\n", 1)
	}
	start := func(statements string) string {
		return strings.Replace(base, "        a();\n", statements+"        a();\n", 1)
	}
	end := func(mark, statement string) string { // as the diff of a method after the last one is cut
		return strings.Replace(base, "        a();\n    }\n", "        a();\n    }\n\n    @"+mark+"\n    void "+
			strings.ToLower(mark)+"() {\n        "+statement+"\n    }\n", 1)
	}
	for name, c := range map[string]struct{ a, b, want string }{
		"one method": {method("Before", "prepare", "x();"), method("Before", "prepare", "y();"), method("Before", "prepare", "x();\n        y();")},
		"two methods": {method("Before", "prepare", "x();"), method("After", "clean", "y();"),
			strings.Replace(method("Before", "prepare", "x();"), "x();\n    }\n",
				"x();\n    }\n\n    @After\n    void clean() {\n        y();\n    }\n", 1)},
		"at the end": {end("Before", "x();"), end("After", "y();"),
			strings.Replace(end("Before", "x();"), "x();\n    }\n",
				"x();\n    }\n\n    @After\n    void after() {\n        y();\n    }\n", 1)},
		"statements":   {start("        x();\n"), start("        y();\n"), start("        x();\n        y();\n")},
		"more of it":   {start("        x();\n"), start("        x();\n        y();\n"), start("        x();\n        y();\n")},
		"a whole line": {start("        x();\n"), strings.Replace(base, "        a();\n", "        b();\n", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := Merge(base, c.a, c.b, true); got != c.want || ok != (c.want != "") {
				t.Errorf("%v\n%s\ninstead of\n%s", ok, got, c.want)
			}
		})
	}
}
