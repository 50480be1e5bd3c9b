package job

// PollutionOptions are what a KindPollution asks beyond what every job asks. Those about roots and
// fields are PolDet's (Gyori et al., ISSTA 2015, section 4.5). Job.Tests are the tests whose
// pollution is reported; empty: all.
type PollutionOptions struct {
	// IncludeRoots are packages whose classes' static fields are looked at, or regular expressions
	// over the names of classes; empty: the project's own.
	IncludeRoots []string `json:"includeRoots,omitempty"`
	// ExcludeRoots are regular expressions of "Class.field": static fields that are left out.
	ExcludeRoots []string `json:"excludeRoots,omitempty"`
	// ExcludeFields are regular expressions of "Class.field": fields of objects that are not
	// followed.
	ExcludeFields []string `json:"excludeFields,omitempty"`
	// ClassLoading is "lazy" to compare only what was there before a test, "eager" to run the suite
	// twice and initialise before the second run the classes that the first one met; empty: also
	// with what a class's initialiser left in that test.
	ClassLoading string `json:"classLoading,omitempty"`
	// FileRoots are folders whose files are looked at beside the usual ones; relative ones count
	// from where the tests run.
	FileRoots []string `json:"fileRoots,omitempty"`
	// ChangedSince is a git revision: only tests that the change since then touches are reported.
	ChangedSince string `json:"changedSince,omitempty"`
	// Sources are files, from the top of the checkout: only tests whose class comes from one of
	// them are reported. They take the place of ChangedSince where the checkout has no history.
	Sources []string `json:"sources,omitempty"`
	// NoProof leaves out the runs that show which tests fail because of it, and which lines wrote
	// below static fields.
	NoProof bool `json:"noProof,omitempty"`
}
