package main

import (
	"slices"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// maxServeFile is the size limit for the file of --config.
const maxServeFile = 64 << 10

// fromFile sets flags from a file. The command line and the environment take precedence. Keys are
// flags without their dashes. A flag that may be repeated may have a list.
func fromFile(f *pflag.FlagSet, file string) error {
	const write = "Write flags of odfix serve without their dashes, one a line, such as\ndatabase-url: /var/lib/odfix/odfix.db"
	text, err := readBounded(file, maxServeFile)
	if err != nil {
		return usage("Name a file that can be read.", "--config: %v", err)
	}
	if len(text) > maxServeFile {
		return usage(write, "--config: %s is larger than %d KiB", file, maxServeFile>>10)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return usage(write, "--config: %s: %v", file, err)
	}
	if len(doc.Content) == 0 {
		return nil // only comments
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return usage(write, "--config: %s holds no settings", file)
	}
	given := map[string]bool{} // on the command line or in the environment
	f.Visit(func(flag *pflag.Flag) { given[flag.Name] = true })
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		flag := f.Lookup(key.Value)
		if flag == nil || slices.Contains([]string{"config", "help", "format"}, key.Value) {
			return usage("odfix serve --help lists the settings.",
				"--config: line %d of %s: there is no setting %q", key.Line, file, key.Value)
		}
		values := []*yaml.Node{value}
		if _, repeated := flag.Value.(pflag.SliceValue); repeated && value.Kind == yaml.SequenceNode {
			values = value.Content
		}
		for _, v := range values {
			if v.Kind != yaml.ScalarNode || !given[flag.Name] && f.Set(flag.Name, v.Value) != nil {
				return usage("Use a value that --"+flag.Name+" accepts.", "--config: line %d of %s: %s cannot be %q",
					v.Line, file, flag.Name, v.Value)
			}
		}
	}
	return nil
}
