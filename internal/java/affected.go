package java

import (
	"context"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
)

// AffectedBy implements project.Project. It looks at the code of whole classes.
func (p *Project) AffectedBy(_ context.Context, files []string) (tests []suite.TestID, unknown []string, err error) {
	classes, err := build.ReadClasses(p.launch.ClassPath)
	if err != nil {
		return nil, nil, err
	}
	changed, unknown := classes.From(files)
	return p.ofClasses(classes.Reaching(changed)), unknown, nil
}

// DefinedIn implements project.Project.
func (p *Project) DefinedIn(files []string) ([]suite.TestID, error) {
	classes, err := build.ReadClasses(p.launch.ClassPath)
	if err != nil {
		return nil, err
	}
	named, _ := classes.From(files)
	return p.ofClasses(named), nil
}

// ofClasses returns the tests of these classes, in the suite's own order.
func (p *Project) ofClasses(classes map[string]bool) []suite.TestID {
	return suite.Filter(p.suite.Order(), func(t suite.TestID) bool { return classes[topLevel(t)] })
}
