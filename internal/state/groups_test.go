package state

import (
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// groups are those of JUnit's ids, for every suite of the tests.
var groups = suite.NewGroups(nil, junitid.Syntax{})
