package jest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/suite"
)

// outline is a test file as script/parser describes it. Positions are bytes.
type outline struct {
	file, text string

	Root    *block      `json:"root"`
	Head    int         `json:"head"` // where the licence, options and directives at the beginning end
	Imports []importing `json:"imports"`
	Written []string    `json:"written"` // members of shared objects that the code assigns
	Globals []string    `json:"globals"` // names that it uses and nothing in it declares
	Resets  []string    `json:"resets"`  // what it calls without arguments
	Setters []setter    `json:"setters"`
	Mocks   []mock      `json:"mocks"`
	Early   []use       `json:"early"` // names that it uses while its tests are declared
}

// use is where code uses a name.
type use struct {
	Name string `json:"name"`
	At   int    `json:"at"`
}

// setter is a call with one argument, which may set state.
type setter struct {
	Path  string   `json:"path"`
	Keys  []string `json:"keys"`  // of the object that is the argument
	Value string   `json:"value"` // of the literal that is the argument, as JSON
}

// mock is a mock whose calls a check names.
type mock struct {
	Start int    `json:"start"`
	Path  string `json:"path"`
}

// block is the file, a describe block, or a test.
type block struct {
	Kind      string      `json:"kind"` // "file", "group" or "test"
	Title     title       `json:"title"`
	Start     int         `json:"start"`
	End       int         `json:"end"`
	Lead      int         `json:"lead"` // where the comments directly before it begin
	Many      bool        `json:"many"` // stands in a loop
	BodyStart int         `json:"bodyStart"`
	BodyEnd   int         `json:"bodyEnd"`
	Children  []*block    `json:"children"`
	Hooks     []*hook     `json:"hooks"`
	Declares  []string    `json:"declares"`
	Fields    []statement `json:"fields"` // its own declarations
	Variables []variable  `json:"variables"`
	Fn        *function   `json:"fn"`      // of a test; nil if it is not written here
	Failing   bool        `json:"failing"` // test.failing: it passes if its function throws
}

// title is a test's or a block's as written: a text, or a pattern where it is computed.
type title struct {
	Text    string `json:"text"`
	Pattern string `json:"pattern"`
}

// hook is a call such as beforeEach.
type hook struct {
	Name  string    `json:"name"`
	Start int       `json:"start"`
	End   int       `json:"end"`
	Fn    *function `json:"fn"`
}

// function is the callback of a test or a hook.
type function struct {
	Start      int         `json:"start"`
	End        int         `json:"end"`
	Async      bool        `json:"async"`
	Generator  bool        `json:"generator"`
	Params     []string    `json:"params"`
	Parameters int         `json:"parameters"`
	Block      bool        `json:"block"`     // its body has braces
	BodyStart  int         `json:"bodyStart"` // inside the braces
	BodyEnd    int         `json:"bodyEnd"`
	Statements []statement `json:"statements"`
	Declares   []string    `json:"declares"`
}

// statement is one statement of a test, a hook or a block.
type statement struct {
	Start     int         `json:"start"`
	End       int         `json:"end"`
	Type      string      `json:"type"`
	Declares  []string    `json:"declares"`
	Uses      []string    `json:"uses"`
	Assigns   []string    `json:"assigns"`
	Await     bool        `json:"await"`
	Self      bool        `json:"self"`    // uses this
	Returns   bool        `json:"returns"` // a return statement in it ends the test or hook
	Lines     bool        `json:"lines"`   // holds a template of several lines
	Assertion bool        `json:"assertion"`
	Result    *span       `json:"result"` // what a return statement returns
	Call      *span       `json:"call"`   // whose result the one variable that is declared holds
	Inner     []statement `json:"inner"`
}

type span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// variable is declared in the file or in a describe block.
type variable struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Init  string `json:"init"`
	Type  string `json:"type"`  // of the expression it begins with
	Class string `json:"class"` // what makes it: "Map" of new Map(), "jest.fn" of jest.fn()

	Start     int      `json:"start"` // of its declaration
	End       int      `json:"end"`
	Single    bool     `json:"single"` // nothing else is declared there
	Typed     string   `json:"typed"`  // its type as written, with the colon
	Made      string   `json:"made"`   // what is called to make it, with type arguments
	Uses      []string `json:"uses"`   // names in the expression
	Again     bool     `json:"again"`  // the expression may stand in a function
	InitStart int      `json:"initStart"`
	InitEnd   int      `json:"initEnd"`
}

// importing is an import, or a require at the top of a file.
type importing struct {
	Start  int            `json:"start"`
	End    int            `json:"end"`
	From   string         `json:"from"`
	Quotes span           `json:"quotes"`
	ESM    bool           `json:"esm"`
	Last   int            `json:"last"` // after the last name in braces; 0: there is none
	Names  []importedName `json:"names"`
}

// importedName is a name that a file imports.
type importedName struct {
	Local    string `json:"local"`
	Imported string `json:"imported"` // "default", "*" or a name
}

// check refuses positions that do not fit the text.
func (o *outline) check() error {
	inside := func(start, end int) bool { return 0 <= start && start <= end && end <= len(o.text) }
	if o.Root == nil || !o.Root.fits(inside) || slices.ContainsFunc(o.Early, func(u use) bool { return !inside(u.At, u.At) }) {
		return fmt.Errorf("the parser's answer for %s does not fit it", o.file)
	}
	return nil
}

// fits reports whether the positions of a block, and of what it holds, are inside of the text.
func (b *block) fits(inside func(start, end int) bool) bool {
	return inside(b.Start, b.End) &&
		!slices.ContainsFunc(b.Variables, func(v variable) bool { return !inside(v.Start, v.End) || !inside(v.InitStart, v.InitEnd) }) &&
		!slices.ContainsFunc(b.Hooks, func(h *hook) bool { return !inside(h.Start, h.End) }) &&
		!slices.ContainsFunc(b.Children, func(c *block) bool { return !c.fits(inside) })
}

// source is the text of a statement; "" if its position does not fit the file.
func (o *outline) source(s statement) string {
	if s.Start < 0 || s.Start > s.End || s.End > len(o.text) {
		return ""
	}
	return o.text[s.Start:s.End]
}

// locals are the names that a test's function declares.
func (b *block) locals() []string {
	if b.Fn == nil {
		return nil
	}
	return slices.Concat(b.Fn.Declares, b.Fn.Params)
}

// found is a test in an outline, and the blocks around it, the file first.
type found struct {
	o      *outline
	test   *block
	blocks []*block
}

// innermost is the block whose hooks are the test's own.
func (f *found) innermost() *block { return f.blocks[len(f.blocks)-1] }

// once is the test in the innermost block around it that sets something up once for its tests, without
// the blocks in that; nil: there is none. What the file sets up lasts as long as its process.
func (f *found) once() *found {
	for i, b := range slices.Backward(f.blocks) {
		if b.Kind != "file" && slices.ContainsFunc(b.Hooks, func(h *hook) bool { return h.Name == "beforeAll" }) {
			return &found{o: f.o, test: f.test, blocks: f.blocks[:i+1]}
		}
	}
	return nil
}

// find finds the test of an id: by its titles, the literal ones before those that are computed. A
// test that a function of another file defines has its blocks in this file only, and so has one
// that several calls may make.
func (o *outline) find(t suite.TestID) *found {
	titles := jestid.Titles(t)
	repeat := 1
	if full := strings.Join(titles, " "); full != jestid.FullName(t) {
		last := titles[len(titles)-1]
		i := strings.LastIndexByte(last, '~')
		_, _ = fmt.Sscanf(last[i+1:], "%d", &repeat)
		titles[len(titles)-1] = last[:i]
	}
	var all []*found
	var walk func(blocks []*block, b *block, rest []string, exact bool)
	var exacts []bool
	walk = func(blocks []*block, b *block, rest []string, exact bool) {
		for _, c := range b.Children {
			fits, literal := c.Title.fits(rest)
			for _, n := range fits {
				switch {
				case c.Kind == "test" && n == len(rest):
					all = append(all, &found{o, c, slices.Clone(blocks)})
					exacts = append(exacts, exact && literal)
				case c.Kind == "group" && n < len(rest):
					walk(append(slices.Clone(blocks), c), c, rest[n:], exact && literal)
				}
			}
		}
	}
	walk([]*block{o.Root}, o.Root, titles, true)
	var best []*found
	for i, f := range all {
		if exacts[i] {
			best = append(best, f)
		}
	}
	if len(best) == 0 {
		best = all
	}
	switch {
	case len(best) == 0:
		return o.around(titles)
	case repeat <= len(best) && (len(best) == repeat || repeat > 1 || sameBlock(best)):
		return best[repeat-1]
	case repeat == 1 && slices.Contains(exacts, true):
		return best[0] // others of the name come later
	case sameBlock(best) && best[0].test.several():
		return best[0]
	}
	// It is one of several tests. The hooks of the blocks around all of them run for it.
	around := &found{o: o, test: &block{Kind: "test"}, blocks: best[0].blocks}
	for _, f := range best[1:] {
		around.blocks = shared(around.blocks, f.blocks)
	}
	return around
}

// several reports whether a call makes several tests: by a table, or in a loop.
func (b *block) several() bool { return b.Many || b.Title.Pattern != "" }

// around returns a test that a function of another file defines, with the blocks of this file around it: those
// whose titles are those of the test. Their hooks run for the test, too.
func (o *outline) around(titles []string) *found {
	f := &found{o: o, test: &block{Kind: "test"}, blocks: []*block{o.Root}}
	for inner := true; inner; {
		inner = false
		for _, c := range f.innermost().Children {
			fits, _ := c.Title.fits(titles)
			if c.Kind == "group" && len(fits) > 0 && fits[0] < len(titles) {
				f.blocks, titles, inner = append(f.blocks, c), titles[fits[0]:], true
				break
			}
		}
	}
	return f
}

func sameBlock(all []*found) bool {
	return !slices.ContainsFunc(all, func(f *found) bool { return f.test != all[0].test })
}

// fits are the numbers of titles that this one may stand for: a title may hold the sign that
// separates titles.
func (t title) fits(rest []string) (n []int, literal bool) {
	for i := 1; i <= len(rest); i++ {
		name := strings.Join(rest[:i], jestid.Between)
		if t.Text != "" && oneLine(t.Text) == name {
			return []int{i}, true
		}
		if t.Pattern != "" {
			if re, err := regexp.Compile("^(?s:" + t.Pattern + ")$"); err == nil && re.MatchString(name) {
				n = append(n, i)
			}
		}
	}
	return n, false
}

// oneLine writes control characters as ids do.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
}

// visible are the names that code in the blocks can use, besides globals.
func visible(o *outline, blocks []*block) map[string]bool {
	out := map[string]bool{}
	for _, i := range o.Imports {
		for _, n := range i.Names {
			out[n.Local] = true
		}
	}
	for _, b := range blocks {
		for _, n := range b.Declares {
			out[n] = true
		}
	}
	return out
}
