package ddmin

import "context"

// race asks questions side by side: the one the search waits for, and on spare capacity those it
// will ask next under either answer. What has become useless is cancelled. All of it runs on the
// goroutine of Minimize but Ask.
type race[T any] struct {
	ctx     context.Context
	cancel  context.CancelFunc
	items   []T
	ask     Ask[T]
	width   int
	answers map[string]Answer
	spare   map[string]bool // answers that came ahead of time and were not used yet
	running map[string]*flight
	results chan result
	out     int // goroutines that have not handed in their result
	wasted  int
}

// flight is one question under way; the same question may fly again after a cancellation.
type flight struct {
	key    string
	cancel context.CancelFunc
}

type result struct {
	flight *flight
	answer Answer
	err    error
}

func newRace[T any](ctx context.Context, items []T, ask Ask[T], width int) *race[T] {
	ctx, cancel := context.WithCancel(ctx)
	return &race[T]{
		ctx: ctx, cancel: cancel, items: items, ask: ask, width: max(1, width),
		answers: map[string]Answer{}, spare: map[string]bool{},
		running: map[string]*flight{}, results: make(chan result),
	}
}

// known is the answer the search has already used.
func (r *race[T]) known(q question) (Answer, bool) {
	a, ok := r.answers[q.key]
	return a, ok && !r.spare[q.key]
}

// answer brings the answer to q, st's question, within the budget of answers left.
func (r *race[T]) answer(p *plan, st state, q question, left int, bounded bool) (Answer, error) {
	if bounded && left <= 0 {
		return Unresolved, ErrBudget
	}
	for {
		if err := r.ctx.Err(); err != nil {
			return Unresolved, err
		}
		if a, ok := r.answers[q.key]; ok {
			delete(r.spare, q.key)
			return a, nil
		}
		r.aim(p, st, left, bounded)
		select {
		case res := <-r.results:
			if err := r.take(res, q.key); err != nil {
				return Unresolved, err
			}
		case <-r.ctx.Done():
		}
	}
}

// take books a finished question. An error of one nobody waits for yet is forgotten: should it be
// needed, it is asked again.
func (r *race[T]) take(res result, want string) error {
	r.out--
	f := res.flight
	f.cancel()
	if r.running[f.key] != f { // it was cancelled before
		return nil
	}
	delete(r.running, f.key)
	switch {
	case res.err == nil:
		r.answers[f.key] = res.answer
		r.spare[f.key] = true
	case f.key == want:
		return res.err
	default:
		r.wasted++
	}
	return nil
}

// aim makes the running questions those most worth an answer now.
func (r *race[T]) aim(p *plan, st state, left int, bounded bool) {
	width := r.width
	if bounded {
		width = min(width, left)
	}
	wanted := r.ahead(p, st, width)
	keep := map[string]bool{}
	for _, q := range wanted {
		keep[q.key] = true
	}
	for k, f := range r.running {
		if !keep[k] {
			f.cancel()
			delete(r.running, k)
			r.wasted++
		}
	}
	for _, q := range wanted {
		if _, on := r.running[q.key]; !on {
			r.launch(q)
		}
	}
}

func (r *race[T]) launch(q question) {
	ctx, cancel := context.WithCancel(r.ctx)
	f := &flight{q.key, cancel}
	r.running[q.key] = f
	r.out++
	subset := pick(r.items, q.set)
	go func() {
		a, err := r.ask(ctx, subset)
		r.results <- result{f, a, err}
	}()
}

// stop cancels what still runs, waits for it, and returns how many questions were asked in vain.
func (r *race[T]) stop() int {
	r.cancel()
	r.wasted += len(r.running) + len(r.spare)
	for ; r.out > 0; r.out-- {
		res := <-r.results
		res.flight.cancel()
	}
	return r.wasted
}

// ahead lists st's question and then those that follow it under supposed answers, nearest first, up
// to n that nobody has answered yet.
func (r *race[T]) ahead(p *plan, st state, n int) []question {
	var out []question
	seen := map[string]bool{}
	for queue := []state{st}; len(queue) > 0 && len(out) < n && len(seen) < 4*n; queue = queue[1:] {
		s := queue[0]
		q, done := p.question(s)
		for !done {
			a, ok := r.answers[q.key]
			if !ok {
				break
			}
			s = p.next(s, q, a)
			q, done = p.question(s)
		}
		if done || seen[q.key] {
			continue
		}
		seen[q.key] = true
		out = append(out, q)
		if s.phase == phaseFull {
			queue = append(queue, p.next(s, q, Yes))
			continue
		}
		// While halving, either answer is as likely; elsewhere no is.
		queue = append(queue, p.next(s, q, No), p.next(s, q, Yes))
	}
	return out
}
