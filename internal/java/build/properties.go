package build

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// ParseProperties reads a Java properties file, as java.util.Properties.load does: comments,
// continued lines, escapes. It accepts any text.
func ParseProperties(data string) map[string]string {
	props := map[string]string{}
	for _, line := range logicalLines(data) {
		key, value := cutProperty(line)
		props[unescape(key)] = unescape(value)
	}
	return props
}

// logicalLines joins lines that end in an odd number of backslashes with the next one.
func logicalLines(data string) []string {
	data = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)
	var out []string
	var line strings.Builder
	continued := false
	for _, raw := range strings.Split(data, "\n") {
		raw = strings.TrimLeft(raw, " \t\f")
		if !continued && (raw == "" || raw[0] == '#' || raw[0] == '!') {
			continue
		}
		slashes := len(raw) - len(strings.TrimRight(raw, `\`))
		continued = slashes%2 == 1
		if continued {
			raw = raw[:len(raw)-1]
		}
		line.WriteString(raw)
		if !continued {
			out = append(out, line.String())
			line.Reset()
		}
	}
	if line.Len() > 0 {
		out = append(out, line.String())
	}
	return out
}

// cutProperty splits at the first unescaped '=', ':' or white space.
func cutProperty(line string) (key, value string) {
	end := len(line)
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if strings.IndexByte("=: \t\f", line[i]) >= 0 {
			end = i
			break
		}
	}
	value = strings.TrimLeft(line[end:], " \t\f")
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], " \t\f")
	}
	return line[:end], value
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			if s[i] != '\\' {
				out.WriteByte(s[i])
			}
			continue
		}
		i++
		switch c := s[i]; c {
		case 't':
			out.WriteByte('\t')
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 'f':
			out.WriteByte('\f')
		case 'u':
			units, used := utf16Units(s[i-1:])
			out.WriteString(string(utf16.Decode(units)))
			i += used - 2
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// utf16Units reads consecutive \uXXXX escapes. Two of them may form one character.
func utf16Units(s string) (units []uint16, used int) {
	for strings.HasPrefix(s[used:], `\u`) && len(s) >= used+6 {
		n, err := strconv.ParseUint(s[used+2:used+6], 16, 16)
		if err != nil {
			break
		}
		units = append(units, uint16(n))
		used += 6
	}
	if used == 0 {
		used = 2 // a stray \u is dropped
	}
	return units, used
}
