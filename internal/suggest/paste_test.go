package suggest

import (
	"os/exec"
	"strings"
	"testing"
)

// pasted is what git gets to read when the command is run by a shell.
func pasted(t *testing.T, command string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", strings.Replace(command, "git apply", "cat", 1)).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, command)
	}
	return string(out)
}

func TestPasteable(t *testing.T) {
	for name, c := range map[string]struct{ diff, begins string }{
		"plain":          {"+a\n", "git apply <<'END'\n"},
		"tab":            {"+\ta\n", `tr '~' '\t' <<'END'`},
		"tab and return": {"+\ta\r\n", `tr '~^' '\t\r' <<'END'`},
		"tilde taken":    {"+\ta~\n", `tr '^' '\t' <<'END'`},
		"all taken":      {"+\ta" + stand + "\n", "base64 --decode"},
		"escape":         {"+\x1b\n", "base64 --decode"},
		"not UTF-8":      {"+\xff\n", "base64 --decode"},
		"long":           {strings.Repeat("+\x01\n", 200), "base64 --decode"},
		"delimiter":      {"+a\nEND\nEND_\n", "git apply <<'END__'\n"},
		"expansions":     {"+$HOME `id` $(id) \\ ! 'x' \"y\"\n", "git apply <<'END'\n"},
		"no newline":     {"+a", "git apply <<'END'\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Pasteable(c.diff)
			if !strings.HasPrefix(got, c.begins) {
				t.Errorf("%s", got)
			}
			if back := pasted(t, got); strings.TrimSuffix(back, "\n") != strings.TrimSuffix(c.diff, "\n") {
				t.Errorf("%q came as %q", c.diff, back)
			}
		})
	}
}

func FuzzPasteable(f *testing.F) {
	f.Add("+\ta\r\n b\n")
	f.Add("END\n")
	f.Add("$(x)\n'\n")
	f.Fuzz(func(t *testing.T, diff string) {
		command := Pasteable(diff)
		if i := strings.IndexAny(command, "\t\r\x00\x1b"); i >= 0 {
			t.Errorf("%q at %d cannot be pasted", command[i], i)
		}
		if back := pasted(t, command); strings.TrimSuffix(back, "\n") != strings.TrimSuffix(diff, "\n") {
			t.Errorf("%q came as %q", diff, back)
		}
	})
}
