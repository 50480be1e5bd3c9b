package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/ddmin"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Finder thinks of statements that no test holds and that may restore what a cause leaves changed:
// calls of reset methods, found in the code, and what restores the state of the process (ODRepair:
// Li et al., ICSE 2022). Likeliest first.
type Finder interface {
	// Find also returns what it has thought of where an error, or the end of the time, kept it from
	// the rest.
	Find(ctx context.Context, cause Cause) ([]patch.Made, error)
	// Unshare are ways to give every test its own of what the cause is known so far to leave
	// changed in the test's class; it asks nothing.
	Unshare(cause Cause) []patch.Made
}

// Bounds of trying statements that no helper holds.
const (
	resetTime       = 60 * time.Second // for one cause to think of them, and as much to try them
	resetSpare      = 20 * time.Second // where a helper has given a patch already
	resetShare      = 4                // or one part in so many of what is left of the job's time, where that is more
	resetSpareShare = 12               // the same where a helper has given a patch already
	resetBatch      = 40               // statements behind switches in one compilation
	resetWorks      = 3                // of those that help, placed like a helper's
	resetPlaces     = 4                // whose likeliest statements are tried together
	resetFits       = 8                // compilations in which those are left out that do not compile
)

// ErrNoReset says that every statement that was thought of was tried, and none puts the state back.
var ErrNoReset = errors.New("no statement that was thought of puts the state back")

// ErrResetTime says that the time for trying statements was over before they all were tried.
var ErrResetTime = errors.New("the time for trying statements that put the state back was over before one was found")

// fromResets tries what the Finder thinks of, each by itself, and places what helps.
func (p *Patcher) fromResets(ctx context.Context, cause Cause, spare bool) ([]*Candidate, error) {
	if p.Finder == nil {
		return nil, nil
	}
	limit := resetLimit(ctx, spare)
	p.say("looking for statements that put the state back")
	made, short := p.find(ctx, cause, limit)
	if len(made) == 0 && short != nil {
		return nil, short
	}
	trying, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	lead, made, err := p.lead(ctx, cause, made)
	if err != nil || slices.ContainsFunc(lead, func(c *Candidate) bool { return c.all(cause) }) {
		return lead, err
	}
	made, why, err := p.helping(trying, cause, made)
	over := trying.Err() != nil // not all were tried
	if err != nil {
		if ctx.Err() == nil && over {
			err = ErrResetTime
		}
		return lead, err
	}
	out, err := p.placed(ctx, cause, made)
	out = append(lead, out...)
	switch {
	case len(out) > 0 || err != nil || ctx.Err() != nil:
	case short != nil:
		err = short
	case over:
		err = ErrResetTime
	default:
		err = why
	}
	return out, err
}

// resetLimit is the time for thinking of statements, and that for trying them.
func resetLimit(ctx context.Context, spare bool) time.Duration {
	if spare {
		return budget.Part(ctx, resetSpare, resetSpareShare)
	}
	return budget.Part(ctx, resetTime, resetShare)
}

// find asks the Finder, which has a time of its own. The error says why not all that there may be
// was thought of.
func (p *Patcher) find(ctx context.Context, cause Cause, limit time.Duration) ([]patch.Made, error) {
	finding, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	made, err := p.Finder.Find(finding, cause)
	if err != nil && ctx.Err() == nil && finding.Err() != nil {
		err = ErrResetTime
	}
	return made, err
}

// lead places what is likelier than all that can be tried behind switches; left are the others.
func (p *Patcher) lead(ctx context.Context, cause Cause, made []patch.Made) (out []*Candidate, left []patch.Made, err error) {
	n := slices.IndexFunc(made, func(m patch.Made) bool { return m.Switchable() })
	if n <= 0 {
		return nil, made, nil
	}
	out, err = p.placed(ctx, cause, made[:n])
	return out, made[n:], err
}

// placed are the statements where they are to stand, until one of them does all that can be asked.
func (p *Patcher) placed(ctx context.Context, cause Cause, made []patch.Made) ([]*Candidate, error) {
	var out []*Candidate
	for i, m := range made {
		if i >= resetWorks && len(out) > 0 || ctx.Err() != nil {
			break
		}
		found, err := p.everyPlace(ctx, cause, Edit{Made: &m}, &minimal{keep: m.IDs()})
		if err != nil {
			return out, err
		}
		out = append(out, found...)
		if p.goodEnough(cause, out) {
			break
		}
	}
	return out, nil
}

// unshared are the cause's candidates that give every test its own of what tests of one class
// share. Where one of them is a single declaration and cures all, no statement elsewhere can do
// better.
func (p *Patcher) unshared(ctx context.Context, cause Cause) ([]*Candidate, error) {
	if p.Finder == nil || cause.Brittle() {
		return nil, nil
	}
	return p.placed(ctx, cause, p.Finder.Unshare(cause))
}

// helping are those that make the first case's first failing order pass where they stand; why says
// what it means that no statement does: ErrNoReset where all were tried, else ErrResetTime. What
// needs fields of its own, or several statements, is not tried here but where it is placed. Where
// nothing else helps, several statements together may.
func (p *Patcher) helping(ctx context.Context, cause Cause, made []patch.Made) (out []patch.Made, why, err error) {
	var rest []patch.Made
	for _, m := range made {
		if m.Switchable() {
			rest = append(rest, m)
		}
	}
	ok, all, err := p.firstHelping(ctx, cause, rest)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range made {
		same := func(o patch.Made) bool { return slices.Equal(m.Statements, o.Statements) }
		if !m.Switchable() || slices.ContainsFunc(ok, same) {
			out = append(out, m)
		}
	}
	if len(ok) > 0 || ctx.Err() != nil {
		return out, nil, nil
	}
	several, err := p.severalTogether(ctx, cause, rest)
	switch {
	case len(several) > 0:
	case all:
		why = ErrNoReset
	default:
		why = ErrResetTime
	}
	return append(out, several...), why, err
}

// firstHelping are those of the first batch, in the first spot, in which some help; all says that
// whether they do is known of all. What one process shows to be likely is tried first, in every
// spot.
func (p *Patcher) firstHelping(ctx context.Context, cause Cause, made []patch.Made) (ok []patch.Made, all bool, err error) {
	all = true
	tried, why := false, error(nil) // why no statement can stand in a spot
	for batch := range slices.Chunk(made, resetBatch) {
		var trays []*tray
		for _, at := range trials(cause) {
			t, err := p.tray(ctx, cause, batch, at)
			var unfit *UnfitError
			switch {
			case ctx.Err() != nil:
				return nil, false, nil
			case errors.As(err, &unfit):
				all = all && !unfit.Unknown // the next spot, or the next batch, may take less
				why = err
				continue
			case err != nil:
				return nil, false, err
			}
			if tried = true; t == nil {
				continue
			}
			trays = append(trays, t)
			if ok, err = t.helping(ctx, true); len(ok) > 0 || err != nil {
				return enough(ctx, ok, err)
			}
		}
		for _, t := range trays {
			if ok, err = t.helping(ctx, false); len(ok) > 0 || err != nil {
				return enough(ctx, ok, err)
			}
		}
	}
	if !tried && all && why != nil {
		return nil, false, why
	}
	return nil, all, nil
}

// enough is what helps so far: that the time is over, or one of the trials failed, matters only
// where nothing does.
func enough(ctx context.Context, ok []patch.Made, err error) ([]patch.Made, bool, error) {
	if len(ok) > 0 || ctx.Err() != nil {
		return ok, false, nil
	}
	return nil, false, err
}

// severalTogether are the likeliest statements for each of several places, which only together make
// the order pass, as few of them as do: what a polluter leaves may be more than one field. Each
// list is compiled by itself, so that only what fits by itself is in it.
func (p *Patcher) severalTogether(ctx context.Context, cause Cause, made []patch.Made) ([]patch.Made, error) {
	at := trials(cause)[0]
	var several []patch.Made
	for _, m := range made {
		if len(several) < resetPlaces && !slices.ContainsFunc(several, func(s patch.Made) bool { return s.Resets == m.Resets }) {
			_, fit, err := p.fitting(ctx, []patch.Made{m}, at)
			var unfit *UnfitError
			switch {
			case errors.As(err, &unfit): // the place's next statement may fit
			case err != nil:
				return nil, err
			case len(fit) == 1:
				several = append(several, m)
			}
		}
	}
	if len(several) < 2 {
		return nil, nil
	}
	works := func(ctx context.Context, of []patch.Made) (ddmin.Answer, error) {
		all := together(of)
		built, err := p.works(ctx, Edit{Made: &all, Keep: all.IDs(), Place: at.place, At: at.at, Style: patch.Inline}, cause.Cases[0].Failing[:1])
		if err != nil || built == nil {
			return ddmin.No, err
		}
		return ddmin.Yes, nil
	}
	res, err := ddmin.Minimize(ctx, several, works, ddmin.Options[patch.Made]{EmptyNo: true})
	switch {
	case errors.Is(err, ddmin.ErrNotYes):
		return nil, nil
	case err == nil && !res.Done:
		err = res.Stopped
	}
	return []patch.Made{together(res.Items)}, err
}

// together is several as one.
func together(made []patch.Made) patch.Made {
	var all patch.Made
	var places []string
	for _, m := range made {
		all.Statements = append(all.Statements, m.Statements...)
		all.Reflects = all.Reflects || m.Reflects
		if !slices.Contains(places, m.Resets) {
			places = append(places, m.Resets)
		}
	}
	all.Resets = strings.Join(places, ", ")
	return all
}

// tray holds statements, each under a switch, in one spot.
type tray struct {
	p       *Patcher
	failing suite.Order // the order that is to pass with one of them on
	built   *Built
	made    []patch.Made
	likely  []int // those that helped in a process that tried one after the other
}

// tray compiles what fits of the batch in a spot; nil where nothing does.
func (p *Patcher) tray(ctx context.Context, cause Cause, batch []patch.Made, at spot) (*tray, error) {
	built, fit, err := p.fitting(ctx, batch, at)
	if err != nil || built == nil {
		return nil, err
	}
	t := &tray{p: p, failing: cause.Cases[0].Failing[0], built: built, made: fit}
	if len(fit) > 1 {
		t.likely = p.hints(ctx, t.failing, built.Overlay, len(fit), resetWorks)
	}
	p.log().Info("statements that may put the state back", zap.String("place", string(at.place)), zap.Int("fit", len(fit)),
		zap.Int("of", len(batch)), zap.Ints("likely", t.likely))
	return t, nil
}

// helping are the likely statements, or the others, with which the order passes in a process of its
// own: the first few.
func (t *tray) helping(ctx context.Context, likely bool) ([]patch.Made, error) {
	var mu sync.Mutex
	var helps []int
	workers := pool.New().WithContext(ctx).WithMaxGoroutines(max(1, t.p.Lab.Parallel())).WithCancelOnError()
	for i := range t.made {
		if slices.Contains(t.likely, i) != likely {
			continue
		}
		workers.Go(func(ctx context.Context) error {
			mu.Lock()
			enough := len(helps) >= resetWorks
			mu.Unlock()
			if enough {
				return nil
			}
			run, err := t.p.Lab.Run(ctx, t.failing, Trial{Price: suite.Warm, Overlay: t.built.Overlay, Switches: only(i, len(t.made))})
			if err != nil || run.Last().Outcome != suite.Pass {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			helps = append(helps, i)
			return nil
		})
	}
	err := workers.Wait()
	slices.Sort(helps)
	var out []patch.Made
	for _, i := range helps {
		out = append(out, t.made[i])
	}
	t.p.log().Info("tried statements that may put the state back", zap.Bool("likely", likely), zap.Any("help", out))
	return out, err
}

// fitting is what compiles of the batch in a spot; nothing where none does. The error is an
// *UnfitError where that took too long to find out, or no statement can stand there whatever it is.
func (p *Patcher) fitting(ctx context.Context, batch []patch.Made, at spot) (*Built, []patch.Made, error) {
	for range resetFits {
		if len(batch) == 0 {
			break
		}
		all := together(batch)
		built, err := p.Editor.Build(ctx, Edit{Made: &all, Keep: all.IDs(), Switched: true, Place: at.place, At: at.at, Style: patch.Inline})
		var unfit *UnfitError
		switch {
		case err == nil:
			return built, batch, nil
		case !errors.As(err, &unfit) || unfit.Unknown:
			return nil, nil, err
		case len(unfit.Culprits) == 0:
			p.log().Info("statements do not fit", zap.String("place", string(at.place)), zap.Error(err))
			return nil, nil, err
		}
		var fit []patch.Made
		for i, m := range batch {
			if !slices.Contains(unfit.Culprits, fmt.Sprintf("0.%d", i)) {
				fit = append(fit, m)
			}
		}
		if len(fit) == len(batch) {
			return nil, nil, nil
		}
		batch = fit
	}
	return nil, nil, nil
}
