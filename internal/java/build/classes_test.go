package build

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// classBytes returns a class file with only its constants.
func classBytes(words ...string) []byte {
	out := binary.BigEndian.AppendUint32(nil, 0xCAFEBABE)
	out = append(out, 0, 0, 0, 61)
	out = binary.BigEndian.AppendUint16(out, uint16(len(words)+3))
	out = append(out, 5, 0, 0, 0, 0, 0, 0, 0, 1) // a long takes two indexes
	for _, w := range words {
		out = append(out, 1)
		out = binary.BigEndian.AppendUint16(out, uint16(len(w)))
		out = append(out, w...)
	}
	return out
}

func TestReaching(t *testing.T) {
	main, tests := t.TempDir(), t.TempDir()
	for path, words := range map[string][]string{
		main + "/shop/Settings.class":         {"shop/Settings", "Settings.java"},
		main + "/shop/Prices.class":           {"shop/Prices", "Prices.java", "(Lshop/Settings;I)V"},
		main + "/shop/Prices$1.class":         {"shop/Prices$1", "Prices.java"},
		main + "/shop/Alone.class":            {"shop/Alone", "Alone.java"},
		tests + "/shop/PricesTest.class":      {"shop/PricesTest", "PricesTest.java", "[Lshop/Prices$1;"},
		tests + "/shop/ReflectTest.class":     {"shop/ReflectTest", "Many.kt", "shop.Settings"},
		tests + "/shop/AloneTest.class":       {"shop/AloneTest", "AloneTest.java", "shop/Alone"},
		tests + "/other/shop/Settings2.class": {"other/shop/Settings2", "Settings.java"},
		tests + "/shop/NoClass.class":         nil,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text := classBytes(words...)
		if words == nil {
			text = []byte("no class")
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := ReadClasses([]string{main, tests, main + "/none", "x.jar"})
	if err != nil {
		t.Fatal(err)
	}
	changed, rest := c.From([]string{"src/main/java/shop/Settings.java", "pom.xml", "src/main/java/shop/Gone.java"})
	if d := cmp.Diff([]string{"pom.xml", "src/main/java/shop/Gone.java"}, rest); d != "" {
		t.Error(d)
	}
	want := map[string]bool{"shop.Settings": true, "shop.Prices": true, "shop.PricesTest": true, "shop.ReflectTest": true}
	if d := cmp.Diff(want, c.Reaching(changed)); d != "" {
		t.Error(d)
	}
	kotlin, _ := c.From([]string{"src/test/kotlin/shop/Many.kt"})
	if d := cmp.Diff(map[string]bool{"shop.ReflectTest": true}, kotlin); d != "" {
		t.Error(d)
	}
}

func FuzzConstants(f *testing.F) {
	f.Add(classBytes("a/B", "B.java"))
	f.Add([]byte{0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61, 0xff, 0xff, 1, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, text []byte) {
		words, err := constants(text)
		for _, w := range words {
			classNames(w)
		}
		if err == nil && len(text) < 10 {
			t.Error("a class file of nothing")
		}
	})
}
