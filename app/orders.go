package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// orders holds the flags of `odfix orders`.
type orders struct {
	project
	technique string
	dir       string // where the project is; empty: here
	suite     string // a suite file
	sizes     string
	order     string // one order, instead of a technique's
	pairs     string
	observe   bool
	relation  string // the file for what was observed
	promising string
	near      []string
	options   order.Options
	count     bool
	limit     int
	form      string
	check     bool
	as        string

	observed *state.Relation // nil: the tests were not observed
}

// techniquesAbout lists the techniques that `odfix detect` and `odfix orders` have in common.
const techniquesAbout = `  original      the project's own order
  reverse       the own order, reversed
  random        random orders
  alone         each test in a process of its own
  class-first   each class as the first one
  class-only    each class directly after every other class (Tuscan Class-Only)
  intra-class   the same, and each test directly after every other test of its class
                (Tuscan Intra-Class)
  inter-class   the same, and each test directly after every other test of all classes
                (Tuscan Inter-Class)
  target-pairs  the second test of each pair directly after the first (Target Pairs). The
                pairs come from --pairs, or are the tests that use the same static field
  reach         for each test that changes static state: every test that reads this state,
                before another test changes it again; the fewest orders
  pair-cover    each test directly after every test of another class, in far fewer orders
                than inter-class
`

const ordersAbout = `Prints orders in which the tests of a project can run.

The tests are those of the project in DIR (by default the current folder), those of a
suite file (--suite), or made-up classes of given sizes (--sizes).

Techniques:
` + techniquesAbout + `
In a Jest project, a class is a test file. Target-pairs without --pairs, and reach, run
the tests of DIR once, observed.

Exit status:
  0  done
  1  something went wrong, or --check found a wrong order or a missing pair
  2  the command line, or a file it names, is wrong`

const ordersExamples = `  odfix orders --sizes 3,2,5 --technique inter-class --count
  odfix orders --technique pair-cover --every-first --check > orders.txt && odfix run --orders orders.txt
  odfix orders --order failing-order.txt --as surefire`

func ordersCommand(w world, code *int) *cobra.Command {
	var o orders
	cmd := &cobra.Command{
		Use: "orders [DIR | --suite FILE | --sizes N,N,…] [--technique NAME] [-- BUILD ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Print orders that reveal order-dependent tests",
		Long:  ordersAbout, Example: ordersExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			ours, forBuild := split(cmd, args)
			o.buildArgs = append(o.buildArgs, forBuild...)
			if err := o.prepare(cmd, ours); err != nil {
				return err
			}
			s, failed, err := o.tests(cmd, w, ours)
			if err != nil || failed {
				*code = exitError
				return err
			}
			*code, err = o.do(cmd.Context(), w, s)
			return err
		},
	}
	o.flags(cmd)
	return cmd
}

func (o *orders) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.technique, "technique", string(order.TechniqueIntraClass), "`name`: "+techniqueNames())
	f.StringVar(&o.suite, "suite", "", "a suite `file` (docs/suite.schema.json); - is standard input")
	f.StringVar(&o.sizes, "sizes", "", "`numbers` of tests, one for each class, such as 3,2,5; the tests are g1.t1, g1.t2, …")
	f.StringVar(&o.pairs, "pairs", "", "for target-pairs: a `file` of pairs, one a line, two tests separated by "+
		"a tab; the second runs directly after the first")
	f.BoolVar(&o.observe, "observe", false, "run the tests of DIR once, observed; orders in which a test reads "+
		"what an earlier test changed come first")
	f.StringVar(&o.relation, "relation", "", "with --observe: write what was observed to this `file` (docs/relation.schema.json)")
	f.BoolVar(&o.options.InGroup, "in-class", false, "for pair-cover: also each test directly after every other of its class")
	f.BoolVar(&o.options.EachFirst, "every-first", false, "for pair-cover: also each test as the very first")
	f.StringVar(&o.promising, "promising", "", "a `file` of pairs, as for --pairs; orders with most of these pairs come first")
	f.StringArrayVar(&o.near, "near", nil, "orders with most pairs of this `test` come first; may be repeated")
	f.IntSliceVar(&o.options.Fixed, "keep-level", nil,
		"keep the own order at this `level`: 0 the order of classes, 1 the order inside a class, and so on; may be repeated")
	f.Uint64Var(&o.options.Seed, "seed", 1, "for random and pair-cover: `number` that chooses the orders")
	f.BoolVar(&o.count, "count", false, "print only how many orders there are")
	f.IntVar(&o.limit, "limit", 0, "print at most this `number` of orders (0: all; random: 10)")
	f.StringVar(&o.form, "format", "lines", "`lines` (an order a line, tests separated by tabs) or json (docs/orders.schema.json)")
	f.BoolVar(&o.check, "check", false, "check each order and the pairs that all orders cover; the result goes to standard error")
	f.StringVar(&o.as, "as", "", "print each order as a `command`: surefire, gradle or jest")
	f.StringVar(&o.order, "order", "", "with --as: the order in this `file` (one test a line, Surefire reports, or a log)")
	f.StringVar(&o.framework, "framework", "", frameworkUsage)
	f.StringVar(&o.module, "module", "", "the `module`: its folder, groupId:artifactId with Maven, or the path of the project with Gradle, "+
		"or the package of a workspace (its folder)")
	f.DurationVar(&o.budget, "budget", job.DefaultBudget, "wall `time` for the build")
	f.BoolVar(&o.offline, "offline", false, "build without network")
	f.StringVar(&o.javaHome, "java-home", "", "`JDK` to build with (default: as the build tool chooses)")
	buildArgs(f, &o.buildArgs, "an `argument` for the build tool; may be repeated, or given after --")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print every event and the runner's log to standard error")
}

func techniqueNames() string {
	var names []string
	for _, t := range order.Techniques() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// prepare checks the flags that need no suite.
func (o *orders) prepare(cmd *cobra.Command, args []string) error {
	sources := len(args)
	for _, name := range []string{"suite", "sizes"} {
		if cmd.Flags().Changed(name) {
			sources++
		}
	}
	switch {
	case sources > 1:
		return usage("", "give one of DIR, --suite and --sizes")
	case o.form != "lines" && o.form != "json":
		return usage("", "--format is %q: it can be lines or json", o.form)
	case !slices.Contains(order.Techniques(), order.Technique(o.technique)):
		return usage("", "--technique is %q: it can be %s", o.technique, techniqueNames())
	case o.limit < 0:
		return usage("", "--limit is %d", o.limit)
	case o.as != "" && commands[o.as] == nil:
		return usage("", "--as is %q: it can be surefire, gradle or jest", o.as)
	case o.as != "" && (o.count || o.form == "json"):
		return usage("", "--as prints commands; it does not go with --count or --format json")
	case o.order != "" && o.as == "":
		return usage("`odfix run --order FILE` runs an order.", "--order needs --as")
	case o.pairs != "" && o.technique != string(order.TechniqueTarget):
		return usage("", "--pairs and --technique target-pairs go together")
	case o.needsObserver() && (o.order != "" || sources > len(args)):
		return usage("", "only the tests of DIR can be observed: with --suite, --sizes or --order give "+
			"target-pairs its --pairs, and leave --observe and reach out")
	case o.relation != "" && !o.needsObserver():
		return usage("", "--relation needs --observe")
	case (o.options.InGroup || o.options.EachFirst) && o.technique != string(order.TechniquePairCover):
		return usage("inter-class covers both.", "--in-class and --every-first are for pair-cover")
	case o.check && o.technique == string(order.TechniqueAlone):
		return usage("", "there is nothing to --check about tests alone")
	}
	for _, level := range o.options.Fixed {
		if level < 0 {
			return usage("", "--keep-level is %d; 0 is the order of classes", level)
		}
	}
	o.project.format = map[string]string{"lines": "text", "json": "json"}[o.form]
	if o.options.Random = 10; o.limit > 0 {
		o.options.Random = o.limit
	}
	return nil
}

// needsObserver reports whether the tests must run once, observed.
func (o *orders) needsObserver() bool {
	target := o.technique == string(order.TechniqueTarget) && o.pairs == ""
	return o.observe || target || o.technique == string(order.TechniqueReach)
}

// do makes the orders and prints them in the requested form.
func (o *orders) do(ctx context.Context, w world, s *suite.Suite) (int, error) {
	if o.order != "" {
		return o.oneCommand(w, s)
	}
	if err := o.relations(w.stderr, s); err != nil {
		return exitUsage, err
	}
	schedule, err := order.New(s, order.Technique(o.technique), o.options)
	if err != nil {
		return exitUsage, usage("", "%v", err)
	}
	p := &ordersPrinter{w: w, o: o, suite: s, schedule: schedule}
	if o.count {
		return p.count(ctx)
	}
	if o.check {
		if p.checker, err = order.NewChecker(s, o.options, kindsOf(schedule)...); err != nil {
			return exitUsage, usage("", "--check: %v", err)
		}
	}
	return p.print(ctx)
}

// kindsOf returns the kinds of coverage for which a schedule is checked.
func kindsOf(s *order.Schedule) []order.Kind {
	if len(s.Guarantee) == 0 {
		return []order.Kind{order.Groups, order.Siblings}
	}
	return s.Guarantee
}

// relations reads the files of pairs.
func (o *orders) relations(stderr io.Writer, s *suite.Suite) error {
	var err error
	if o.pairs != "" {
		if o.options.Pairs, err = readPairs(stderr, "--pairs", o.pairs, s); err != nil {
			return err
		}
	}
	var likely []order.Pairs
	if o.observed != nil {
		likely = o.observations()
	}
	if o.promising != "" {
		rel, err := readPairs(stderr, "--promising", o.promising, s)
		if err != nil {
			return err
		}
		likely = append(likely, rel)
	}
	if len(o.near) > 0 {
		tests, err := o.nearby(s, o.near)
		if err != nil {
			return err
		}
		likely = append(likely, order.Touching(s, tests...))
	}
	if len(likely) > 0 {
		o.options.Promising = func(yield func(a, b suite.TestID) bool) {
			for _, rel := range likely {
				for a, b := range rel {
					if !yield(a, b) {
						return
					}
				}
			}
		}
	}
	return nil
}

// observations uses what was observed. Target-pairs covers the observed pairs, the strongest first.
// For other techniques, orders with many such pairs come first.
func (o *orders) observations() []order.Pairs {
	if o.technique == string(order.TechniqueReach) {
		o.options.Flows = o.observed.Flows(state.Written)
		return nil
	}
	if o.technique != string(order.TechniqueTarget) {
		return []order.Pairs{o.observed.Pairs(state.Written)}
	}
	if o.options.Pairs == nil {
		o.options.Before = []order.Pairs{o.observed.Tier(state.Changed), o.observed.Tier(state.Written)}
		o.options.Pairs = o.observed.Pairs(state.Ambient)
	}
	return nil
}

// syntax reads the names of the project's tests.
func (o *orders) syntax() suite.Syntax {
	dir, err := filepath.Abs(o.dir)
	if o.as == "jest" || err == nil && isJest(&job.Job{Language: languages[o.framework], Dir: dir}) {
		return jestid.Syntax{}
	}
	return junitid.Syntax{}
}

// nearby finds tests by the names that people use.
func (o *orders) nearby(s *suite.Suite, names []string) ([]suite.TestID, error) {
	r := suite.NewResolver(s, o.syntax())
	var out []suite.TestID
	for _, n := range names {
		found, err := r.Resolve(n)
		if err != nil {
			return nil, usage("", "--near: %v", err)
		}
		out = append(out, found...)
	}
	return out, nil
}

var errStopped = fmt.Errorf("stopped")
