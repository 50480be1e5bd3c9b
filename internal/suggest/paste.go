package suggest

import (
	"encoding/base64"
	"strings"
)

// stand are characters that can replace others in a pasted block. Characters that are rare in
// sources come first.
const stand = "~^%|#$!?&+=:;,<>"

// Pasteable returns a command for a POSIX shell that contains a patch and applies it. Browsers and
// terminals change some characters: a tab means completion in an interactive shell, and a carriage
// return does not survive a web page. If the patch contains such characters, they are replaced by
// characters that it does not contain. If it contains bytes that no page can carry, the whole patch
// is in base64.
func Pasteable(diff string) string {
	if !strings.HasSuffix(diff, "\n") {
		diff += "\n"
	}
	if strings.Contains(diff, "\t") || strings.Contains(diff, "\r") || anyOdd(diff) {
		return disguised(diff)
	}
	end := delimiter(diff)
	return "git apply <<'" + end + "'\n" + diff + end
}

func disguised(diff string) string {
	from, to, plain := "", "", diff
	for _, c := range []struct{ char, name string }{{"\t", `\t`}, {"\r", `\r`}} {
		if !strings.Contains(plain, c.char) {
			continue
		}
		free := unused(plain)
		if free == "" {
			return encoded(diff)
		}
		from, to, plain = from+free, to+c.name, strings.ReplaceAll(plain, c.char, free)
	}
	if anyOdd(plain) {
		return encoded(diff)
	}
	end := delimiter(plain)
	return "tr '" + from + "' '" + to + "' <<'" + end + "' | git apply\n" + plain + end
}

func unused(text string) string {
	for _, c := range stand {
		if !strings.ContainsRune(text, c) {
			return string(c)
		}
	}
	return ""
}

const decode = "base64 --decode <<'END' | git apply\n"

// Readable reports whether people can read the patch in such a command.
func Readable(paste string) bool { return !strings.HasPrefix(paste, decode) }

func encoded(diff string) string {
	var b strings.Builder
	text := base64.StdEncoding.EncodeToString([]byte(diff))
	for len(text) > 76 {
		b.WriteString(text[:76] + "\n")
		text = text[76:]
	}
	return decode + b.String() + text + "\nEND"
}

// delimiter returns a word that ends a here-document and is no line of the text.
func delimiter(text string) string {
	end := "END"
	for strings.Contains("\n"+text, "\n"+end+"\n") {
		end += "_"
	}
	return end
}

func anyOdd(text string) bool {
	for l := range strings.Lines(text) {
		if Odd(strings.TrimSuffix(l, "\n")) {
			return true
		}
	}
	return false
}
