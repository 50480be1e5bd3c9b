package job

// PollutionOptions are the settings of a KindPollution, in addition to those of every job. Those
// about roots and fields are PolDet's (Gyori et al., ISSTA 2015, section 4.5). Job.Tests are the
// tests whose pollution is reported; empty: all.
type PollutionOptions struct {
	// IncludeRoots are packages, or regular expressions for class names. The static fields of these
	// classes are observed; empty: those of the project's own classes.
	IncludeRoots []string `json:"includeRoots,omitempty"`
	// ExcludeRoots are regular expressions for "Class.field": static fields that are left out.
	ExcludeRoots []string `json:"excludeRoots,omitempty"`
	// ExcludeFields are regular expressions for "Class.field": fields of objects that are not
	// followed.
	ExcludeFields []string `json:"excludeFields,omitempty"`
	// ClassLoading "lazy" compares only state that existed before a test. "eager" runs the suite
	// twice; the second run first initialises all classes that the first run loaded. Empty: what a
	// class's initialiser sets in a test is compared, too.
	ClassLoading string `json:"classLoading,omitempty"`
	// FileRoots are further folders whose files are observed. Relative paths start at the folder in
	// which the tests run.
	FileRoots []string `json:"fileRoots,omitempty"`
	// ChangedSince is a git revision: only tests that the change since then touches are reported.
	ChangedSince string `json:"changedSince,omitempty"`
	// Sources are files, by their paths from the top of the checkout. Only tests whose class comes
	// from one of them are reported. They replace ChangedSince if the checkout has no history.
	Sources []string `json:"sources,omitempty"`
	// NoProof leaves out the runs that show which tests fail because of the pollution, and which
	// lines wrote the objects below static fields.
	NoProof bool `json:"noProof,omitempty"`
}
