package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/investigate"
)

// keepOptions are the flags of `odfix serve` about how long records are kept, in days.
type keepOptions struct{ reports, deliveries, audit int }

const day = 24 * time.Hour

func (o *keepOptions) register(f *pflag.FlagSet) {
	d := investigate.DefaultKeep
	f.IntVar(&o.reports, "keep-reports", int(d.Reports/day), "`days` for which investigations and their reports are kept")
	f.IntVar(&o.deliveries, "keep-deliveries", int(d.Deliveries/day), "`days` for which handled deliveries are kept; at least 4")
	f.IntVar(&o.audit, "keep-audit", int(d.Audit/day), "`days` for which the audit log is kept")
}

func (o *keepOptions) complete() error {
	const most = 36500
	for _, k := range []struct {
		flag         string
		days, fewest int
	}{{"reports", o.reports, 1}, {"deliveries", o.deliveries, 4}, {"audit", o.audit, 1}} {
		if k.days < k.fewest || k.days > most {
			return usage("Give whole days.", "--keep-%s is %d: it can be %d to %d", k.flag, k.days, k.fewest, most)
		}
	}
	return nil
}

// keep are the options for the service. Without the flags, as in the sandbox, they are the defaults.
func (o *keepOptions) keep() investigate.Keep {
	return investigate.Keep{Reports: time.Duration(o.reports) * day, Deliveries: time.Duration(o.deliveries) * day,
		Audit: time.Duration(o.audit) * day}
}
