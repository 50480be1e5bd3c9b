// Command longtests prints a regular expression for go test -run. It matches the tests that
// go test -short skips at least in part: those that ask testing.Short(), themselves or in a function
// of their package that they call.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	tests, err := long(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("^(%s)$\n", strings.Join(tests, "|"))
}

// long returns the names of the long tests in the folders, and in those below them.
func long(roots []string) ([]string, error) {
	folders := map[string][]string{} // test files of each
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, "_test.go") {
				folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	found := map[string]bool{}
	for _, files := range folders {
		calls, err := callsOf(files)
		if err != nil {
			return nil, err
		}
		for name := range calls {
			if strings.HasPrefix(name, "Test") && asks(calls, name, map[string]bool{}) {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// short is the call that a long test makes.
const short = "testing.Short"

// callsOf returns the names that each function of the files mentions. A method is known by its own
// name.
func callsOf(files []string) (map[string]map[string]bool, error) {
	out := map[string]map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			names := out[f.Name.Name]
			if names == nil {
				names = map[string]bool{}
				out[f.Name.Name] = names
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok {
						names[x.Name+"."+n.Sel.Name] = true
					}
				case *ast.Ident:
					names[n.Name] = true
				}
				return true
			})
		}
	}
	return out, nil
}

// asks reports whether the function, or one that it mentions, asks testing.Short().
func asks(calls map[string]map[string]bool, name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	if calls[name][short] {
		return true
	}
	for other := range calls[name] {
		if calls[other] != nil && asks(calls, other, seen) {
			return true
		}
	}
	return false
}
