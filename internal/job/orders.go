package job

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A file of orders has one order in each line, with tabs between its tests. Display names may
// contain any character. Tabs, line breaks and backslashes in them are written as \t, \n, \r and
// \\. A backslash before any other character stands for itself, so hand-written files work.
var (
	escapes   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescapes = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

// WriteOrders writes a file of orders.
func WriteOrders(w io.Writer, orders [][]string) error {
	for _, o := range orders {
		words := make([]string, len(o))
		for i, t := range o {
			words[i] = escapes.Replace(t)
		}
		if _, err := io.WriteString(w, strings.Join(words, "\t")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// maxOrderLine is the length limit for one order in a file of orders, in bytes.
const maxOrderLine = 64 << 20

// ReadOrders reads a file of orders and skips empty lines. Its errors name the line.
func ReadOrders(in io.Reader) ([][]string, error) {
	var out [][]string
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 0, 1<<16), maxOrderLine)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimRight(sc.Text(), "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		tests := strings.Split(line, "\t")
		for i, t := range tests {
			if tests[i] = unescapes.Replace(t); strings.TrimSpace(tests[i]) == "" {
				return nil, fmt.Errorf("line %d holds a test without a name", n)
			}
		}
		out = append(out, tests)
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errors.New("it holds no order")
	}
	return out, nil
}
