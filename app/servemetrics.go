package main

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/store"
)

// metrics are the measurements for operators. Labels only have values that odfix chooses, never a
// sender's, so their number is limited.
type metrics struct {
	registry   *prometheus.Registry
	deliveries *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	verdicts   *prometheus.CounterVec
	phases     *prometheus.HistogramVec
	ended      *prometheus.HistogramVec
	leftOut    *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "odfix_deliveries_total", Help: "Webhook requests by event and by what became of them."}, []string{"event", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "odfix_delivery_seconds", Help: "Seconds from a webhook request to its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"outcome"}),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "odfix_verdicts_total", Help: "Failing tests by what was found out of them."}, []string{"verdict"}),
		phases: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "odfix_phase_seconds", Help: "Seconds of an investigation by phase; before and after are those " +
				"outside the runner.", Buckets: minutes}, []string{"phase"}),
		ended: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "odfix_investigation_seconds",
			Help: "Seconds from the first sign of a red build to the end of its investigation.", Buckets: minutes}, []string{"state"}),
	}
	m.leftOut = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "odfix_left_out_total",
		Help: "Jobs that were not done, since --accounts-file does not list their account."}, []string{"job"})
	m.registry.MustRegister(m.leftOut, m.deliveries, m.seconds, m.verdicts, m.phases, m.ended,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// delivery counts a webhook request.
func (m *metrics) delivery(event string, o github.Outcome, took time.Duration) {
	m.deliveries.WithLabelValues(event, string(o)).Inc()
	m.seconds.WithLabelValues(string(o)).Observe(took.Seconds())
}

// leave counts a job that was not done because of the list of accounts.
func (m *metrics) leave(kind string) { m.leftOut.WithLabelValues(kind).Inc() }

// minutes are buckets for durations of seconds to an hour.
var minutes = []float64{1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 3600}

// investigation counts one that ended. Each label creates a series that stays. So phases and
// verdicts have only odfix's own names, whoever wrote the report.
func (m *metrics) investigation(e investigate.Ended) {
	m.ended.WithLabelValues(string(e.State)).Observe(e.Took.Seconds())
	for _, v := range e.Verdicts {
		if accept.Verdict(v) {
			m.verdicts.WithLabelValues(v).Inc()
		}
	}
	for phase, s := range e.Seconds {
		if accept.Phase(phase) || phase == "before" || phase == "after" {
			m.phases.WithLabelValues(phase).Observe(s)
		}
	}
}

// watch reports how much of GitHub's limits the App has used.
func (m *metrics) watch(app *github.App) {
	gauge := func(name, help string, value func(github.Usage) float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return value(app.Usage()) }))
	}
	gauge("odfix_api_installations", "Installations with requests since the start.",
		func(u github.Usage) float64 { return float64(u.Installations) })
	gauge("odfix_api_installations_waiting", "Of these, how many GitHub refuses for the time being.",
		func(u github.Usage) float64 { return float64(u.Waiting) })
	gauge("odfix_api_budget_left_ratio", "The least share of its requests a minute that an installation has left.",
		func(u github.Usage) float64 { return u.Left })
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Timeout: 5 * time.Second, ErrorHandling: promhttp.ContinueOnError})
}

// stored reads the database when metrics are read. So every replica reports the same, and no number
// is lost when a process ends.
type stored struct{ store *store.Store }

var (
	jobsDesc   = prometheus.NewDesc("odfix_queue_jobs", "Jobs in the queue by state.", []string{"state"}, nil)
	oldestDesc = prometheus.NewDesc("odfix_queue_oldest_seconds", "Age of the oldest delivery that is not handled.", nil, nil)
	casesDesc  = prometheus.NewDesc("odfix_investigations", "Investigations by state.", []string{"state"}, nil)
	tasksDesc  = prometheus.NewDesc("odfix_tasks", "Jobs for workers by state: waiting for a worker, or running.", []string{"state"}, nil)
	pausedDesc = prometheus.NewDesc("odfix_paused", "Pauses by the operator, by scope.", []string{"scope"}, nil)
	upDesc     = prometheus.NewDesc("odfix_database_up", "Whether the database answers.", nil, nil)
)

// Describe implements prometheus.Collector.
func (s stored) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{jobsDesc, oldestDesc, casesDesc, tasksDesc, pausedDesc, upDesc} {
		c <- d
	}
}

// Collect implements prometheus.Collector.
func (s stored) Collect(c chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	var queue store.QueueState
	var cases map[store.State]int64
	var tasks map[store.TaskState]int64
	paused := map[string]int{"all": 0, "installation": 0, "repository": 0}
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		if queue, err = tx.Queue(); err == nil {
			cases, err = tx.Counts()
		}
		if err == nil {
			tasks, err = tx.TaskCounts()
		}
		if err == nil {
			err = countPauses(tx, paused)
		}
		return err
	})
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	if err != nil {
		gauge(upDesc, 0)
		return
	}
	gauge(upDesc, 1)
	gauge(oldestDesc, queue.Oldest.Seconds())
	for state, n := range queue.Jobs {
		gauge(jobsDesc, float64(n), state)
	}
	for state, n := range cases {
		gauge(casesDesc, float64(n), string(state))
	}
	for scope, n := range paused {
		gauge(pausedDesc, float64(n), scope)
	}
	for state, n := range tasks {
		gauge(tasksDesc, float64(n), string(state))
	}
}

func countPauses(tx *store.Tx, into map[string]int) error {
	list, err := tx.Pauses()
	for _, p := range list {
		into[p.Scope()]++
	}
	return err
}
