package main

import (
	"bytes"
	"embed"
	"io/fs"
	"os"
	"text/template"
)

//go:embed templates
var sources embed.FS

// The templates' own marks are [[ ]], since GitHub's workflows use {{ }}.
var texts = template.Must(template.New("").Delims("[[", "]]").Option("missingkey=error").ParseFS(sources, "templates/*"))

// renderFile writes a template into a file.
func renderFile(name, to string, mode fs.FileMode, data any) error {
	var b bytes.Buffer
	if err := texts.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), mode)
}
