package state

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// fields returns n names.
func fields(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "p" + strings.Repeat("x", i)
	}
	return out
}

// needing helps if everything in need is restored.
func needing(need ...string) Undo {
	return func(_ context.Context, put []string) (Undone, error) {
		for _, n := range need {
			if !slices.Contains(put, n) {
				return HelpsNot, nil
			}
		}
		return Helps, nil
	}
}

func TestMatters(t *testing.T) {
	all := fields(40)
	for name, c := range map[string]struct {
		undo   Undo
		likely []string
		want   []string
		answer Undone
	}{
		"one":                {needing(all[3]), all[3:4], all[3:4], Helps},
		"one of the likely":  {needing(all[3]), all[:6], all[3:4], Helps},
		"two together":       {needing(all[2], all[30]), all[:6], []string{all[2], all[30]}, Helps},
		"not a likely one":   {needing(all[17]), all[:6], all[17:18], Helps},
		"no likely ones":     {needing(all[17]), nil, all[17:18], Helps},
		"none":               {needing("elsewhere"), all[:6], nil, HelpsNot},
		"cannot be put back": {func(context.Context, []string) (Undone, error) { return Unclear, nil }, all[:6], nil, Unclear},
	} {
		t.Run(name, func(t *testing.T) {
			got, answer, err := Matters(t.Context(), c.undo, c.likely, all, 1)
			slices.Sort(got)
			if err != nil || answer != c.answer || !slices.Equal(got, c.want) {
				t.Errorf("%v %v %v", got, answer, err)
			}
		})
	}
}

// TestMattersOfNothing checks that nothing is concluded if no field is known to have changed.
func TestMattersOfNothing(t *testing.T) {
	asked := 0
	got, answer, err := Matters(t.Context(), func(context.Context, []string) (Undone, error) { asked++; return Helps, nil }, nil, nil, 1)
	if len(got) > 0 || answer != Unclear || err != nil || asked > 0 {
		t.Errorf("%v %v %v after %d questions", got, answer, err, asked)
	}
}

// TestTheLikeliestFieldIsTriedAlone checks that the likeliest field runs alone first. Most causes act
// through one field, and then one process is enough.
func TestTheLikeliestFieldIsTriedAlone(t *testing.T) {
	all, asked := fields(40), 0
	undo := func(ctx context.Context, put []string) (Undone, error) {
		asked++
		return needing(all[5])(ctx, put)
	}
	got, answer, err := Matters(t.Context(), undo, []string{all[5], all[2], all[9]}, all, 2)
	if err != nil || answer != Helps || !slices.Equal(got, all[5:6]) || asked != 1 {
		t.Errorf("%v %v %v after %d questions", got, answer, err, asked)
	}
}

// TestAFieldHelpsOnlyAlone checks that a likely field is found although another one is of harm when
// it is restored, too.
func TestAFieldHelpsOnlyAlone(t *testing.T) {
	all := fields(40)
	undo := func(_ context.Context, put []string) (Undone, error) {
		if slices.Contains(put, all[2]) && !slices.Contains(put, all[7]) {
			return Helps, nil
		}
		return HelpsNot, nil
	}
	got, answer, err := Matters(t.Context(), undo, []string{all[7], all[2]}, all, 1)
	if err != nil || answer != Helps || !slices.Equal(got, all[2:3]) {
		t.Errorf("%v %v %v", got, answer, err)
	}
}

// TestTried checks which fields may still be enough after a search that was cut short: those of
// which restoring had no effect are not; those are that were not tried or could not be restored.
func TestTried(t *testing.T) {
	all, broken := fields(17), errors.New("no more time")
	for name, c := range map[string]struct {
		likely []string
		undo   Undo
		want   []string
	}{
		"two likely ones without effect": {all[:2], needing(all[9], all[12]), all[2:]},
		"a likely one without effect":    {all[:1], needing(all[9], all[12]), all[1:]},
		"none could be restored":         {all[:2], func(context.Context, []string) (Undone, error) { return Unclear, nil }, all},
		"no answer":                      {all[:2], func(context.Context, []string) (Undone, error) { return Unclear, broken }, all},
	} {
		t.Run(name, func(t *testing.T) {
			tried := &Tried{}
			undo := tried.Watch(func(ctx context.Context, put []string) (Undone, error) {
				if len(put) == len(all) {
					return Unclear, broken
				}
				return c.undo(ctx, put)
			})
			if got, answer, err := Matters(t.Context(), undo, c.likely, all, 1); len(got) > 1 || answer != Unclear || !errors.Is(err, broken) {
				t.Errorf("%v %v %v", got, answer, err)
			}
			if got := tried.Left(all); !slices.Equal(got, c.want) {
				t.Errorf("left are %q", got)
			}
		})
	}
}

func TestMattersStops(t *testing.T) {
	broken := errors.New("no more processes")
	n := 0
	_, answer, err := Matters(t.Context(), func(_ context.Context, fields []string) (Undone, error) {
		if n++; n > 4 {
			return Unclear, broken
		}
		if len(fields) == 1 {
			return HelpsNot, nil
		}
		return Helps, nil
	}, fields(30), nil, 1)
	if !errors.Is(err, broken) || answer != Helps {
		t.Errorf("%v %v", answer, err)
	}
}

// TestMattersIsMinimal checks that no unneeded field is named.
func TestMattersIsMinimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		all := fields(1 + rng.IntN(60))
		need := []string{}
		for range 1 + rng.IntN(3) {
			if p := all[rng.IntN(len(all))]; !slices.Contains(need, p) {
				need = append(need, p)
			}
		}
		asked := 0
		undo := func(ctx context.Context, put []string) (Undone, error) { asked++; return needing(need...)(ctx, put) }
		got, answer, err := Matters(t.Context(), undo, nil, all, 1)
		slices.Sort(got)
		slices.Sort(need)
		if err != nil || answer != Helps || !slices.Equal(got, need) {
			t.Fatalf("%v instead of %v: %v %v", got, need, answer, err)
		}
		if asked > 8+16*len(need) {
			t.Errorf("%d questions for %d of %d", asked, len(need), len(all))
		}
	}
}
