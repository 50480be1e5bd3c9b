package github

import (
	"cmp"
	"fmt"
)

// checkJSON is a run, a job, a check run or a check suite in a payload.
type checkJSON struct {
	ID             int64  `json:"id"`
	Attempt        int64  `json:"run_attempt"`
	Name           string `json:"name"`
	HeadSHA        string `json:"head_sha"`
	HeadBranch     string `json:"head_branch"`
	HeadRepository idOnly `json:"head_repository"`
	Conclusion     string `json:"conclusion"`
	ExternalID     string `json:"external_id"`
	App            struct {
		Slug string `json:"slug"`
	} `json:"app"`
	Suite struct {
		HeadBranch string `json:"head_branch"`
	} `json:"check_suite"`
	// PullRequests can be pull requests of other repositories.
	PullRequests []struct {
		Number int64 `json:"number"`
		Base   struct {
			Repo idOnly `json:"repo"`
		} `json:"base"`
	} `json:"pull_requests"`
}

type idOnly struct {
	ID int64 `json:"id"`
}

// decodeCheck reads the events about runs, jobs, check runs and check suites. Each has its check
// under the name of the event.
func decodeCheck(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		Run       checkJSON `json:"workflow_run"`
		Job       checkJSON `json:"workflow_job"`
		CheckRun  checkJSON `json:"check_run"`
		Suite     checkJSON `json:"check_suite"`
		Requested struct {
			Identifier string `json:"identifier"`
		} `json:"requested_action"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	k := map[string]checkJSON{"workflow_run": p.Run, "workflow_job": p.Job, "check_run": p.CheckRun, "check_suite": p.Suite}[e.Name]
	e.Check = &CheckEvent{
		HeadSHA: k.HeadSHA, HeadBranch: cmp.Or(k.HeadBranch, k.Suite.HeadBranch), HeadRepository: k.HeadRepository.ID,
		Conclusion: k.Conclusion,
		Name:       cmp.Or(k.Name, k.App.Slug), App: k.App.Slug, ExternalID: k.ExternalID, Requested: p.Requested.Identifier,
	}
	switch e.Name {
	case "workflow_run":
		e.Check.Key = Run{ID: k.ID, Attempt: k.Attempt}.Key()
	case "workflow_job":
		e.Check.Key = CIJob{ID: k.ID}.Key()
	}
	if p.Action == "completed" && !e.used() { // they are the most, and the queue would have nothing to do for them
		return ignored(fmt.Sprintf("the event %s with conclusion %q of %q", e.Name, cut(k.Conclusion), cut(k.App.Slug)))
	}
	for _, r := range k.PullRequests {
		if r.Base.Repo.ID == e.Repository.ID && r.Number > 0 { // into this repository, and not into a fork of it
			e.Check.PullRequests = append(e.Check.PullRequests, r.Number)
		}
	}
	return needSHA(k.HeadSHA)
}

// used reports whether a completed run, job or check can begin an investigation, or settle comments. Jobs of
// GitHub Actions are delivered as jobs and as check runs, and check runs one by one and as suites.
func (e *Event) used() bool {
	c := e.Check
	switch e.Name {
	case "check_suite":
		return false
	case "workflow_job":
		return Red(c.Conclusion)
	case "check_run":
		if c.App == actionsApp {
			return false
		}
	}
	return Red(c.Conclusion) || c.Conclusion == "success"
}

func decodeStatus(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		SHA      string `json:"sha"`
		State    string `json:"state"`
		Context  string `json:"context"`
		Branches []struct {
			Name string `json:"name"`
		} `json:"branches"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	if p.State == "pending" {
		return ignored("a pending status")
	}
	e.Check = &CheckEvent{HeadSHA: p.SHA, Conclusion: p.State, Name: p.Context}
	if len(p.Branches) == 1 {
		e.Check.HeadBranch = p.Branches[0].Name
	}
	return needSHA(p.SHA)
}
