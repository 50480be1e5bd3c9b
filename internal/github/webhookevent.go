package github

import "time"

// Event is the part of a delivery that odfix stores. Exactly one of the pointers is set. Its form
// in the database is JSON, so fields can be added, but their meaning must not change.
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

// Asked reports whether the event is a request of a person.
func (e *Event) Asked() bool {
	return e.Comment != nil || e.Action == "rerequested" || e.Action == "requested_action" || e.Action == "labeled"
}

// Repository is the repository of an event: the base repository.
type Repository struct {
	ID       int64  `json:"id"`
	FullName string `json:"full_name"`
}

// Sender is the account that caused an event.
type Sender struct {
	Login string `json:"login"`
	Type  string `json:"type"` // User, Bot, Organization
}

// CheckEvent is a completed check, job, run or status of CI, or a request for odfix's own check.
type CheckEvent struct {
	HeadSHA string `json:"headSHA"`
	// HeadBranch and HeadRepository are empty if GitHub does not send them, as for forks.
	HeadBranch     string `json:"headBranch,omitempty"`
	HeadRepository int64  `json:"headRepository,omitempty"`
	// Conclusion is the conclusion, or the state of a commit status.
	Conclusion string `json:"conclusion"`
	Name       string `json:"name"`          // the check's, job's, workflow's, or status' context
	App        string `json:"app,omitempty"` // slug of the check's App
	ExternalID string `json:"externalID,omitempty"`
	// Key identifies the job or the run of GitHub Actions, as CIJob.Key and Run.Key do.
	Key       string `json:"key,omitempty"`
	Requested string `json:"requested,omitempty"` // the pressed button
	// PullRequests are the numbers of pull requests into this repository. Often GitHub sends none
	// even though there is one.
	PullRequests []int64 `json:"pullRequests,omitempty"`
}

// PullRequestEvent is a change of a pull request.
type PullRequestEvent struct {
	Number         int64  `json:"number"`
	HeadSHA        string `json:"headSHA"`
	HeadRef        string `json:"headRef"`
	HeadRepository int64  `json:"headRepository,omitempty"` // 0: the fork was deleted
	BaseRef        string `json:"baseRef"`
	Open           bool   `json:"open"`
	// Author and HeadOwner are the ids of the accounts that opened it and that own its head's
	// repository.
	Author    int64 `json:"author,omitempty"`
	HeadOwner int64 `json:"headOwner,omitempty"`
	// Association is GitHub's author_association (CONTRIBUTOR: an earlier pull request of the
	// author was merged).
	Association string    `json:"association,omitempty"`
	Updated     time.Time `json:"updated"`
	Label       string    `json:"label,omitempty"` // that was added
}

// CommentEvent is a new comment with a command on a pull request.
type CommentEvent struct {
	ID     int64  `json:"id"`
	Number int64  `json:"number"` // of the pull request
	Author string `json:"author"`
	// Command is the first line that begins with /odfix.
	Command string `json:"command"`
}

// PushEvent is a push that can change the configuration.
type PushEvent struct {
	Branch string `json:"branch"`
	After  string `json:"after"`
}

// InstallationEvent is a change of an installation of the App.
type InstallationEvent struct {
	AccountID   int64             `json:"accountID,omitempty"`
	Account     string            `json:"account"` // the login
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
