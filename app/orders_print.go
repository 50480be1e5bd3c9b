package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// ordersPrinter writes orders one at a time, and keeps none in memory.
type ordersPrinter struct {
	w        world
	o        *orders
	suite    *suite.Suite
	schedule *order.Schedule
	checker  *order.Checker

	out     *bufio.Writer
	printed int
	cut     bool // by --limit
}

// ordersHead is what is known before the orders are made. The JSON output is ordersHead with the
// orders and what they cover (docs/orders.schema.json).
type ordersHead struct {
	Version   int             `json:"version"`
	Technique order.Technique `json:"technique"`
	Tests     int             `json:"tests"`
	Groups    int             `json:"groups"`
	Count     *int            `json:"count,omitempty"`
	AtLeast   int             `json:"atLeast,omitempty"`
	Guarantee []order.Kind    `json:"guarantee,omitempty"`
}

// ordersTail is what is known after the orders are made.
type ordersTail struct {
	Printed  int                        `json:"printed"`
	Complete bool                       `json:"complete"`
	Coverage map[order.Kind]order.Share `json:"coverage,omitempty"`
}

func (p *ordersPrinter) head() ordersHead {
	h := ordersHead{
		Version: 1, Technique: p.schedule.Technique, Tests: len(p.suite.Order()), Groups: max(1, len(p.suite.Root.Children)),
		AtLeast: p.schedule.Least, Guarantee: p.schedule.Guarantee,
	}
	if p.schedule.Exact >= 0 {
		h.Count = &p.schedule.Exact
	}
	return h
}

// count prints how many orders there are. If the suite's shape does not determine the number, it
// makes the orders.
func (p *ordersPrinter) count(ctx context.Context) (int, error) {
	n := p.schedule.Exact
	if n < 0 {
		n = 0
		for range p.schedule.Orders {
			if n++; ctx.Err() != nil {
				return p.failed(errStopped), nil
			}
		}
	}
	if p.o.form == "lines" {
		_, err := fmt.Fprintln(p.w.stdout, n)
		return p.failed(err), nil
	}
	h := p.head()
	h.Count = &n
	text, err := json.Marshal(h)
	if err == nil {
		_, err = fmt.Fprintln(p.w.stdout, string(text))
	}
	return p.failed(err), nil
}

// failed shows an error and returns the exit status.
func (p *ordersPrinter) failed(err error) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(p.w.stderr, "odfix:", err)
	return exitError
}

func (p *ordersPrinter) print(ctx context.Context) (int, error) {
	p.out = bufio.NewWriterSize(p.w.stdout, 1<<16)
	err := p.all(ctx)
	if flushed := p.out.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		return p.failed(err), nil
	}
	return p.verdict(), nil
}

func (p *ordersPrinter) all(ctx context.Context) error {
	asJSON := p.o.form == "json"
	if asJSON {
		head, err := json.Marshal(p.head())
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "%s,\"orders\":[", strings.TrimSuffix(string(head), "}"))
	}
	if p.o.as != "" {
		p.out.WriteString(p.o.cd())
	}
	for o := range p.schedule.Orders {
		if p.cut = p.o.limit > 0 && p.printed >= p.o.limit; p.cut {
			break
		}
		if ctx.Err() != nil {
			return errStopped
		}
		if err := p.one(o, asJSON); err != nil {
			return err
		}
	}
	if !asJSON {
		return nil
	}
	tail, err := json.Marshal(p.tail())
	fmt.Fprintf(p.out, "\n],%s\n", strings.TrimPrefix(string(tail), "{"))
	return err
}

func (p *ordersPrinter) one(o suite.Order, asJSON bool) error {
	if p.checker != nil {
		if err := p.checker.Add(o); err != nil {
			return err
		}
	}
	p.printed++
	switch {
	case p.o.as != "":
		_, err := p.out.WriteString(p.o.command(o, p.suite.Order()))
		return err
	case asJSON:
		text, err := json.Marshal(o)
		if p.printed > 1 {
			fmt.Fprint(p.out, ",")
		}
		fmt.Fprintf(p.out, "\n%s", text)
		return err
	}
	for i, t := range o {
		if i > 0 {
			p.out.WriteByte('\t')
		}
		p.out.WriteString(string(t))
	}
	return p.out.WriteByte('\n')
}

func (p *ordersPrinter) tail() ordersTail {
	t := ordersTail{Printed: p.printed, Complete: !p.cut}
	if p.checker != nil {
		t.Coverage = p.checker.Coverage()
	}
	return t
}

// kindWords names the things that orders cover.
var kindWords = map[order.Kind]string{
	order.Groups: "pairs of classes", order.Siblings: "pairs inside one level", order.Across: "pairs of tests of different classes",
	order.Within: "pairs of tests of one class", order.Given: "given pairs", order.First: "tests as the very first",
}

// verdict prints what was checked. For a limited number of orders, it prints only what they cover.
func (p *ordersPrinter) verdict() int {
	if p.checker == nil {
		return exitOK
	}
	code := exitOK
	if p.printed == 1 {
		fmt.Fprintln(p.w.stderr, "Checked 1 order: it holds every test once, groups in one piece.")
	} else {
		fmt.Fprintf(p.w.stderr, "Checked %d orders: each holds every test once, groups in one piece.\n", p.printed)
	}
	got := p.checker.Coverage()
	for _, k := range kindsOf(p.schedule) {
		s := got[k]
		if s.Of == 0 {
			fmt.Fprintf(p.w.stderr, "  there are no %s\n", kindWords[k])
			continue
		}
		fmt.Fprintf(p.w.stderr, "  %d of %d %s\n", s.Covered, s.Of, kindWords[k])
		if !p.cut && !s.Whole() && len(p.schedule.Guarantee) > 0 {
			code = exitError
		}
	}
	return code
}
