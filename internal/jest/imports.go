package jest

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
)

// unimported adds calls of functions that reset a module's state, and that the test's file does not
// import yet.
func (s *seenState) unimported(ctx context.Context, file string) error {
	if s.brittle {
		return nil
	}
	return s.r.importing(ctx, s.f.o, s.field, file, resetName.MatchString)
}

// importing adds calls of functions of a module that the file does not import yet, of those with names that are wanted.
func (r *resets) importing(ctx context.Context, o *outline, what, file string, wanted func(name string) bool) error {
	text, err := r.e.p.source(file)
	if err != nil || !isCode(file) || slices.Contains(r.e.p.files, file) {
		return nil
	}
	offers, err := r.e.parser.exported(ctx, file, text)
	var unfit *repair.UnfitError
	if errors.As(err, &unfit) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, x := range offers {
		if x.Name == "*" || o.has(r.e, file, x.Name) {
			continue
		}
		i := patch.Import{Name: x.Name, Module: r.e.p.launch.inCheckout(file)}
		if x.Name == "default" || o.mentions(x.Name) || r.other(x.Name, i.Module) {
			i.As = localName(x.Name, file)
		}
		call := x.callFrom(x.Name, i.Local(), true, wanted)
		if call == "" || o.mentions(i.Local()) || r.other(i.Local(), i.Module) || r.seen[call] {
			continue
		}
		r.locals[i.Local()] = i.Module
		r.seen[call] = true
		r.made = append(r.made, patch.Made{Resets: what, Statements: []string{call}, Imports: []patch.Import{i}})
	}
	return nil
}

// other reports whether a name stands for something of another module in an earlier statement:
// several statements may stand in one file.
func (r *resets) other(local, module string) bool {
	known, ok := r.locals[local]
	return ok && known != module
}

// localName is a name of our own for what a module exports: resetCart, or cart for the default.
func localName(name, file string) string {
	base := path.Base(file)
	if base, _, _ = strings.Cut(base, "."); base == "index" {
		base = path.Base(path.Dir(file))
	}
	words := strings.FieldsFunc(base, func(r rune) bool { return !identifier.MatchString(string(r)) })
	for i, w := range words {
		if i > 0 || name != "default" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	if name == "default" {
		name = ""
	}
	return name + strings.Join(words, "")
}

// has reports whether the file imports a name of the module, or the module as a whole.
func (o *outline) has(e *editor, file, name string) bool {
	for _, i := range o.Imports {
		if from, _ := e.module(o.file, i.From); from != file {
			continue
		}
		for _, n := range i.Names {
			if n.Imported == name || n.Imported == "*" || n.Imported == "default" && !i.ESM {
				return true
			}
		}
	}
	return false
}

// mentions reports whether the name stands anywhere in the file.
func (o *outline) mentions(name string) bool { return mentions(o.text, name) }

// mentions reports whether a name stands anywhere in a text, other than as a member of something.
func mentions(text, name string) bool {
	return regexp.MustCompile(`(^|[^\w$.])` + regexp.QuoteMeta(name) + `($|[^\w$])`).MatchString(text)
}

// canImport reports whether the item says where the name comes from.
func (it *item) canImport(name string) bool {
	return slices.ContainsFunc(it.imports, func(i patch.Import) bool { return i.Local() == name })
}

// misled reports whether a name that the item is to import stands for something else there, or its
// module is not there.
func (e *editor) misled(at *found, it *item) bool {
	seen := visible(at.o, at.blocks)
	return slices.ContainsFunc(it.imports, func(i patch.Import) bool {
		if !slices.Contains(it.Uses, i.Local()) {
			return false
		}
		file := e.p.launch.below(i.Module)
		_, err := e.p.source(file)
		own := slices.ContainsFunc(at.o.Imports, func(m importing) bool {
			from, _ := e.module(at.o.file, m.From)
			return from == file && slices.ContainsFunc(m.Names, func(n importedName) bool { return n.Local == i.Local() && n.Imported == i.Name })
		})
		return err != nil || file == "" || seen[i.Local()] && !own
	})
}

// importOf is how the file imports a name: from the module as it calls it already, else by a path
// in its own style.
func (e *editor) importOf(o *outline, i patch.Import) added {
	file := e.p.launch.below(i.Module)
	out := added{local: i.Local(), imported: i.Name, esm: slices.Contains([]string{".ts", ".tsx", ".mts", ".mjs"}, path.Ext(o.file))}
	full := false // whether the file writes extensions
	for _, m := range o.Imports {
		from, _ := e.module(o.file, m.From)
		if from == file && (out.from == "" || m.Last > 0) {
			out.from = m.From
		}
		full = full || from != "" && path.Ext(m.From) == path.Ext(from) || strings.HasPrefix(m.From, ".") && path.Ext(m.From) == ".js"
	}
	if out.from == "" {
		out.from = relativeModule(o.file, file, full)
	}
	return out
}

// relativeModule is the path by which a file imports another one. Node finds .js and .json without an
// extension, and bundlers find TypeScript; in modules of ECMAScript, TypeScript is called .js.
func relativeModule(from, to string, full bool) string {
	rel, err := filepath.Rel(path.Dir(from), to)
	if err != nil {
		return to
	}
	if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, ".") {
		rel = "./" + rel
	}
	ext := path.Ext(rel)
	bare := strings.TrimSuffix(rel, ext)
	switch {
	case slices.Contains([]string{".mjs", ".cjs", ".mts", ".cts"}, ext):
		return rel
	case full && strings.HasPrefix(ext, ".ts"):
		return bare + ".js"
	case full:
		return rel
	case path.Base(bare) == "index" && strings.Count(bare, "/") > 1:
		return path.Dir(bare)
	}
	return bare
}

// importing adds names to the file's imports.
func (o *outline) importing(names []added) []change {
	var out []change
	at, end, q := 0, "", o.quote()
	esm := slices.ContainsFunc(o.Imports, func(i importing) bool { return i.ESM }) || len(o.Imports) == 0 && len(names) > 0 && names[0].esm
	for _, i := range o.Imports {
		at = max(at, i.End)
	}
	if o.semicolons() {
		end = ";"
	}
	for k, n := range names {
		if i := slices.IndexFunc(o.Imports, func(i importing) bool { return i.From == n.from && i.Last > 0 }); i >= 0 &&
			n.imported != "*" && n.imported != "default" {
			by := " as "
			if !o.Imports[i].ESM {
				by = ": "
			}
			out = append(out, change{o.Imports[i].Last, o.Imports[i].Last, ", " + renamed(n, by)})
			continue
		}
		var line string
		switch {
		case esm && n.imported == "default":
			line = "import " + n.local + " from " + q + n.from + q
		case esm && n.imported == "*" && n.esm:
			line = "import * as " + n.local + " from " + q + n.from + q
		case esm && n.imported == "*":
			line = "import " + n.local + " from " + q + n.from + q
		case esm:
			line = "import { " + renamed(n, " as ") + " } from " + q + n.from + q
		case n.imported == "*" || n.imported == "default":
			line = "const " + n.local + " = require(" + q + n.from + q + ")"
		default:
			line = "const { " + renamed(n, ": ") + " } = require(" + q + n.from + q + ")"
		}
		if at == 0 {
			begin := len(o.text) - len(strings.TrimLeft(o.text[o.Head:], " \t\r\n"))
			blank := "\n"
			if k == len(names)-1 && !strings.HasPrefix(o.text[begin:], "\n") {
				blank = "\n\n"
			}
			out = append(out, change{begin, begin, line + end + blank})
		} else {
			out = append(out, change{at, at, "\n" + line + end})
		}
	}
	return out
}

func renamed(n added, by string) string {
	if n.imported == n.local {
		return n.local
	}
	return n.imported + by + n.local
}
