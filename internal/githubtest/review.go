package githubtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Review is one review of a pull request.
type Review struct {
	id        int64
	pull      *PullRequest
	author    *Account
	body      string
	state     string // PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED
	commit    string
	submitted time.Time
}

// InlineComment is a comment on the diff.
type InlineComment struct {
	id       int64
	pull     *PullRequest
	review   *Review
	author   *Account
	body     string
	spot     spot
	commit   string // the head it was made on
	reply    *InlineComment
	thread   *thread
	created  time.Time
	updated  time.Time
	reacted  []*reaction
	minimize string
}

// thread is a conversation on the diff.
type thread struct {
	id       int64
	pull     *PullRequest
	comments []*InlineComment
	resolved *Account
}

// visible are the inline comments that others see: not those of a pending review.
func (p *PullRequest) visible() []*InlineComment {
	return slices.DeleteFunc(slices.Clone(p.inline), func(k *InlineComment) bool { return k.review.state == "PENDING" })
}

func (p *PullRequest) addReview(by *Account, state, body, commit string) *Review {
	v := &Review{id: p.repo.s.id("review"), pull: p, author: by, body: body, state: state, commit: commit}
	if state != "PENDING" {
		v.submitted = p.repo.s.now()
	}
	p.reviews = append(p.reviews, v)
	return v
}

func (v *Review) addComment(s spot, body string, to *InlineComment) *InlineComment {
	now := v.pull.repo.s.now()
	k := &InlineComment{id: v.pull.repo.s.id("inline"), pull: v.pull, review: v, author: v.author, body: body, spot: s,
		commit: v.commit, reply: to, created: now, updated: now}
	if to == nil {
		k.thread = &thread{id: v.pull.repo.s.id("thread"), pull: v.pull}
		v.pull.threads = append(v.pull.threads, k.thread)
	} else {
		k.thread, k.commit = to.thread, to.commit
	}
	k.thread.comments = append(k.thread.comments, k)
	v.pull.inline = append(v.pull.inline, k)
	return k
}

func (v *Review) page() string { return fmt.Sprintf("%s#pullrequestreview-%d", v.pull.URL(), v.id) }

func (v *Review) view() Object {
	o := Object{"id": v.id, "node_id": nodeID("PullRequestReview", v.id), "user": v.author.view(), "body": v.body, "state": v.state,
		"html_url": v.page(), "pull_request_url": v.pull.api(), "author_association": v.pull.repo.association(v.author),
		"_links":    Object{"html": Object{"href": v.page()}, "pull_request": Object{"href": v.pull.api()}},
		"commit_id": v.commit}
	if !v.submitted.IsZero() {
		o["submitted_at"] = stamp(v.submitted)
	}
	return o
}

// tell sends the review's event, and those of its comments.
func (v *Review) tell(action string) {
	p := v.pull
	o := v.view()
	o["state"] = map[string]string{"COMMENTED": "commented", "APPROVED": "approved", "CHANGES_REQUESTED": "changes_requested", "DISMISSED": "dismissed"}[v.state]
	o["body"] = textOrNull(v.body)
	o["submitted_at"] = stampOrNull(v.submitted)
	p.repo.s.emit(p.repo, "pull_request_review", action, v.author, Object{"review": o, "pull_request": p.hookView()})
	if action != "submitted" {
		return
	}
	for _, k := range p.inline {
		if k.review == v {
			k.tell("created", v.author, nil)
		}
	}
}

// hookView is the pull request as events about reviews show it: without counts.
func (p *PullRequest) hookView() Object {
	return p.simple()
}

func (k *InlineComment) tell(action string, by *Account, more Object) {
	fields := Object{"comment": k.view(context.Background()), "pull_request": k.pull.hookView()}
	maps.Copy(fields, more)
	k.pull.repo.s.emit(k.pull.repo, "pull_request_review_comment", action, by, fields)
}

func (k *InlineComment) api() string {
	return fmt.Sprintf("%s/pulls/comments/%d", k.pull.repo.api(), k.id)
}
func (k *InlineComment) page() string { return fmt.Sprintf("%s#discussion_r%d", k.pull.URL(), k.id) }

// now is where the comment stands on the newest diff, and false where it does
// not any more: then it is outdated.
func (k *InlineComment) now(ctx context.Context) (spot, bool) {
	p, was := k.pull, k.spot
	files, err := p.files(ctx)
	if err != nil {
		return spot{}, false
	}
	if was.file {
		_, o := anchor{Path: was.path, SubjectType: "file"}.find(files)
		return was, !o.any()
	}
	if was.side == "LEFT" {
		s, o := anchor{Path: was.path, Line: &was.line, Side: "LEFT"}.find(files)
		return s, !o.any() && k.commit == p.headSha
	}
	line := p.repo.carry(ctx, was.path, was.line, k.commit, p.headSha)
	a := anchor{Path: was.path, Line: &line, Side: was.side}
	if was.startLine > 0 {
		start := p.repo.carry(ctx, was.path, was.startLine, k.commit, p.headSha)
		if start == 0 || line-start != was.line-was.startLine {
			return spot{}, false
		}
		a.StartLine, a.StartSide = &start, was.startSide
	}
	s, o := a.find(files)
	return s, !o.any() && line > 0
}

// view is the comment as GitHub shows it: its lines carried along to the newest
// head, or null where it is outdated.
func (k *InlineComment) view(ctx context.Context) Object {
	numberOrNull := func(n int, ok bool) any {
		if n == 0 || !ok {
			return nil
		}
		return n
	}
	s, current := k.now(ctx)
	was := k.spot
	commit := k.commit
	if current {
		commit = k.pull.headSha
	}
	o := Object{"url": k.api(), "pull_request_review_id": k.review.id, "id": k.id, "node_id": nodeID("PullRequestReviewComment", k.id),
		"diff_hunk": was.hunk, "path": was.path, "commit_id": commit, "original_commit_id": k.commit, "user": k.author.view(), "body": k.body,
		"created_at": stamp(k.created), "updated_at": stamp(k.updated), "html_url": k.page(), "pull_request_url": k.pull.api(),
		"author_association": k.pull.repo.association(k.author),
		"_links": Object{"self": Object{"href": k.api()}, "html": Object{"href": k.page()},
			"pull_request": Object{"href": k.pull.api()}},
		"reactions": reactionCounts(k.api(), k.reacted), "subject_type": "line", "side": either(was.side, "RIGHT"),
		"line": numberOrNull(s.line, current), "original_line": numberOrNull(was.line, true),
		"start_line": numberOrNull(s.startLine, current), "original_start_line": numberOrNull(was.startLine, true),
		"start_side": textOrNull(was.startSide), "position": numberOrNull(s.position, current), "original_position": was.position}
	if was.file {
		o["subject_type"] = "file"
	}
	if k.reply != nil {
		o["in_reply_to_id"] = k.reply.id
	}
	return o
}

func (k *InlineComment) hookView() Object { return k.view(context.Background()) }
