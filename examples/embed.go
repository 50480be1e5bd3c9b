package examples

import (
	"embed"
	"io/fs"
)

// files are the examples that `odfix sandbox` plays with: it works wherever the program is.
//
//go:embed demo/pom.xml demo/src brittle-junit5/pom.xml brittle-junit5/src genuine-failure/pom.xml genuine-failure/src
//go:embed flaky/pom.xml flaky/src two-victims/pom.xml two-victims/src
//go:embed jest-mock-calls/*.js jest-mock-calls/*.json
var files embed.FS

// Sources are the files of one of the examples that the program carries.
func Sources(name string) (fs.FS, error) {
	sub, err := fs.Sub(files, name)
	if err == nil {
		_, err = fs.ReadDir(sub, ".")
	}
	return sub, err
}
