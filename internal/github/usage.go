package github

// Usage is how the installations stand with GitHub's limits.
type Usage struct {
	Installations int     // that were talked to since the start
	Waiting       int     // of these, refused by GitHub for the time being
	Left          float64 // the least share of its points per minute that any of them has left, 0 to 1
}

// Usage is for watching.
func (a *App) Usage() Usage {
	a.mu.Lock()
	var gates []*governor
	for _, c := range a.clients {
		gates = append(gates, c.gate)
	}
	a.mu.Unlock()
	u := Usage{Installations: len(gates), Left: 1}
	for _, g := range gates {
		waits, left := g.standing()
		if waits {
			u.Waiting++
		}
		u.Left = min(u.Left, left)
	}
	return u
}

func (g *governor) standing() (waits bool, left float64) {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.points.room(now, 0) // forgets what is over
	return g.blocked.Until.After(now), max(0, 1-float64(g.points.sum)/float64(g.points.most))
}
