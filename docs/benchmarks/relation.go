//go:build ignore

// How many pairs of tests follow from an observed run, are the known ones among
// them, and by which of the orders on standard input do they stand side by side?
//
//	go run docs/benchmarks/relation.go RELATION.json [KNOWN.tsv OWNER/NAME MODULE] < ORDERS
//
// The list has a head line and the columns project, module, kind, test and polluter.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	r, err := state.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	n, count, all := len(r.Tests), r.Count(), 0
	fmt.Printf("%d tests, %d pairs:", n, n*(n-1))
	for s := state.Changed; s <= state.Ambient; s++ {
		fmt.Printf(" %d %v,", count[s], s)
		all += count[s]
	}
	fmt.Printf(" %.1f %% of all; %d tests lean on others\n", 100*float64(all)/float64(max(1, n*(n-1))), len(r.Leaning()))
	if len(os.Args) > 4 {
		compare(r, os.Args[2], os.Args[3], os.Args[4])
	}
}

func compare(r *state.Relation, file, project, module string) {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	at, orders := sideBySide()
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	column := map[string]int{}
	for i, name := range strings.Split(lines[0], "\t") {
		column[name] = i
	}
	known, last, in := 0, 0, 0
	byStrength := map[string]int{}
	leaning := r.Leaning()
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t")
		get := func(name string) string { return row[column[name]] }
		if !strings.EqualFold(get("project"), project) || get("module") != module {
			continue
		}
		p, v := id(get("polluter")), id(get("test"))
		if p == "" {
			fmt.Printf("%s %s: leans on others: %v\n", get("kind"), v, slices.Contains(leaning, v))
			continue
		}
		known++
		s, why := r.Why(p, v)
		if len(why) == 0 {
			fmt.Println("missing:", p, v)
			continue
		}
		byStrength[s.String()]++
		if k := at[[2]suite.TestID{p, v}]; k > 0 {
			last, in = max(last, k), in+1
		}
	}
	fmt.Printf("known: %d, of which %v; %d side by side in the first %d of %d orders\n", known, byStrength, in, last, orders)
}

// sideBySide is the first order in which a pair stands side by side, and how many orders there are.
func sideBySide() (map[[2]suite.TestID]int, int) {
	at, n := map[[2]suite.TestID]int{}, 0
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		n++
		tests := strings.Split(in.Text(), "\t")
		for i := 1; i < len(tests); i++ {
			pair := [2]suite.TestID{suite.TestID(tests[i-1]), suite.TestID(tests[i])}
			if at[pair] == 0 {
				at[pair] = n
			}
		}
	}
	return at, n
}

// id writes a.B.c as a.B#c.
func id(name string) suite.TestID {
	if i := strings.LastIndexByte(name, '.'); i >= 0 && !strings.Contains(name, "#") {
		name = name[:i] + "#" + name[i+1:]
	}
	return suite.TestID(name)
}
