// Package config reads `.odfix.yml`: what a repository and its organisation
// want of odfix.
//
// A file is hostile until it is decoded: it is small, plain YAML without
// anchors, aliases, merge keys or tags, and every key in it is known. What is
// wrong in it is a Problem with a line, a column and what to do. Decoder,
// published JSON Schema (docs/odfix-yml.schema.json) and the printed form come
// from the same struct tags and the same rules, and tests hold them against
// each other. Nothing here reads a file, a clock or the network: Resolve is a
// pure function of the files' texts.
package config

// Version of the file format.
const Version = 1

// Config is what holds for a repository. The doc tags are the schema's words.
type Config struct {
	Version     int         `yaml:"version" min:"1" max:"1" doc:"Version of this format."`
	Enabled     bool        `yaml:"enabled" doc:"Whether odfix looks at this repository at all."`
	CI          CI          `yaml:"ci" doc:"Which red builds odfix looks into. Everything else is left alone."`
	Tests       Tests       `yaml:"tests" doc:"Which tests odfix looks into, and how they are run."`
	JDK         int         `yaml:"jdk" min:"8" max:"99" doc:"The feature release of the JDK to build and test with. Left out: the build's own choice."`
	Environment []EnvName   `yaml:"environment" doc:"Names of environment variables that the tests need. Their values come from whoever operates odfix; they are never written here, and secrets never reach tests."`
	Techniques  []Technique `yaml:"techniques" doc:"The kinds of patch that may be suggested."`
	Budgets     Budgets     `yaml:"budgets" doc:"How much odfix may spend."`
	Ladder      []Rung      `yaml:"ladder" doc:"The forms in which a patch may reach the pull request. odfix uses the first that is possible, in the order suggestion, file-comment, comment, stacked-pull-request, commit."`
	Ignore      []Ignore    `yaml:"ignore" doc:"Tests that odfix leaves alone for a while."`
	Comments    Comments    `yaml:"comments" doc:"What odfix says on a pull request, and how often."`
	Pollution   Pollution   `yaml:"pollution" doc:"What odfix says of tests that leave shared state changed, before any test fails by it."`
	NeverPatch  []Path      `yaml:"never-patch" doc:"Files that no patch may touch, as paths from the top of the repository. A * stands for anything but a slash, ** for any folders."`
	Network     bool        `yaml:"network" doc:"Whether the tests may use the network while odfix runs them."`
	Policy      Policy      `yaml:"policy" doc:"What no repository of the organisation may have. Only the file in the organisation's .github repository can hold this."`
}

// CI says which builds count. An empty list means all.
type CI struct {
	Workflows []Name `yaml:"workflows" doc:"Workflows of GitHub Actions, by name or by path such as .github/workflows/ci.yml. A * stands for anything."`
	Jobs      []Name `yaml:"jobs" doc:"Jobs of these workflows, by name. A * stands for anything."`
	Checks    []Name `yaml:"checks" doc:"Check runs and commit statuses of other CI systems, by name or context. A * stands for anything."`
}

// Tests says which tests are looked at and how the project runs them.
type Tests struct {
	Command []Word   `yaml:"command" doc:"The command that runs the tests, word by word; no shell reads it. Left out: found from the project's build."`
	Modules []Module `yaml:"modules" doc:"The modules to look at. Left out: all."`
}

// Module is one module of the build.
type Module struct {
	Path    Path   `yaml:"path" required:"true" doc:"The module's folder from the top of the repository. A * stands for anything but a slash."`
	Command []Word `yaml:"command" doc:"The command that runs this module's tests, instead of tests.command."`
}

// Budgets bound what is spent.
type Budgets struct {
	JobMinutes           int `yaml:"job-minutes" min:"1" max:"360" doc:"Minutes that one investigation may take, the build included."`
	TestSeconds          int `yaml:"test-seconds" min:"1" max:"3600" doc:"Seconds after which one test counts as hung. Left out: judged by how long it was seen to take."`
	Reruns               int `yaml:"reruns" min:"2" max:"50" doc:"How many times each conclusion is confirmed in fresh processes. Left out: three times, of what many failing tests show together fewer."`
	InvestigationsPerDay int `yaml:"investigations-per-day" min:"0" max:"10000" doc:"How many investigations may begin in 24 hours."`
}

// Ignore is a test left alone until a day has passed.
type Ignore struct {
	Test   Name `yaml:"test" required:"true" doc:"The test as Class#method, or a class. A * stands for anything."`
	Until  Date `yaml:"until" required:"true" doc:"The last day on which it is left alone (UTC), such as 2027-01-31."`
	Reason Text `yaml:"reason" doc:"Why; shown wherever the entry acts."`
}

// Comments bound what is said.
type Comments struct {
	Tone      Tone     `yaml:"tone" doc:"How much a comment says: full explains, short is the diff and one sentence."`
	MaxPerDay int      `yaml:"max-per-day" min:"0" max:"1000" doc:"How many comments odfix may write on this repository in 24 hours. 0: none, only checks."`
	AlsoOn    []AlsoOn `yaml:"also-on" doc:"Verdicts that get a comment besides order-dependent ones. A genuine failure never gets one."`
}

// Pollution is about tests that leave shared state changed.
type Pollution struct {
	Annotate bool `yaml:"annotate" doc:"Whether a check marks tests of a pull request that newly leave changed what other tests read, or break them. Each push then costs a run of the module's tests, and more. Pull requests from forks are left out unless their author is an owner, member, collaborator or earlier contributor."`
}

// Policy is the organisation's word over its repositories.
type Policy struct {
	Forbid                  []Ban  `yaml:"forbid" doc:"What repositories may not have."`
	MaxJobMinutes           int    `yaml:"max-job-minutes" min:"1" max:"360" doc:"The most that budgets.job-minutes can be."`
	MaxInvestigationsPerDay int    `yaml:"max-investigations-per-day" min:"0" max:"10000" doc:"The most that budgets.investigations-per-day can be."`
	MaxCommentsPerDay       int    `yaml:"max-comments-per-day" min:"0" max:"1000" doc:"The most that comments.max-per-day can be."`
	NeverPatch              []Path `yaml:"never-patch" doc:"Files that no patch may touch in any repository, besides what a repository says."`
}

// The kinds of text in a file; rules.go says what each may be.
type (
	Name      string // a name or a pattern of names
	Path      string // a path or a pattern of paths, relative, with slashes
	Word      string // one word of a command
	Text      string // one line for people
	EnvName   string // the name of an environment variable
	Date      string // a day, as 2027-01-31
	Tone      string
	Technique string
	Rung      string
	AlsoOn    string
	Ban       string
)

// The words a file can use.
const (
	Full  Tone = "full"
	Short Tone = "short"

	Helper     Technique = "helper"     // statements of cleaners and state-setters
	Reset      Technique = "reset"      // the project's own reset methods
	Reflection Technique = "reflection" // restoring private fields by reflection
	rewind     Technique = "rewind"     // the older name of Reflection

	Suggestion  Rung = "suggestion"
	FileComment Rung = "file-comment"
	Comment     Rung = "comment"
	Stacked     Rung = "stacked-pull-request"
	Commit      Rung = "commit"

	OnFlaky         AlsoOn = "flaky"
	OnNotReproduced AlsoOn = "not-reproduced"
	OnUndecided     AlsoOn = "undecided"

	BanEnabling    Ban = "enabling" // switching odfix on where the organisation's file does not
	BanNetwork     Ban = "network"
	BanEnvironment Ban = "environment"
	BanCommands    Ban = "commands" // test commands of their own
	BanIgnoring    Ban = "ignoring"
	BanStacked     Ban = Ban(Stacked)
	BanCommit      Ban = Ban(Commit)
)

// Techniques are all kinds of patch.
var Techniques = []Technique{Helper, Reset, Reflection}

// Kind is the kind of patch that the technique makes (job.Patch.Kind).
func (t Technique) Kind() string {
	if t == rewind {
		t = Reflection
	}
	return string(t)
}

// Defaults are what holds where no file says otherwise.
func Defaults() Config {
	return Config{
		Version: Version, Enabled: true,
		Techniques: []Technique{Helper, Reset},
		Budgets:    Budgets{JobMinutes: 20, InvestigationsPerDay: 50},
		Ladder:     []Rung{Suggestion, FileComment, Comment},
		Comments:   Comments{Tone: Full, MaxPerDay: 20},
	}
}
