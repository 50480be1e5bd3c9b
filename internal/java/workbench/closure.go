package workbench

// Walk calls f for each statement and everything inside it, in source order.
func (s *Script) Walk(f func(*Statement)) {
	for _, st := range s.Statements {
		st.walk(f)
	}
}

func (s *Statement) walk(f func(*Statement)) {
	f(s)
	for _, i := range s.Inner {
		i.walk(f)
	}
}

// Closure is the given statements and all that they need, transitively, in
// script order. A need is met by the statement itself or by a compound around
// it that is kept whole.
func (s *Script) Closure(ids []string) []string {
	byID, parent := map[string]*Statement{}, map[string]string{}
	var order []string
	s.Walk(func(st *Statement) {
		byID[st.ID] = st
		order = append(order, st.ID)
		for _, i := range st.Inner {
			parent[i.ID] = st.ID
		}
	})
	kept := map[string]bool{}
	for _, id := range ids {
		kept[id] = byID[id] != nil
	}
	for work := append([]string(nil), ids...); len(work) > 0; {
		st := byID[work[len(work)-1]]
		work = work[:len(work)-1]
		if st == nil {
			continue
		}
		for _, n := range st.Needs {
			if !covered(n, kept, parent, byID) {
				kept[n] = true
				work = append(work, n)
			}
		}
	}
	var out []string
	for _, id := range order {
		if kept[id] {
			out = append(out, id)
		}
	}
	return out
}

func covered(id string, kept map[string]bool, parent map[string]string, byID map[string]*Statement) bool {
	for at := id; at != ""; at = parent[at] {
		if kept[at] && (at == id || byID[at].whole(kept)) {
			return true
		}
	}
	return false
}

// whole reports whether nothing inside is kept by itself.
func (s *Statement) whole(kept map[string]bool) bool {
	for _, i := range s.Inner {
		if kept[i.ID] || !i.whole(kept) {
			return false
		}
	}
	return true
}
