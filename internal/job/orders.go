package job

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A file of orders has one order a line, its tests separated by tabs. Display
// names may hold anything: tabs, line breaks and backslashes in them are written
// as \t, \n, \r and \\. A backslash before anything else stands for itself, so
// that what a person typed is read as it was meant.
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

// maxOrderLine bounds one order in a file of orders, in bytes.
const maxOrderLine = 64 << 20

// ReadOrders reads a file of orders; empty lines are no orders. Its errors name the line.
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
