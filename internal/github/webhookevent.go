package github

import "time"

// Event is what odfix keeps of a delivery. Exactly one of the pointers is set. It
// is stored as JSON: fields may be added, and keep their meaning.
type Event struct {
	Name         string     `json:"name"` // X-GitHub-Event
	Action       string     `json:"action,omitempty"`
	Installation int64      `json:"installation"`
	Repository   Repository `json:"repository,omitzero"`
	Sender       Sender     `json:"sender,omitzero"`

	Check       *CheckEvent        `json:"check,omitempty"`
	PullRequest *PullRequestEvent  `json:"pullRequest,omitempty"`
	Comment     *CommentEvent      `json:"comment,omitempty"`
	Push        *PushEvent         `json:"push,omitempty"`
	Installed   *InstallationEvent `json:"installed,omitempty"`
}

// Asked says that a person made this event by asking for something.
func (e *Event) Asked() bool {
	return e.Comment != nil || e.Action == "rerequested" || e.Action == "requested_action"
}

// Repository is the one an event is about: the base repository.
type Repository struct {
	ID            int64  `json:"id"`
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch,omitempty"`
}

// Sender is who caused an event.
type Sender struct {
	Login string `json:"login"`
	Type  string `json:"type"` // User, Bot, Organization
}

// CheckEvent is the end of something that CI did, or a wish about odfix's own check.
type CheckEvent struct {
	ID      int64  `json:"id"`
	HeadSHA string `json:"headSHA"`
	// HeadBranch and HeadRepository are empty where GitHub does not say, as for forks.
	HeadBranch     string `json:"headBranch,omitempty"`
	HeadRepository int64  `json:"headRepository,omitempty"`
	// Conclusion is GitHub's; of a commit status its state.
	Conclusion string `json:"conclusion"`
	Name       string `json:"name"`               // the check's, job's, workflow's, or status' context
	Workflow   string `json:"workflow,omitempty"` // of a workflow run or job: the workflow's name
	Path       string `json:"path,omitempty"`     // of a workflow run: the workflow's file
	RunID      int64  `json:"runID,omitempty"`
	RunAttempt int64  `json:"runAttempt,omitempty"`
	Trigger    string `json:"trigger,omitempty"` // of a workflow run: pull_request, push, …
	App        string `json:"app,omitempty"`     // slug of the App whose check it is
	URL        string `json:"url,omitempty"`     // for people; anybody's text
	ExternalID string `json:"externalID,omitempty"`
	Requested  string `json:"requested,omitempty"` // which button was pressed
	// PullRequests are numbers of pull requests into this very repository that GitHub
	// names. Often there are none though there is a pull request.
	PullRequests []int64 `json:"pullRequests,omitempty"`
}

// PullRequestEvent is a change of a pull request.
type PullRequestEvent struct {
	Number         int64  `json:"number"`
	HeadSHA        string `json:"headSHA"`
	HeadRef        string `json:"headRef"`
	HeadRepository int64  `json:"headRepository,omitempty"` // 0: the fork is gone
	BaseRef        string `json:"baseRef"`
	Open           bool   `json:"open"`
	Draft          bool   `json:"draft,omitempty"`
	MayModify      bool   `json:"mayModify,omitempty"` // maintainer_can_modify
	// Association is what the author has to do with the repository, in GitHub's word (CONTRIBUTOR:
	// something of theirs was merged).
	Association string    `json:"association,omitempty"`
	Updated     time.Time `json:"updated"`
}

// CommentEvent is a new comment with a command on a pull request.
type CommentEvent struct {
	ID     int64  `json:"id"`
	Number int64  `json:"number"` // of the pull request
	Author string `json:"author"`
	// Command is the first line that begins with /odfix.
	Command string `json:"command"`
}

// PushEvent is a push that can have changed configuration.
type PushEvent struct {
	Branch string `json:"branch"`
	After  string `json:"after"`
}

// InstallationEvent is a change of where the App is installed.
type InstallationEvent struct {
	Account     string            `json:"account"`
	Permissions map[string]string `json:"permissions,omitempty"`
	Suspended   bool              `json:"suspended,omitempty"`
	Removed     bool              `json:"removed,omitempty"`
	Updated     time.Time         `json:"updated"`
	Added       []Repository      `json:"added,omitempty"`
	Gone        []Repository      `json:"gone,omitempty"`
}

// DeliveryArgs are the arguments of the job that handles a delivery.
type DeliveryArgs struct {
	GUID string `json:"guid"`
}

// Kind is the job's name in the queue.
func (DeliveryArgs) Kind() string { return "delivery" }
