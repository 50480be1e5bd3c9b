package config

import (
	"fmt"
	"slices"
)

// govern applies the organisation's policy.
func (r *Resolved) govern(sources []Source) {
	p, c, d := r.Config.Policy, &r.Config, Defaults()
	for _, ban := range p.Forbid {
		switch ban {
		case BanEnabling:
			r.forbidEnabling(sources)
		case BanNetwork:
			deny(r, "network", &c.Network, d.Network, c.Network)
		case BanEnvironment:
			deny(r, "environment", &c.Environment, nil, len(c.Environment) > 0)
		case BanIgnoring:
			deny(r, "ignore", &c.Ignore, nil, len(c.Ignore) > 0)
		case BanCommands:
			r.forbidCommands()
		case BanUnapproved:
			r.forbidUnapproved(sources)
		case BanStacked, BanCommit:
			rest := slices.DeleteFunc(slices.Clone(c.Ladder), func(g Rung) bool { return string(g) == string(ban) })
			deny(r, "ladder", &c.Ladder, rest, len(rest) < len(c.Ladder))
		}
	}
	r.cap("budgets.job-minutes", &c.Budgets.JobMinutes, "policy.max-job-minutes", p.MaxJobMinutes)
	r.cap("budgets.proof-minutes", &c.Budgets.ProofMinutes, "policy.max-job-minutes", p.MaxJobMinutes)
	r.cap("budgets.investigations-per-day", &c.Budgets.InvestigationsPerDay, "policy.max-investigations-per-day", p.MaxInvestigationsPerDay)
	r.cap("comments.max-per-day", &c.Comments.MaxPerDay, "policy.max-comments-per-day", p.MaxCommentsPerDay)
	c.NeverPatch = append(slices.Clip(c.NeverPatch), p.NeverPatch...)
}

// deny resets a setting that the policy forbids.
func deny[T any](r *Resolved, path string, at *T, allowed T, asked bool) {
	if !asked {
		return
	}
	*at = allowed
	r.refuse(path, "policy.forbid", "the organisation's policy forbids it")
}

func (r *Resolved) refuse(path, policy, reason string) {
	r.Refused = append(r.Refused, Refused{path, r.Origins[path], reason, r.Origins[policy]})
}

// forbidEnabling lets only the organisation's file enable odfix. A repository can still disable it.
func (r *Resolved) forbidEnabling(sources []Source) {
	theirs := Defaults().Enabled
	for _, s := range sources {
		if s.Where != Organisation {
			continue
		}
		if l := decodeLayer(s); l.given["enabled"] != (Origin{}) {
			theirs = l.config.Enabled
		}
	}
	deny(r, "enabled", &r.Config.Enabled, false, r.Config.Enabled && !theirs)
}

// forbidUnapproved lets a repository ask for more approvals than the organisation's file, and not
// for fewer.
func (r *Resolved) forbidUnapproved(sources []Source) {
	least := Defaults().Approval.When
	for _, s := range sources {
		if s.Where == Organisation && decodeLayer(s).config.Approval.When == Always {
			least = Always
		}
	}
	when := &r.Config.Approval.When
	deny(r, "approval.when", when, least, *when == Never || least == Always && *when != Always)
}

func (r *Resolved) forbidCommands() {
	t := &r.Config.Tests
	deny(r, "tests.command", &t.Command, nil, len(t.Command) > 0)
	asked := func(m Module) bool { return len(m.Command) > 0 }
	if !slices.ContainsFunc(t.Modules, asked) {
		return
	}
	t.Modules = slices.Clone(t.Modules)
	for i := range t.Modules {
		t.Modules[i].Command = nil
	}
	r.refuse("tests.modules", "policy.forbid", "the organisation's policy forbids commands of a module's own")
}

// cap lowers a number to the organisation's maximum, if there is one.
func (r *Resolved) cap(path string, at *int, policy string, most int) {
	if _, bound := r.Origins[policy]; !bound || *at <= most {
		return
	}
	*at = most
	if r.Origins[path] != (Origin{}) {
		r.refuse(path, policy, fmt.Sprintf("the organisation's policy allows %d at most", most))
	}
}
