// Package work is how a server has its jobs run by workers on other machines.
//
// The server keeps tasks: a job, and the commit whose sources it needs. Workers ask for tasks over
// HTTP, unpack the sources, start runners, and send what these write. The server has the App's key
// and never unpacks or runs the code of a pull request; workers have neither keys nor a database.
//
// Invariants:
//   - Each attempt of a task has a token of its own. It is valid until the task ends or is offered
//     to another worker, and for nothing but this task.
//   - Each message counts once, however often it is posted.
//   - A task without a sign of life is offered again, a few times. Each task ends by its deadline.
//   - What a worker sends is foreign input: it is bounded in size, number and rate, and checked.
package work

import (
	"errors"
	"time"

	"github.com/odfix/odfix/internal/job"
)

// The routes. All of them are below Prefix.
const (
	Prefix       = "/work/v1/"
	pathClaim    = Prefix + "claim"               // POST Request: 200 with a Claim, 204 if there is no task
	pathTask     = Prefix + "tasks/{id}"          // GET: 204 as long as the token has the task; no sign of life
	pathSource   = Prefix + "tasks/{id}/source"   // GET: the commit's sources, a gzip-compressed tar as GitHub packs them
	pathMessages = Prefix + "tasks/{id}/messages" // POST lines, with ?first=N: 200 with a Status
	pathFailed   = Prefix + "tasks/{id}/failed"   // POST job.Error: 204
)

// Request asks for a task.
type Request struct {
	Worker string `json:"worker"` // a name for people
	Slots  int    `json:"slots"`  // how many more tasks the worker can take; at least 1
	// Wait is how many seconds the server may wait for a task before it answers 204. It waits at
	// most MaxWait.
	Wait int `json:"wait,omitempty"`
}

// MaxWait bounds how long the server waits for a task.
const MaxWait = 20 * time.Second

// Claim is a task that a worker has taken.
type Claim struct {
	ID string `json:"id"`
	// Token is the credential for the task's other requests, as a bearer token.
	Token string `json:"token"`
	// Job has a Dir relative to the top of the sources, and no Runtime and no Work.
	Job job.Job `json:"job"`
	// Installation chooses caches, as in job.Job.
	Installation int64 `json:"installation"`
	// JDK is the release of the JDK that the project asks for; 0: any.
	JDK int `json:"jdk,omitempty"`
	// Commit is the commit of the sources.
	Commit string `json:"commit"`
	// SourceBytes is the size of the packed sources; 0: not known yet.
	SourceBytes int64 `json:"sourceBytes,omitempty"`
	// Left is how many seconds are left until the end of the task, whatever happens.
	Left int `json:"left"`
	// Deadline is that end by the clock of the worker's machine, which may differ from the server's.
	Deadline time.Time `json:"deadline,omitzero"`
	// Beat is the longest time in seconds between two posts of messages, which may be empty. A few
	// missed ones are allowed.
	Beat int `json:"beat"`
}

// Status is the answer to messages.
type Status struct {
	Next int64 `json:"next"` // the number of the next message
	// Cancelled asks the worker to stop the runner, and to send the report that it has, or to fail.
	Cancelled bool `json:"cancelled"`
}

// Problem is the body of an answer that is no success.
type Problem struct {
	Error string `json:"error"`
	Next  int64  `json:"next,omitempty"` // with status 409: the number of the message that is missing
}

// Messages are lines of JSON, each with exactly one of these fields. A runner writes all of them
// but Contacted.
type Message struct {
	Event     *job.Event    `json:"event,omitempty"`
	Alive     bool          `json:"alive,omitempty"`
	Report    *job.Report   `json:"report,omitempty"` // ends the task
	Contacted []job.Contact `json:"contacted,omitempty"`
}

// Limits of one post, in bytes and numbers.
const (
	maxBody     = 72 << 20 // of messages; a job with MaxReport has a lower one
	maxSmall    = 64 << 10 // of any other body
	maxEvent    = 64 << 10 // of a line that is no report
	maxLines    = 1000     // of a post
	maxContacts = 500      // of a message
	maxReport   = 64 << 20 // if the job has no MaxReport
)

// Errors of requests.
var (
	// ErrDenied means that the token is unknown, or no longer valid: another worker has the task.
	ErrDenied = errors.New("the credential is not valid, or no longer")
	// ErrOver means that the task has ended: the token was valid until then.
	ErrOver = errors.New("the task has ended")
	// ErrRefused means that the server does not take what was sent, and would not the next time.
	ErrRefused = errors.New("the server refuses it")
)

// Codes of the errors with which tasks end, beside those of dispatchers. After the last three, and after
// dispatch.CodeFull, the task is offered again, a few times: another worker may not have the problem.
const (
	CodeLost     = "worker-lost"     // the workers that had the task sent no sign of life
	CodeUntaken  = "no-worker"       // no worker took it in time
	CodeLimits   = "worker-protocol" // the worker sent what is not in the wire format, or too much
	CodeUnpacked = "sources-refused" // the sources are no archive that a worker unpacks
	CodeSource   = "sources-missing" // the worker did not get the sources
	CodeDisk     = "worker-disk"     // the worker cannot write files
	CodeStopping = "worker-stopping" // the worker is being stopped
)
