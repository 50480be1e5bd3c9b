package post

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
)

// Event is what a workflow run was started by: the fields of GITHUB_EVENT_PATH that are used.
type Event struct {
	Name        string `json:"-"` // GITHUB_EVENT_NAME
	PullRequest struct {
		Number int64 `json:"number"`
		Head   struct {
			SHA string `json:"sha"`
		} `json:"head"`
	} `json:"pull_request"`
	Run        OtherRun `json:"workflow_run"`
	Repository struct {
		ID int64 `json:"id"`
	} `json:"repository"`
}

// OtherRun is the workflow run that a workflow_run event is about.
type OtherRun struct {
	ID             int64  `json:"id"`
	Event          string `json:"event"`
	Conclusion     string `json:"conclusion"`
	HeadSHA        string `json:"head_sha"`
	HeadBranch     string `json:"head_branch"`
	HeadRepository struct {
		ID    int64 `json:"id"`
		Owner struct {
			Login string `json:"login"`
		} `json:"owner"`
	} `json:"head_repository"`
}

// ofOtherRun reports whether the event is about another workflow run.
func (e Event) ofOtherRun() bool { return e.Name == "workflow_run" }

var commit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// maxEvent is GitHub's limit for a payload.
const maxEvent = 25 << 20

// ReadEvent reads the file of GITHUB_EVENT_PATH.
func ReadEvent(name, file string) (Event, error) {
	e := Event{Name: name}
	f, err := os.Open(file)
	if err != nil {
		return e, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxEvent))
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	switch {
	case err != nil:
		return e, fmt.Errorf("the event cannot be read: %w", err)
	case e.ofOtherRun() && (e.Run.ID == 0 || !commit.MatchString(e.Run.HeadSHA)):
		return e, fmt.Errorf("the workflow_run event names no run")
	case e.PullRequest.Number > 0 && !commit.MatchString(e.PullRequest.Head.SHA):
		return e, fmt.Errorf("the pull request event names no head")
	}
	return e, nil
}
