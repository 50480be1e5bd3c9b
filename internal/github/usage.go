package github

// Usage is the use of GitHub's limits by all installations.
type Usage struct {
	Installations int     // with requests since the start
	Waiting       int     // of these, the refused ones
	Left          float64 // the smallest remaining share of points per minute, 0 to 1
}

// Usage returns the current use, for metrics.
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
	g.points.room(now, 0) // drops old costs
	return g.blocked.Until.After(now), max(0, 1-float64(g.points.sum)/float64(g.points.most))
}
