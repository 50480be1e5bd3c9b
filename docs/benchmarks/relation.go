//go:build ignore

// Command relation counts: how many pairs of tests follow from an observed run, are the known ones
// among them, and by which of the orders on standard input do they stand side by side, or does the
// second run before anybody else writes what they share?
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

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	r, err := state.Parse(text, suite.NewGroups(nil, junitid.Syntax{}))
	if err != nil {
		log.Fatal(err)
	}
	n, count, all := len(r.Tests), r.Count(), 0
	fmt.Printf("%d tests, %d pairs:", n, n*(n-1))
	for s := state.Changed; s <= state.Ambient; s++ {
		fmt.Printf(" %d %v,", count[s], s)
		all += count[s]
	}
	fmt.Printf(" %.1f %% of all; %d tests lean on others\n", 100*float64(all)/float64(max(1, n*(n-1))), len(r.MaybeBrittle()))
	if len(os.Args) > 4 {
		compare(r, os.Args[2], os.Args[3], os.Args[4])
	}
}

func compare(r *state.Relation, file, project, module string) {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	found := meetings{orders: orders()}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	column := map[string]int{}
	for i, name := range strings.Split(lines[0], "\t") {
		column[name] = i
	}
	known := 0
	var beside, reached []int
	byStrength := map[string]int{}
	maybeBrittle := r.MaybeBrittle()
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t")
		get := func(name string) string { return row[column[name]] }
		if !strings.EqualFold(get("project"), project) || get("module") != module {
			continue
		}
		p, v := id(get("polluter")), id(get("test"))
		if p == "" {
			fmt.Printf("%s %s: leans on others: %v\n", get("kind"), v, slices.Contains(maybeBrittle, v))
			continue
		}
		known++
		s, why := r.Why(p, v)
		if len(why) == 0 {
			fmt.Println("missing:", p, v)
			continue
		}
		byStrength[s.String()]++
		beside = append(beside, found.beside(p, v))
		reached = append(reached, found.reached(r, p, v))
	}
	fmt.Printf("known: %d, of which %v; of the first %d orders\n", known, byStrength, len(found.orders))
	fmt.Println("  side by side", share(beside))
	fmt.Println("  with nobody between who writes it", share(reached))
}

// share says of numbers of orders, 0 being none, how many there are and the last.
func share(at []int) string {
	n := len(at) - len(slices.DeleteFunc(slices.Clone(at), func(k int) bool { return k > 0 }))
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%d, by order %d", n, slices.Max(at))
}

type meetings struct{ orders []suite.Order }

// beside is the first order in which v runs directly after p.
func (m meetings) beside(p, v suite.TestID) int {
	for k, o := range m.orders {
		if i := o.Index(v); i > 0 && o[i-1] == p {
			return k + 1
		}
	}
	return 0
}

// reached is the first order in which v runs after p and no other writer of one of the
// places for which p and v are a pair stands between.
func (m meetings) reached(r *state.Relation, p, v suite.TestID) int {
	best := 0
	for f := range r.Flows(state.Written) {
		if !holds(f, p, v) {
			continue
		}
		for k, o := range m.orders {
			i, j := o.Index(p), o.Index(v)
			if i >= 0 && i < j && !slices.ContainsFunc(o[i+1:j], func(t suite.TestID) bool { return slices.Contains(f.Writers, t) }) {
				if best == 0 || k+1 < best {
					best = k + 1
				}
				break
			}
		}
	}
	return best
}

func holds(f order.Flow, p, v suite.TestID) bool {
	for a, b := range f.Pairs {
		if a == p && b == v {
			return true
		}
	}
	return false
}

func orders() []suite.Order {
	var out []suite.Order
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		var o suite.Order
		for _, t := range strings.Split(in.Text(), "\t") {
			o = append(o, suite.TestID(t))
		}
		out = append(out, o)
	}
	return out
}

// id writes a.B.c as a.B#c.
func id(name string) suite.TestID {
	if i := strings.LastIndexByte(name, '.'); i >= 0 && !strings.Contains(name, "#") {
		name = name[:i] + "#" + name[i+1:]
	}
	return suite.TestID(name)
}
