package examples

import (
	"embed"
	"io/fs"
)

// files are the examples of `odfix sandbox`. They are part of the program, so that it needs no
// files.
//
//go:embed demo/pom.xml demo/src brittle-junit5/pom.xml brittle-junit5/src genuine-failure/pom.xml genuine-failure/src
//go:embed flaky/pom.xml flaky/src two-victims/pom.xml two-victims/src
//go:embed jest-mock-calls/*.js jest-mock-calls/*.json
var files embed.FS

// Sources returns the files of one of these examples.
func Sources(name string) (fs.FS, error) {
	sub, err := fs.Sub(files, name)
	if err == nil {
		_, err = fs.ReadDir(sub, ".")
	}
	return sub, err
}
