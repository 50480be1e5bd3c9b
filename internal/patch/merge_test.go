package patch

import "testing"

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
			if got, ok := Merge(base, c.a, c.b); got != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}
