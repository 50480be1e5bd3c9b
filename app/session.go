package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/jest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/terminal"
	"github.com/odfix/odfix/internal/wholefile"
	"github.com/odfix/odfix/templates"
)

// session is a running job: its output folder, its log, its progress.
type session struct {
	w    world
	p    project
	out  string // absolute; empty: nothing is kept
	temp bool   // out is temporary, and odfix removes it if it is empty
	log  *jobLog
	lock io.Closer // shows other processes that a temporary out is in use
	files
	resumes bool // the job continues the one that left its report in out
	aside   bool // an earlier report was renamed
	// brief means that no file is kept and no folder is named, unless the command line requests it.
	brief bool
}

// newSession makes the output folder and sets it in the job.
func newSession(w world, p project, j *job.Job) (*session, error) {
	s := &session{w: w, p: p, files: filesOf(j.Kind), resumes: j.Detect != nil && j.Detect.Resume}
	err := s.open(j)
	if err == nil {
		s.log, err = createLog(s.path(s.files.log), s.resumes)
	}
	if err != nil {
		return nil, &job.Error{Code: "bad-out", Message: "the output folder cannot be used: " + err.Error(),
			Hint: "Name another with --out."}
	}
	j.Out = s.out
	return s, nil
}

func (s *session) path(name string) string { return filepath.Join(s.out, name) }

// ask sends the job and shows its report. It returns the exit status.
func (p project) ask(ctx context.Context, w world, j job.Job, show func(*session, *job.Report) int) int {
	s, err := newSession(w, p, &j)
	if err != nil {
		return showError(w, p, err)
	}
	defer s.close()
	report, err := s.ask(ctx, j)
	var code int
	if err != nil {
		code = s.failed(err)
	} else {
		code = show(s, report)
	}
	if ctx.Err() != nil && (report == nil || !report.Finished) {
		return exitStopped
	}
	return code
}

// ask runs the job and shows its progress.
func (s *session) ask(ctx context.Context, j job.Job) (*job.Report, error) {
	defer s.log.Close()
	p := terminal.Start(s.w.stderr, s.w.now, terminal.StyleOf(s.w.stderr, s.p.verbose, s.w.getenv))
	defer p.Close()
	stop := context.AfterFunc(ctx, p.Stopping)
	defer stop()
	var log io.Writer = s.log
	if s.p.verbose {
		log = io.MultiWriter(s.log, p)
	}
	report, err := s.w.runner(log).Run(ctx, j, func(e job.Event) {
		if e.Phase == job.PhaseDetect {
			s.log.accept()
		}
		p.Event(e)
	})
	if report != nil && report.Detection != nil {
		s.log.accept()
	}
	return report, err
}

// refused reports whether the job could not continue the one that left its report in the output
// folder. That folder then stays as it is.
func (s *session) refused() bool { return s.log.held() }

// keep writes the report and the patch. It returns the patch's text, the folder to which it
// applies, and how the result is shown. If writing fails, the result is still shown, and the report
// says so.
func (s *session) keep(r *job.Report, j job.Job) (patch, root string, o templates.Options) {
	root = cmp.Or(r.Project.Root, j.Dir)
	if s.refused() {
		return "", root, s.options(false)
	}
	patch, notes := whole(r, root)
	r.Notes = append(r.Notes, notes...)
	err := s.setAside()
	if err == nil && patch != "" {
		err = wholefile.Write(s.path(patchName), []byte(patch), 0o644)
	} else if err == nil {
		if err = os.Remove(s.path(patchName)); errors.Is(err, os.ErrNotExist) {
			err = nil // there is no patch of an earlier run either
		}
	}
	if err != nil {
		s.unkept(r, err)
		return patch, root, s.options(false)
	}
	kept := s.keepReport(r)
	o = s.options(kept)
	if patch != "" && kept {
		o.Apply = applyLine(root, s.path(patchName))
		o.Verify = verifyLine(j, s.path(s.files.report))
	}
	return patch, root, o
}

// keepReport writes the report. It returns false if this fails; the report then says so.
func (s *session) keepReport(r *job.Report) bool {
	text, err := encode(r)
	if err == nil {
		err = s.setAside()
	}
	if err == nil {
		err = wholefile.Write(s.path(s.files.report), text, 0o644)
	}
	if err != nil {
		s.unkept(r, err)
	}
	return err == nil
}

// unkept notes in the report that it could not be written. An earlier error in the report says why
// there is no result, and stays.
func (s *session) unkept(r *job.Report, err error) {
	e := &job.Error{Code: "bad-out", Message: "the answer cannot be kept: " + err.Error(),
		Hint: "Free some space, or name another folder with --out."}
	if r.Error == nil {
		r.Error = e
		return
	}
	r.Notes = append(r.Notes, e.Message+". "+e.Hint)
}

// encode returns the report in the form that people and schemas expect.
func encode(r *job.Report) ([]byte, error) {
	r.Tidy()
	return indented(r)
}

func indented(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}

// options says how a result is shown, depending on whether it is stored.
func (s *session) options(kept bool) templates.Options {
	o := textOptions(s.w)
	if kept {
		o.Out = s.out
	}
	return o
}

// show prints the result in the requested format. For people, errors come last and on standard
// error.
func (s *session) show(r *job.Report, text string) {
	fmt.Fprint(s.w.stdout, rendered(s.p.format, r, text))
	if r.Error != nil && len(r.Tests) == 0 && (s.temp || s.refused()) && simple[r.Error.Code] {
		s.brief = true
	}
	defer s.forget()
	if r.Error != nil && s.p.format == "text" {
		showError(s.w, s.p, r.Error)
		if len(r.Tests) == 0 && !s.brief {
			fmt.Fprintln(s.w.stderr, "  Log: "+s.log.path())
		}
	}
}

// simple are the errors for which the log contains no more than the message.
var simple = map[string]bool{
	"bad-resume": true, "no-such-test": true, "no-failing-test": true, "no-order": true, "stopped": true, "bad-patch": true, "bad-report": true,
	build.CodeNoPom: true, build.CodeNotYet: true, build.CodeNoTool: true, build.CodeModule: true, build.CodeLocked: true,
	jest.CodeNoManifest: true, jest.CodeNoJest: true, jest.CodeJestTooOld: true, jest.CodeFramework: true,
	jest.CodeNoNode: true, jest.CodeNoLock: true, jest.CodeNoClient: true, jest.CodePlugNPlay: true, jest.CodeBusy: true,
}

// forget removes an output folder that was not requested and that no output names.
func (s *session) forget() {
	switch {
	case s.brief && s.refused():
		_ = os.Remove(s.log.path())
	case s.brief:
		_ = os.RemoveAll(s.out)
	}
}

// failed shows that there is no report.
func (s *session) failed(err error) int {
	s.close()
	if fi, statErr := os.Stat(s.log.path()); (s.temp || s.refused()) && statErr == nil && fi.Size() == 0 {
		_ = os.Remove(s.log.path())
		if s.temp {
			_ = os.Remove(s.out) // fails, as intended, if the runner left something
		}
	}
	return showError(s.w, s.p, err)
}

// showError prints an error for people, or a report with the error for programs.
func showError(w world, p project, err error) int {
	var e *job.Error
	if !errors.As(err, &e) {
		e = &job.Error{Code: "internal", Message: err.Error(), Hint: "Run again with -v; if it happens again, please report it."}
	}
	if p.format != "text" {
		r := &job.Report{Version: job.Version, Tool: "odfix " + version, Started: w.now().UTC(), Error: e}
		fmt.Fprint(w.stdout, rendered(p.format, r, ""))
		return errorCode(e)
	}
	complain(w, e)
	return errorCode(e)
}

// complain prints an error for people.
func complain(w world, e *job.Error) {
	o := textOptions(w)
	o.Color = o.Color && terminal.Is(w.stderr)
	text := templates.Error(e, o)
	if w.getenv("GITHUB_ACTIONS") == "true" {
		text = terminal.WithoutCommands(text)
	}
	fmt.Fprint(w.stderr, text)
}
