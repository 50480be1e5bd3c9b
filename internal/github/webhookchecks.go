package github

// pullRef is a pull request in a check. It can be one of another repository.
type pullRef struct {
	Number int64 `json:"number"`
	Base   struct {
		Repo struct {
			ID int64 `json:"id"`
		} `json:"repo"`
	} `json:"base"`
}

// numbersIn selects the pull requests into this repository, and not those into forks of it.
func numbersIn(repository int64, list []pullRef) []int64 {
	var out []int64
	for _, p := range list {
		if p.Base.Repo.ID == repository && p.Number > 0 {
			out = append(out, p.Number)
		}
	}
	return out
}

type idOnly struct {
	ID int64 `json:"id"`
}

type slugOnly struct {
	Slug string `json:"slug"`
}

func decodeWorkflowRun(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		Run struct {
			ID             int64     `json:"id"`
			Name           string    `json:"name"`
			Path           string    `json:"path"`
			HeadSHA        string    `json:"head_sha"`
			HeadBranch     string    `json:"head_branch"`
			HeadRepository idOnly    `json:"head_repository"`
			Event          string    `json:"event"`
			Conclusion     string    `json:"conclusion"`
			RunAttempt     int64     `json:"run_attempt"`
			HTMLURL        string    `json:"html_url"`
			PullRequests   []pullRef `json:"pull_requests"`
		} `json:"workflow_run"`
		Workflow struct {
			Name string `json:"name"`
		} `json:"workflow"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	r := p.Run
	e.Check = &CheckEvent{
		ID: r.ID, HeadSHA: r.HeadSHA, HeadBranch: r.HeadBranch, HeadRepository: r.HeadRepository.ID, Conclusion: r.Conclusion,
		Name: r.Name, Workflow: p.Workflow.Name, Path: r.Path, RunID: r.ID, RunAttempt: r.RunAttempt, Trigger: r.Event, URL: r.HTMLURL,
		PullRequests: numbersIn(e.Repository.ID, r.PullRequests),
	}
	if e.Check.Workflow == "" {
		e.Check.Workflow = r.Name
	}
	return needSHA(r.HeadSHA)
}

func decodeWorkflowJob(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		Job struct {
			ID           int64  `json:"id"`
			RunID        int64  `json:"run_id"`
			RunAttempt   int64  `json:"run_attempt"`
			Name         string `json:"name"`
			WorkflowName string `json:"workflow_name"`
			HeadSHA      string `json:"head_sha"`
			HeadBranch   string `json:"head_branch"`
			Conclusion   string `json:"conclusion"`
			HTMLURL      string `json:"html_url"`
		} `json:"workflow_job"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	j := p.Job
	e.Check = &CheckEvent{
		ID: j.ID, HeadSHA: j.HeadSHA, HeadBranch: j.HeadBranch, Conclusion: j.Conclusion, Name: j.Name,
		Workflow: j.WorkflowName, RunID: j.RunID, RunAttempt: j.RunAttempt, URL: j.HTMLURL,
	}
	return needSHA(j.HeadSHA)
}

func decodeCheckRun(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		Run struct {
			ID         int64    `json:"id"`
			Name       string   `json:"name"`
			HeadSHA    string   `json:"head_sha"`
			Conclusion string   `json:"conclusion"`
			DetailsURL string   `json:"details_url"`
			ExternalID string   `json:"external_id"`
			App        slugOnly `json:"app"`
			Suite      struct {
				HeadBranch string `json:"head_branch"`
			} `json:"check_suite"`
			PullRequests []pullRef `json:"pull_requests"`
		} `json:"check_run"`
		Requested struct {
			Identifier string `json:"identifier"`
		} `json:"requested_action"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	r := p.Run
	e.Check = &CheckEvent{
		ID: r.ID, HeadSHA: r.HeadSHA, HeadBranch: r.Suite.HeadBranch, Conclusion: r.Conclusion, Name: r.Name, App: r.App.Slug,
		URL: r.DetailsURL, ExternalID: r.ExternalID, Requested: p.Requested.Identifier,
		PullRequests: numbersIn(e.Repository.ID, r.PullRequests),
	}
	return needSHA(r.HeadSHA)
}

func decodeCheckSuite(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		Suite struct {
			ID           int64     `json:"id"`
			HeadSHA      string    `json:"head_sha"`
			HeadBranch   string    `json:"head_branch"`
			Conclusion   string    `json:"conclusion"`
			App          slugOnly  `json:"app"`
			PullRequests []pullRef `json:"pull_requests"`
		} `json:"check_suite"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	s := p.Suite
	e.Check = &CheckEvent{
		ID: s.ID, HeadSHA: s.HeadSHA, HeadBranch: s.HeadBranch, Conclusion: s.Conclusion, Name: s.App.Slug, App: s.App.Slug,
		PullRequests: numbersIn(e.Repository.ID, s.PullRequests),
	}
	return needSHA(s.HeadSHA)
}

func decodeStatus(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		ID        int64  `json:"id"`
		SHA       string `json:"sha"`
		State     string `json:"state"`
		Context   string `json:"context"`
		TargetURL string `json:"target_url"`
		Branches  []struct {
			Name string `json:"name"`
		} `json:"branches"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	if p.State == "pending" {
		return ignored("a pending status")
	}
	e.Check = &CheckEvent{ID: p.ID, HeadSHA: p.SHA, Conclusion: p.State, Name: p.Context, URL: p.TargetURL}
	if len(p.Branches) == 1 {
		e.Check.HeadBranch = p.Branches[0].Name
	}
	return needSHA(p.SHA)
}
