package investigate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/templates"
)

// request is what a person asks for in a comment or with a button of a check run.
type request struct {
	at      target
	pull    int64
	by      string
	command string // retry, run, pollution, explain, ignore
	rest    string
	// comment is the comment that asks; 0: a button was pressed.
	comment int64
	// head is the commit that the request is about; empty: the head at the time of handling.
	head string
	when time.Time
}

// person is somebody who asks in an installation.
type person struct {
	installation int64
	login        string
}

// mostRefusals are for one person in an hour. Each costs two requests to GitHub.
const mostRefusals = 5

// asked does what a person asks for, if that person can write to the repository.
func (s *Service) asked(ctx context.Context, at target, e *github.Event, received time.Time) error {
	w, err := s.requestOf(ctx, at, e, received)
	if err != nil || w.pull == 0 {
		return err
	}
	if asked, err := s.asksToRun(ctx, w, e); err != nil || !asked {
		return err
	}
	may, who := false, person{at.inst, w.by}
	many := s.refusals.count(who, s.now()) >= mostRefusals
	if !many { // else GitHub is not asked
		if may, err = w.allowed(ctx); err != nil {
			return err
		}
	}
	if err := s.recordRequest(ctx, w, may); err != nil {
		return err
	}
	if !may {
		s.log.Info("a request is refused", zap.String("by", w.by), zap.String("command", w.command), zap.Bool("unchecked", many))
		if many {
			return nil
		}
		s.refusals.add(who, s.now())
		return w.react(ctx, "-1")
	}
	switch w.command {
	case "retry":
		return errors.Join(s.retry(ctx, w), s.pollutionWithAll(ctx, w, e))
	case commandRun:
		return s.approve(ctx, w)
	case commandPollution:
		return s.pollutionAgain(ctx, w)
	case "explain":
		return s.explain(ctx, w)
	case "ignore":
		return s.ignore(ctx, w)
	}
	return s.answer(ctx, w, "There is no such command.\n\n"+templates.Commands())
}

// requestOf reads a request. A button's request is about the commit of its check run, and a label's
// about the head when it was added.
func (s *Service) requestOf(ctx context.Context, at target, e *github.Event, received time.Time) (request, error) {
	w := request{at: at, by: e.Sender.Login, when: received}
	if c := e.Comment; c != nil {
		words := strings.Fields(c.Command)
		w.pull, w.by, w.comment = c.Number, c.Author, c.ID
		if len(words) > 1 {
			w.command, w.rest = words[1], strings.TrimSpace(c.Command[strings.Index(c.Command, words[1])+len(words[1]):])
		}
		return w, nil
	}
	if p := e.PullRequest; p != nil {
		w.pull, w.command, w.head = p.Number, commandRun, p.HeadSHA
		return w, nil
	}
	if e.Check == nil || e.Name == "check_run" && e.Check.Name != github.CheckName && e.Check.Name != github.PollutionName {
		return w, nil
	}
	w.command, w.head = "retry", e.Check.HeadSHA
	if e.Check.Name == github.PollutionName {
		w.command = commandPollution
	}
	if e.Action == "requested_action" {
		w.command = e.Check.Requested
	}
	err := s.store.View(ctx, func(tx *store.Tx) error {
		pulls, err := tx.PullRequestsAt(at.repo.ID, e.Check.HeadSHA)
		if i, ierr := tx.Investigation(e.Check.ExternalID); ierr == nil && i.Repository == at.repo.ID {
			w.pull = i.PullRequest
		} else if n := pullOfMarker(e.Check.ExternalID); slices.ContainsFunc(pulls,
			func(p store.PullRequest) bool { return p.Number == n }) {
			w.pull = n
		} else if len(pulls) > 0 {
			w.pull = firstOf(pulls, e.Check, at.repo.ID)[0].Number
		}
		return err
	})
	return w, err
}

// allowed reports whether the person can write to the repository. The author_association of the
// payload is not used: it is about the organisation.
func (w request) allowed(ctx context.Context) (bool, error) {
	role, base, err := w.at.client.Role(ctx, w.at.repo, w.by)
	return err == nil && canWrite(role, base), err
}

// canWrite reports whether people with a role can write. A custom role counts as the permission that it
// is based on.
func canWrite(role, base string) bool {
	writers := []string{"admin", "maintain", "write"}
	return slices.Contains(writers, role) || !slices.Contains([]string{"triage", "read", "none", ""}, role) && slices.Contains(writers, base)
}

// react adds a reaction to the comment, so that its author sees that it was read. A refused
// reaction is no error: the request must not be handled again because of it.
func (w request) react(ctx context.Context, sign string) error {
	if w.comment == 0 {
		return nil
	}
	err := w.at.client.React(ctx, w.at.repo, w.comment, sign)
	if github.Forbidden(err) || github.Unprocessable(err) || errors.Is(err, github.ErrGone) {
		return nil
	}
	return err
}

// retry opens another round on the current head. A request about an older commit is refused,
// because the round would be about other code.
func (s *Service) retry(ctx context.Context, w request) error {
	p, err := w.at.client.Pull(ctx, w.at.repo, w.pull)
	if errors.Is(err, github.ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	if !p.Open || w.head != "" && w.head != p.HeadSHA {
		return w.react(ctx, "confused")
	}
	row, err := s.learn(ctx, w.at, p)
	if err != nil {
		return err
	}
	cfg, err := s.config(ctx, w.at, p.BaseRef)
	if err != nil {
		return err
	}
	if len(cfg.Problems) > 0 {
		return errors.Join(s.badConfig(ctx, w.at, row, cfg), w.react(ctx, "confused"))
	}
	if !cfg.Config.Enabled {
		return w.react(ctx, "confused")
	}
	if waits, err := s.waits(ctx, w, &p); err != nil || waits {
		return err
	}
	err = s.store.Do(ctx, func(tx *store.Tx) error { return s.another(tx, w, p, cfg.Config) })
	if err != nil && !errors.Is(err, store.ErrStale) {
		return err
	}
	return w.react(ctx, "rocket")
}

// waits reports whether the head's code may not run yet, and answers what to do.
func (s *Service) waits(ctx context.Context, w request, p *github.Pull) (bool, error) {
	cfg, err := s.ofDefaultBranch(ctx, w.at, p)
	if err != nil {
		return false, err
	}
	waits, err := s.unapproved(ctx, w.at, p, cfg.Approval)
	if err != nil || !waits {
		return false, err
	}
	return true, s.answer(ctx, w, "Nothing runs yet: GitHub does not call "+templates.Code(p.Author.Login)+" a contributor to this "+
		"repository, so a person who can write to the repository has to approve the commit. "+toApprove(p.HeadSHA))
}

// another opens a round, unless one began after the request. Then the request was handled before,
// or a second person asked for the same.
func (s *Service) another(tx *store.Tx, w request, p github.Pull, cfg config.Config) error {
	list, err := tx.Investigations(w.at.repo.ID, w.pull)
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.HeadSHA == p.HeadSHA && (!i.State.Ended() || i.Created.After(w.when)) {
			return nil
		}
	}
	i, created, err := tx.OpenInvestigation(store.Push{
		Installation: w.at.inst, Repository: w.at.repo.ID, PullRequest: w.pull, HeadSHA: p.HeadSHA,
		Lifetime: lifetime(cfg.Budgets), Again: true, By: w.by,
	})
	if err != nil || !created {
		return err
	}
	return tx.Enqueue(s.in(collectArgs{ID: i.ID}, 0))
}

// maxExplained leaves room in a comment for a link to the check, in bytes.
const maxExplained = 60_000

// explain posts the text of the newest check run as a comment.
func (s *Service) explain(ctx context.Context, w request) error {
	var url string
	list, err := s.investigations(ctx, w.at.repo.ID, w.pull)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return s.answer(ctx, w, "odfix has investigated nothing on this pull request: none of CI's red jobs showed failing tests.\n")
	}
	last := list[0]
	id, err := s.postedID(ctx, last, checkKey(last))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Of commit %s: %s.\n", templates.Code(last.HeadSHA[:10]), stateWords(last))
	if id != 0 {
		c, err := w.at.client.ReadCheck(ctx, w.at.repo, id)
		if err != nil {
			return err
		}
		help := strings.TrimSpace(templates.HelpLine(s.o.HelpURL))
		summary := strings.TrimSuffix(strings.TrimSpace(c.Summary), help)
		url, text = c.URL, templates.Prose(c.Title)+"\n\n"+summary+"\n"+c.Text // a title is no Markdown
	}
	text = github.CutMarkdown(text, maxExplained)
	if url != "" {
		text += "\n\n[The check](" + url + ")\n"
	}
	text += "\n" + templates.HelpLine(s.o.HelpURL)
	return s.answer(ctx, w, text)
}

func stateWords(i store.Investigation) string {
	switch i.State {
	case store.Done:
		return "the check says what was found"
	case store.Failed, store.Cancelled, store.Expired:
		return "nothing was found out, since " + templates.Prose(i.Reason)
	}
	return "the investigation has not ended"
}

// ignore answers with the lines for the configuration file. A comment cannot change the
// configuration itself, which is read from the base branch.
func (s *Service) ignore(ctx context.Context, w request) error {
	test := w.rest
	if test = strings.Trim(test, "`"); test == "" || strings.ContainsAny(test, " \t`\"'") && (!ci.IsJest(test) || strings.Contains(test, "`")) {
		return s.answer(ctx, w, "Name one test, as in `/odfix ignore com.acme.ShopTest#opens` or `/odfix ignore src/cart.test.js#cart › adds up`.\n")
	}
	until := s.now().AddDate(0, 1, 0).UTC().Format(time.DateOnly)
	text := fmt.Sprintf("ignore:\n  - test: %q\n    until: %s\n    reason: asked for by %s in #%d\n", test, until, w.by, w.pull)
	if r := config.Resolve(config.Source{Where: config.Repository, Text: []byte("version: 1\n" + text)}); len(r.Problems) > 0 {
		return s.answer(ctx, w, "That is no name of a test: "+templates.Prose(r.Problems[0].Message)+"\n")
	}
	return s.answer(ctx, w, "This in `"+config.FileName+"` on the base branch leaves it alone for a month:\n\n"+suggest.Block("yaml", text))
}

// answer replies to a request once.
func (s *Service) answer(ctx context.Context, w request, text string) error {
	if w.comment == 0 {
		return nil
	}
	mark := fmt.Sprintf("<!-- odfix:answer %d -->", w.comment)
	p := posting{at: w.at, pull: w.pull, kind: "answer", key: fmt.Sprintf("answer/%d/%d", w.at.repo.ID, w.comment)}
	_, err := s.once(ctx, p, func() (int64, error) {
		list, err := w.at.client.OwnComments(ctx, w.at.repo, w.pull)
		for _, c := range list {
			if strings.HasPrefix(c.Body, mark) {
				return c.ID, err
			}
		}
		return 0, err
	}, func() (int64, error) { return w.at.client.CreateComment(ctx, w.at.repo, w.pull, mark+"\n"+text) })
	if github.Forbidden(err) {
		return nil // the conversation is locked
	}
	return err
}
