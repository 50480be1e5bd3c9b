package ddmin

import "context"

// race asks questions in parallel: the question that the search waits for, and on spare processors
// the questions that will come next under either answer. Questions that are no longer useful are
// cancelled. Only Ask runs on other goroutines than that of Minimize.
type race[T any] struct {
	ctx     context.Context
	cancel  context.CancelFunc
	items   []T
	ask     Ask[T]
	width   int
	answers map[string]Answer
	spare   map[string]bool // answers that came ahead of time and are not used yet
	running map[string]*flight
	results chan result
	out     int // goroutines without a result yet
	wasted  int
}

// flight is one question in progress. After a cancellation, the same question may be asked again.
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

// known returns an answer that the search has already used.
func (r *race[T]) known(q question) (Answer, bool) {
	a, ok := r.answers[q.key]
	return a, ok && !r.spare[q.key]
}

// answer gets the answer to q, the question of st.
func (r *race[T]) answer(p *plan, st state, q question) (Answer, error) {
	for {
		if err := r.ctx.Err(); err != nil {
			return Unresolved, err
		}
		if a, ok := r.answers[q.key]; ok {
			delete(r.spare, q.key)
			return a, nil
		}
		r.aim(p, st)
		select {
		case res := <-r.results:
			if err := r.take(res, q.key); err != nil {
				return Unresolved, err
			}
		case <-r.ctx.Done():
		}
	}
}

// take records a finished question. It drops the error of a question that was asked ahead of time.
// The question is asked again if it is needed.
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

// aim makes the running questions those that are most useful now.
func (r *race[T]) aim(p *plan, st state) {
	wanted := r.ahead(p, st, r.width)
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

// stop cancels what still runs, waits for it, and returns how many questions were not needed.
func (r *race[T]) stop() int {
	r.cancel()
	r.wasted += len(r.running) + len(r.spare)
	for ; r.out > 0; r.out-- {
		res := <-r.results
		res.flight.cancel()
	}
	return r.wasted
}

// ahead lists the question of st, and those that follow it under assumed answers, nearest first, up
// to n that have no answer yet.
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
		// While halving, both answers are equally likely; later, "no" is likelier.
		queue = append(queue, p.next(s, q, No), p.next(s, q, Yes))
	}
	return out
}
