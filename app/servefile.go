package main

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// maxServeFile is the size limit for the file of --config.
const maxServeFile = 64 << 10

// fromFile reads flags from a file that neither the command line nor the environment sets. Keys are
// flags without their dashes; a flag that may be repeated has a list.
func fromFile(f *pflag.FlagSet, file string) error {
	const write = "Write flags of odfix serve without their dashes, one a line, such as\ndatabase-url: /var/lib/odfix/odfix.db"
	text, err := readBounded(file, maxServeFile)
	if err == nil && len(text) > maxServeFile {
		err = errors.New("it is larger than 64 KiB")
	}
	if err != nil {
		return usage("Name a file that can be read.", "--config: %v", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return usage(write, "--config: %s: %v", file, err)
	}
	if len(doc.Content) == 0 {
		return nil // nothing but comments
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
			return usage("odfix serve --help lists them.", "--config: line %d of %s: there is no setting %q", key.Line, file, key.Value)
		}
		values := []*yaml.Node{value}
		if _, repeated := flag.Value.(pflag.SliceValue); repeated && value.Kind == yaml.SequenceNode {
			values = value.Content
		}
		for _, v := range values {
			if v.Kind != yaml.ScalarNode || !given[flag.Name] && f.Set(flag.Name, v.Value) != nil {
				return usage("It is what --"+flag.Name+" takes.", "--config: line %d of %s: %s cannot be %q",
					v.Line, file, flag.Name, v.Value)
			}
		}
	}
	return nil
}
