package main

import (
	"maps"

	"github.com/riverqueue/river"

	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/store"
)

// work is the work of the queue's workers. Without an App, deliveries are only stored.
func (s *server) work() store.Work {
	out := store.Work{Workers: river.NewWorkers(), Queues: map[string]int{river.QueueDefault: s.o.deliveryTasks}}
	var next investigate.Next
	if s.path != nil {
		next = s.path.Delivered
		s.path.Register(out.Workers)
		maps.Copy(out.Queues, s.path.Queues())
		out.Periodic = s.path.Periodic()
	}
	river.AddWorker(out.Workers, investigate.NewDeliveries(s.store, s.log.Named("delivery"), next))
	return out
}
