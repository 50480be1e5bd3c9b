package state

import (
	"iter"
	"math/bits"
	"slices"
)

// set is a set of small numbers, mostly numbers of tests. The zero value is empty. Its memory grows
// with the largest number in it.
type set []uint64

func (s *set) add(i int) {
	for len(*s) <= i>>6 {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }

func (s *set) addAll(o set) {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	for i, w := range o {
		(*s)[i] |= w
	}
}

// without returns the numbers of s that are not in o.
func (s set) without(o set) set {
	out := slices.Clone(s)
	for i := range min(len(s), len(o)) {
		out[i] &^= o[i]
	}
	return out
}

// and returns the numbers that are in both sets.
func (s set) and(o set) set {
	out := slices.Clone(s[:min(len(s), len(o))])
	for i := range out {
		out[i] &= o[i]
	}
	return out
}

func (s set) empty() bool {
	return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 })
}

func (s set) size() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// all yields the members in ascending order.
func (s set) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

func union(sets ...set) set {
	var out set
	for _, s := range sets {
		out.addAll(s)
	}
	return out
}
