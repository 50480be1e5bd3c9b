package templates

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suggest"
)

// manyLines are the fields of a report that may hold more than one line. In
// every other a line break is as suspicious as an escape sequence.
var manyLines = map[string]bool{
	"Diff": true, "Detail": true, "Stack": true, "Stacks": true, "Output": true,
}

// clean is a deep copy of the report that is safe to print.
func clean(r *job.Report) *job.Report {
	out := scrub(reflect.ValueOf(*r), false).Interface().(job.Report)
	return &out
}

// scrub copies a value and makes every string in it harmless.
func scrub(v reflect.Value, lines bool) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(Harmless(v.String(), lines))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(scrub(v.Elem(), lines))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(scrub(v.Index(i), lines))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMap(v.Type()))
			for it := v.MapRange(); it.Next(); {
				out.SetMapIndex(scrub(it.Key(), false), scrub(it.Value(), lines))
			}
		}
	case reflect.Struct:
		out.Set(v) // keeps what is not exported, as in time.Time
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out.Field(i).Set(scrub(v.Field(i), manyLines[f.Name]))
			}
		}
	default:
		out.Set(v)
	}
	return out
}

// Harmless makes foreign text safe for a terminal: whatever is not meant to be
// seen as a character is written as an escape. Line breaks stay only where
// several lines are expected; a carriage return that ends a line is dropped
// there, since it shows nothing.
func Harmless(s string, lines bool) string {
	if lines {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	if strings.IndexFunc(s, func(r rune) bool { return harmful(r, lines) }) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch _, n := utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !harmful(r, lines):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteByte(' ')
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// harmful are characters that are not seen, such as those that reverse the
// direction of writing. The one that gives an emoji its colour is not.
func harmful(r rune, lines bool) bool {
	return r != '\ufe0f' && (!lines || r != '\n' && r != '\t') && suggest.Unseen(r)
}
