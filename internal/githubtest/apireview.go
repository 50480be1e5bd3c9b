package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"unicode/utf8"
)

var reviewTable = []entry{
	{"pulls/list-reviews", onRepository, "pull_requests:read", withPull((*call).listReviews)},
	{"pulls/create-review", onRepository, "pull_requests:write", withPull((*call).createReview)},
	{"pulls/get-review", onRepository, "pull_requests:read", withReview((*call).getReview)},
	{"pulls/update-review", onRepository, "pull_requests:write", withReview((*call).updateReview)},
	{"pulls/delete-pending-review", onRepository, "pull_requests:write", withReview((*call).deleteReview)},
	{"pulls/submit-review", onRepository, "pull_requests:write", withReview((*call).submitReview)},
	{"pulls/dismiss-review", onRepository, "pull_requests:write", withReview((*call).dismissReview)},
	{"pulls/list-comments-for-review", onRepository, "pull_requests:read", withReview((*call).reviewComments)},
	{"pulls/list-review-comments", onRepository, "pull_requests:read", withPull((*call).listInline)},
	{"pulls/list-review-comments-for-repo", onRepository, "pull_requests:read", (*call).listAllInline},
	{"pulls/create-review-comment", onRepository, "pull_requests:write", withPull((*call).createInline)},
	{"pulls/create-reply-for-review-comment", onRepository, "pull_requests:write", withPull((*call).replyInline)},
	{"pulls/get-review-comment", onRepository, "pull_requests:read", withInline((*call).getInline)},
	{"pulls/update-review-comment", onRepository, "pull_requests:write", withInline((*call).updateInline)},
	{"pulls/delete-review-comment", onRepository, "pull_requests:write", withInline((*call).deleteInline)},
	{"reactions/create-for-pull-request-review-comment", onRepository, "pull_requests:write", withInline((*call).reactInline)},
}

// longest is how long a body may be.
const longest = 65536

func withReview(do func(*call, *Review) (answer, error)) func(*call) (answer, error) {
	return withPull(func(c *call, p *PullRequest) (answer, error) {
		for _, v := range p.reviews {
			if v.id == c.number("review_id") && (v.state != "PENDING" || v.author == c.actor()) {
				return do(c, v)
			}
		}
		return answer{}, notFound()
	})
}

func (c *call) listReviews(p *PullRequest) (answer, error) {
	seen := slices.DeleteFunc(slices.Clone(p.reviews), func(v *Review) bool { return v.state == "PENDING" && v.author != c.actor() })
	return list(c, seen, (*Review).view)
}

func (c *call) getReview(v *Review) (answer, error) { return ok(v.view()), nil }

var reviewStates = map[string]string{"": "PENDING", "COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}

type draft struct {
	anchor
	Body string `json:"body"`
}

// createReview takes a review whole or not at all.
func (c *call) createReview(p *PullRequest) (answer, error) {
	var in struct {
		CommitID string  `json:"commit_id"`
		Body     string  `json:"body"`
		Event    string  `json:"event"`
		Comments []draft `json:"comments"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	state := reviewStates[in.Event]
	if err := c.mayReview(p, state, in.Body, len(in.Comments)); err != nil {
		return answer{}, err
	}
	commit, spots, err := c.spots(p, in.CommitID, in.Comments)
	if err != nil {
		return answer{}, err
	}
	v := p.addReview(c.actor(), state, in.Body, commit)
	for i, s := range spots {
		v.addComment(s, in.Comments[i].Body, nil)
	}
	if state != "PENDING" {
		p.updated = c.s.now()
		v.tell("submitted")
	}
	return ok(v.view()), nil
}

func (c *call) mayReview(p *PullRequest, state, body string, comments int) error {
	switch {
	case state == "APPROVED" && p.author == c.actor():
		return unprocessable("Can not approve your own pull request")
	case state == "CHANGES_REQUESTED" && p.author == c.actor():
		return unprocessable("Can not request changes on your own pull request")
	case body == "" && (state == "CHANGES_REQUESTED" || state == "COMMENTED" && comments == 0):
		return unprocessable("Body can't be blank")
	case utf8.RuneCountInString(body) > longest:
		return unprocessable(fmt.Sprintf("Body is too long (maximum is %d characters)", longest))
	case c.s.config.Limits.ReviewComments >= 0 && comments > c.s.config.Limits.ReviewComments:
		return unprocessable(fmt.Sprintf("Comments is too long (maximum is %d comments)", c.s.config.Limits.ReviewComments))
	}
	for _, v := range p.reviews {
		if v.state == "PENDING" && v.author == c.actor() {
			return unprocessable("User can only have one pending review per pull request")
		}
	}
	return nil
}

// spots finds every comment of a review on the diff of the commit it names.
func (c *call) spots(p *PullRequest, commit string, comments []draft) (string, []spot, error) {
	if commit == "" {
		commit = p.headSha
	}
	if !slices.Contains(p.timeline, commit) && !c.inPull(p, commit) {
		return "", nil, unprocessable("Commit is not part of the pull request")
	}
	files, err := c.filesAt(p, commit)
	if err != nil {
		return "", nil, err
	}
	var spots []spot
	var sentences []string
	for _, k := range comments {
		s, o := k.find(files)
		switch {
		case o.any():
			sentences = append(sentences, o.sentence())
		case k.Body == "":
			sentences = append(sentences, "Pull request review thread body can't be blank")
		case utf8.RuneCountInString(k.Body) > longest:
			sentences = append(sentences, fmt.Sprintf("Pull request review thread body is too long (maximum is %d characters)", longest))
		}
		spots = append(spots, s)
	}
	if len(sentences) > 0 {
		slices.Sort(sentences)
		return "", nil, unprocessable(slices.Compact(sentences)...)
	}
	return commit, spots, nil
}

// filesAt is the diff of the pull request as it was at one of its commits.
func (c *call) filesAt(p *PullRequest, commit string) (files []fileDiff, err error) {
	if commit == p.headSha {
		return p.files(c.ctx)
	}
	base, err := p.repo.git.MergeBase(c.ctx, p.baseSha, commit)
	if err != nil {
		return nil, err
	}
	return p.repo.git.Diff(c.ctx, base, commit)
}

func (c *call) updateReview(v *Review) (answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if v.author != c.actor() {
		return answer{}, refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	v.body = in.Body
	return ok(v.view()), nil
}

func (c *call) deleteReview(v *Review) (answer, error) {
	if v.state != "PENDING" {
		return answer{}, unprocessable("Can not delete a non-pending pull request review")
	}
	p := v.pull
	p.reviews = slices.DeleteFunc(p.reviews, func(one *Review) bool { return one == v })
	p.threads = slices.DeleteFunc(p.threads, func(t *thread) bool { return t.comments[0].review == v })
	p.inline = slices.DeleteFunc(p.inline, func(k *InlineComment) bool { return k.review == v })
	return ok(v.view()), nil
}

func (c *call) submitReview(v *Review) (answer, error) {
	var in struct{ Body, Event string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if v.state != "PENDING" {
		return answer{}, unprocessable("Can not submit a non-pending pull request review")
	}
	v.body = either(in.Body, v.body)
	v.state, v.submitted = reviewStates[in.Event], c.s.now()
	v.tell("submitted")
	return ok(v.view()), nil
}

func (c *call) dismissReview(v *Review) (answer, error) {
	if v.state != "APPROVED" && v.state != "CHANGES_REQUESTED" {
		return answer{}, unprocessable("Can not dismiss a commented pull request review")
	}
	v.state = "DISMISSED"
	v.tell("dismissed")
	return ok(v.view()), nil
}

func (c *call) reviewComments(v *Review) (answer, error) {
	var all []*InlineComment
	for _, k := range v.pull.inline {
		if k.review == v {
			all = append(all, k)
		}
	}
	return list(c, all, c.inlineView)
}
