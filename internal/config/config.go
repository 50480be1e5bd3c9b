// Package config reads `.odfix.yml`: the settings of a repository and its organisation.
//
// A file is untrusted. It must be small, plain YAML without anchors, aliases, merge keys or tags,
// and every key must be known. Each error is a Problem with a line, a column and a hint. The
// decoder, the published JSON Schema (docs/odfix-yml.schema.json) and the printed form come from
// the same struct tags and rules, and tests compare them. Nothing here reads a file, a clock or the
// network: Resolve is a pure function of the files' texts.
package config

// Version of the file format.
const Version = 1

// Config is the configuration of a repository. The doc tags are the descriptions of the schema.
type Config struct {
	Version     int         `yaml:"version" min:"1" max:"1" doc:"Version of this format."`
	Enabled     bool        `yaml:"enabled" doc:"Whether odfix works on this repository."`
	CI          CI          `yaml:"ci" doc:"The builds that odfix investigates when they fail. It ignores all others."`
	Tests       Tests       `yaml:"tests" doc:"The tests that odfix investigates, and the command that runs them."`
	JDK         int         `yaml:"jdk" min:"8" max:"99" doc:"The feature release of the JDK for building and testing. Default: the build's own choice."`
	Environment []EnvName   `yaml:"environment" doc:"Names of environment variables that the tests need. The operator of odfix provides the values; they are never written here. Tests never get secrets."`
	Techniques  []Technique `yaml:"techniques" doc:"The kinds of patch that odfix may suggest."`
	Repair      Repair      `yaml:"repair" doc:"How odfix makes patches."`
	Budgets     Budgets     `yaml:"budgets" doc:"Limits of the work of odfix."`
	Approval    Approval    `yaml:"approval" doc:"When a maintainer has to approve that odfix runs the code of a pull request. Only the default branch's file and the organisation's count."`
	Ladder      []Rung      `yaml:"ladder" doc:"The ways in which odfix may publish a patch. odfix uses the first that is possible, in the order suggestion, file-comment, comment, stacked-pull-request, commit."`
	Ignore      []Ignore    `yaml:"ignore" doc:"Tests that odfix ignores until a date."`
	Comments    Comments    `yaml:"comments" doc:"The comments of odfix on pull requests."`
	Pollution   Pollution   `yaml:"pollution" doc:"How odfix reports tests that leave shared state changed, before another test fails because of them."`
	NeverPatch  []Path      `yaml:"never-patch" doc:"Files that no patch may change, as paths from the top of the repository. A * stands for anything but a slash, ** for any folders."`
	Network     bool        `yaml:"network" doc:"Whether the tests may use the network while odfix runs them."`
	Policy      Policy      `yaml:"policy" doc:"Settings that repositories of the organisation may not have. Only the file in the organisation's .github repository can set a policy."`
}

// CI selects builds. An empty list means all.
type CI struct {
	Workflows []Name `yaml:"workflows" doc:"Workflows of GitHub Actions, by name or by path such as .github/workflows/ci.yml. A * stands for anything."`
	Jobs      []Name `yaml:"jobs" doc:"Jobs of these workflows, by name. A * stands for anything."`
	Checks    []Name `yaml:"checks" doc:"Check runs and commit statuses of other CI systems, by name or context. A * stands for anything."`
}

// Tests selects tests, and says how the project runs them.
type Tests struct {
	Command []Word   `yaml:"command" doc:"The command that runs the tests, as a list of words, without a shell. Default: found from the project's build."`
	Modules []Module `yaml:"modules" doc:"The modules that odfix investigates. Default: all."`
}

// Module is one module of the build.
type Module struct {
	Path    Path   `yaml:"path" required:"true" doc:"The module's folder from the top of the repository. A * stands for anything but a slash."`
	Command []Word `yaml:"command" doc:"The command that runs this module's tests, instead of tests.command."`
}

// Repair is about patches.
type Repair struct {
	Place Place `yaml:"place" doc:"The only place that patches may have: the teardown of the polluter's class, the setup of the victim's class, or the start of the victim. any: odfix chooses. Without a proved patch in that place, odfix explains the failure and suggests no change."`
}

// Budgets bound the work of odfix.
type Budgets struct {
	JobMinutes           int `yaml:"job-minutes" min:"1" max:"360" doc:"Minutes for one investigation, with the build."`
	ProofMinutes         int `yaml:"proof-minutes" min:"1" max:"360" doc:"Minutes for the second runner, which proves a patch again before odfix posts it, with its build."`
	TestSeconds          int `yaml:"test-seconds" min:"1" max:"3600" doc:"Seconds after which a test counts as hung. Default: derived from its earlier durations."`
	Reruns               int `yaml:"reruns" min:"2" max:"50" doc:"How often each conclusion is confirmed in fresh processes. Default: three times, less often for a conclusion that many failing tests share."`
	InvestigationsPerDay int `yaml:"investigations-per-day" min:"0" max:"10000" doc:"Number of investigations that may begin in 24 hours."`
	AuthorPerDay         int `yaml:"author-investigations-per-day" min:"0" max:"10000" doc:"Number of these that may be about the pull requests of one author. Only the default branch's file and the organisation's count."`
}

// Cap shortens the times of runners to the most that the operator of the server allows; 0: any.
func (b *Budgets) Cap(minutes int) {
	if minutes > 0 {
		b.JobMinutes, b.ProofMinutes = min(b.JobMinutes, minutes), min(b.ProofMinutes, minutes)
	}
}

// Approval is about pull requests from forks whose authors have not contributed before.
type Approval struct {
	When  ApprovalWhen `yaml:"when" doc:"Where the code of a pull request from a fork runs only after a maintainer has approved its commit, unless GitHub calls the author an owner, member, collaborator or earlier contributor: public (in public repositories), always or never."`
	Label Name         `yaml:"label" doc:"The label that approves the commit which is the head when a person who can write to the repository adds it."`
}

// Ignore is a test that odfix ignores until a day has passed.
type Ignore struct {
	Test   Name `yaml:"test" required:"true" doc:"The test as Class#method or file#titles, or a class or file. A * stands for anything."`
	Until  Date `yaml:"until" required:"true" doc:"The last day on which odfix ignores the test (UTC), such as 2027-01-31."`
	Reason Text `yaml:"reason" doc:"The reason, which odfix shows wherever the entry applies."`
}

// Comments bound the comments of odfix.
type Comments struct {
	Tone      Tone     `yaml:"tone" doc:"The length of comments: full has an explanation, short has the diff and one sentence."`
	MaxPerDay int      `yaml:"max-per-day" min:"0" max:"1000" doc:"Number of comments that odfix may write in this repository in 24 hours. 0: none, only checks."`
	AlsoOn    []AlsoOn `yaml:"also-on" doc:"Other verdicts than order-dependent that get a comment. A genuine failure never gets one."`
}

// Pollution is about tests that leave shared state changed.
type Pollution struct {
	Annotate bool `yaml:"annotate" doc:"Whether a check marks tests of a pull request that newly leave changed what other tests read, or break them. Each push then costs a run of the module's tests, and more. Pull requests from forks are left out unless their author is an owner, member, collaborator or earlier contributor."`
}

// Policy restricts the repositories of an organisation.
type Policy struct {
	Forbid                  []Ban  `yaml:"forbid" doc:"Settings that repositories may not have."`
	MaxJobMinutes           int    `yaml:"max-job-minutes" min:"1" max:"360" doc:"Maximum of budgets.job-minutes, and of budgets.proof-minutes."`
	MaxInvestigationsPerDay int    `yaml:"max-investigations-per-day" min:"0" max:"10000" doc:"Maximum of budgets.investigations-per-day."`
	MaxCommentsPerDay       int    `yaml:"max-comments-per-day" min:"0" max:"1000" doc:"Maximum of comments.max-per-day."`
	NeverPatch              []Path `yaml:"never-patch" doc:"Files that no patch may change in any repository, in addition to those of the repository."`
}

// The kinds of text in a file. rules.go has a rule for each.
type (
	Name      string // a name or a pattern of names
	Path      string // a path or a pattern of paths, relative, with slashes
	Word      string // one word of a command
	Text      string // one line for people
	EnvName   string // the name of an environment variable
	Date      string // a day, as 2027-01-31
	Tone      string
	Technique string
	Place     string
	Rung      string
	AlsoOn    string
	Ban       string

	ApprovalWhen string
)

// The values that a file can use.
const (
	Full  Tone = "full"
	Short Tone = "short"

	Helper     Technique = "helper"     // statements of cleaners and state-setters
	Reset      Technique = "reset"      // the project's own reset methods
	Reflection Technique = "reflection" // restoring private fields by reflection
	rewind     Technique = "rewind"     // the older name of Reflection

	InPublic ApprovalWhen = "public"
	Always   ApprovalWhen = "always"
	Never    ApprovalWhen = "never"

	AnyPlace         Place = "any"
	PolluterTeardown Place = "polluter-teardown"
	VictimSetup      Place = "victim-setup"
	VictimStart      Place = "victim-start"

	Suggestion  Rung = "suggestion"
	FileComment Rung = "file-comment"
	Comment     Rung = "comment"
	Stacked     Rung = "stacked-pull-request"
	Commit      Rung = "commit"

	OnFlaky         AlsoOn = "flaky"
	OnNotReproduced AlsoOn = "not-reproduced"
	OnUndecided     AlsoOn = "undecided"

	BanEnabling    Ban = "enabling" // enabling odfix if the organisation's file does not
	BanNetwork     Ban = "network"
	BanEnvironment Ban = "environment"
	BanCommands    Ban = "commands" // test commands of a repository
	BanIgnoring    Ban = "ignoring"
	BanUnapproved  Ban = "unapproved" // running code of first-time contributors without approval
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

// Defaults are the settings without any file.
func Defaults() Config {
	return Config{
		Version: Version, Enabled: true,
		Techniques: []Technique{Helper, Reset},
		Repair:     Repair{Place: AnyPlace},
		Budgets:    Budgets{JobMinutes: 20, ProofMinutes: 15, InvestigationsPerDay: 50, AuthorPerDay: 20},
		Approval:   Approval{When: InPublic, Label: "odfix:run"},
		Ladder:     []Rung{Suggestion, FileComment, Comment},
		Comments:   Comments{Tone: Full, MaxPerDay: 20},
	}
}
