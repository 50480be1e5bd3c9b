package importtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOtherSystems: all code of odfix, with its tests, also compiles on Windows and macOS. It is
// only type-checked, from sources: compiling all dependencies for two more systems takes minutes.
func TestOtherSystems(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"windows", "darwin"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			ours := 0
			all, err := packages.Load(&packages.Config{
				Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
					packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes | packages.NeedModule,
				Context: t.Context(),
				Dir:     root,
				Env:     append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
				Tests:   true,
				ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
					file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
					// Generated files, which have other names, need their bodies.
					if file != nil && strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, root+string(filepath.Separator)) {
						withoutBodies(file)
					}
					return file, err
				},
			}, "./...")
			if err != nil {
				t.Fatal(err)
			}
			packages.Visit(all, nil, func(p *packages.Package) {
				if p.Module == nil || !p.Module.Main {
					return
				}
				ours++
				for _, e := range p.Errors {
					t.Error(e)
				}
			})
			if ours < 50 {
				t.Errorf("only %d packages were checked", ours)
			}
		})
	}
}

// withoutBodies removes the bodies of functions, which for other modules need no check.
func withoutBodies(file *ast.File) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
