package main

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// metrics are what operators watch. Labels take values of ours alone, never a
// sender's, so that there are only so many.
type metrics struct {
	registry   *prometheus.Registry
	deliveries *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
}

func newMetrics(s *store.Store) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "odfix_deliveries_total", Help: "Webhook requests by event and by what became of them."}, []string{"event", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "odfix_delivery_seconds", Help: "Seconds from a webhook request to its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"outcome"}),
	}
	m.registry.MustRegister(m.deliveries, m.seconds, stored{s}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// delivery counts a webhook request.
func (m *metrics) delivery(event string, o github.Outcome, took time.Duration) {
	m.deliveries.WithLabelValues(event, string(o)).Inc()
	m.seconds.WithLabelValues(string(o)).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Timeout: 5 * time.Second, ErrorHandling: promhttp.ContinueOnError})
}

// stored reads the database when it is asked, so that every replica tells the
// same and nothing is lost with a process.
type stored struct{ store *store.Store }

var (
	jobsDesc   = prometheus.NewDesc("odfix_queue_jobs", "Jobs in the queue by state.", []string{"state"}, nil)
	oldestDesc = prometheus.NewDesc("odfix_queue_oldest_seconds", "Age of the oldest delivery that is not handled.", nil, nil)
	casesDesc  = prometheus.NewDesc("odfix_investigations", "Investigations by state.", []string{"state"}, nil)
	upDesc     = prometheus.NewDesc("odfix_database_up", "Whether the database answers.", nil, nil)
)

// Describe implements prometheus.Collector.
func (s stored) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{jobsDesc, oldestDesc, casesDesc, upDesc} {
		c <- d
	}
}

// Collect implements prometheus.Collector.
func (s stored) Collect(c chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	var queue store.QueueState
	var cases map[store.State]int64
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		if queue, err = tx.Queue(); err == nil {
			cases, err = tx.Counts()
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
}
