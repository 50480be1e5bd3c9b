package ci

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func TestAnnotated(t *testing.T) {
	const path = "shop/src/test/java/com/example/shop/ReceiptTest.java"
	for _, c := range []struct {
		a    Annotation
		want string
	}{
		{Annotation{path, "ReceiptTest.printsTheTotal", "expected 5.00"}, "com.example.shop.ReceiptTest#printsTheTotal"},
		{Annotation{path, "com.example.shop.ReceiptTest.printsTheTotal", ""}, "com.example.shop.ReceiptTest#printsTheTotal"},
		{Annotation{"", "com.example.shop.ReceiptTest#printsTheTotal()", ""}, "com.example.shop.ReceiptTest#printsTheTotal"},
		{Annotation{path, "printsTheTotal(com.example.shop.ReceiptTest)", ""}, "com.example.shop.ReceiptTest#printsTheTotal"},
		{Annotation{path, "com.example.shop.ReceiptTest ► printsTheTotal", ""}, "com.example.shop.ReceiptTest#printsTheTotal"},
		{Annotation{path, "ReceiptTest > printsTheTotal FAILED", ""}, "com.example.shop.ReceiptTest#printsTheTotal"},
		{Annotation{path, "printsTheTotal()", "no words"}, "com.example.shop.ReceiptTest#printsTheTotal"},
		{Annotation{path, "Test failure", "ReceiptTest.printsTheTotal:26 expected 5.00"}, "com.example.shop.ReceiptTest#printsTheTotal"},
		{Annotation{path, "ReceiptTest$Euro.prints", ""}, "com.example.shop.ReceiptTest$Euro#prints"},
		{Annotation{`src\test\java\a\BTest.java`, "c", ""}, "a.BTest#c"},
		{Annotation{"", "OtherTest.c", ""}, "OtherTest#c"},
		{Annotation{path, "OtherTest.c", ""}, "OtherTest#c"},
		{Annotation{"src/main/java/com/example/shop/Receipt.java", "cannot find symbol", "symbol: class X"}, ""},
		{Annotation{".github", "Process completed with exit code 1.", ""}, ""},
		{Annotation{path, "", "java.lang.AssertionError: no"}, ""},
		{Annotation{"src/main/java/a/B.java", "unused", ""}, ""},
		{Annotation{"src/cart.test.js", "cart › adds up", "expected 2"}, "src/cart.test.js#cart › adds up"},
		{Annotation{"/home/runner/work/shop/shop/src/cart.test.ts", "cart › adds up", ""}, "src/cart.test.ts#cart › adds up"},
		{Annotation{"src/cart.test.js", "no-unused-vars", "x is not used"}, ""},
		{Annotation{}, ""},
		{Annotation{path, strings.Repeat("A", 5000), ""}, ""},
	} {
		got := strings.Join(Annotated([]Annotation{c.a, c.a}, "x").Failed, " ")
		if got != c.want {
			t.Errorf("%.80v: %q, not %q", c.a, got, c.want)
		}
	}
	ev := Annotated([]Annotation{{"", "ATest.x", ""}, {"", "BTest.y", ""}}, "check c")
	if !slices.Equal(ev.Tests, ev.Failed) || ev.Provenance != suite.Inferred || ev.Source != "check c" || len(ev.Notes) != 1 {
		t.Errorf("%+v", ev)
	}
	if ev := Annotated(nil, "x"); len(ev.Notes) > 0 {
		t.Errorf("%+v", ev)
	}
}

func FuzzAnnotated(f *testing.F) {
	f.Add("src/test/java/a/BTest.java", "BTest.c", "d")
	f.Add("", "c(a.BTest)", "B ► c")
	f.Fuzz(func(t *testing.T, path, title, message string) {
		for _, id := range Annotated([]Annotation{{path, title, message}}, "x").Failed {
			class, method, ok := strings.Cut(id, "#")
			if IsJest(id) && ok && method != "" {
				continue
			}
			if !ok || !isClass(class) || method == "" || strings.ContainsAny(id, " \n\t") && !strings.ContainsAny(id, "([{") {
				t.Errorf("%q of %q, %q", id, path, title)
			}
		}
	})
}
