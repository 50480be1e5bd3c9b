package main

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/cache"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

const cacheAbout = `Shows what odfix keeps between jobs, and cleans it.

odfix builds in copies of your checkout. It keeps a copy with its compiled classes, so that the next
job in the same checkout starts faster. At the start of a job, at most once an hour, odfix removes
the least recently used copies until at most 2 GiB are left, and those that were not used for 30
days. The environment variable ` + cache.LimitEnv + ` sets another limit, such as 500MB. The copy
of a job that runs is never removed.`

// cacheView is the answer of `odfix cache --format json`.
type cacheView struct {
	Dir     string        `json:"folder"`
	Limit   int64         `json:"limit_bytes"`
	Size    int64         `json:"bytes"`
	Kinds   []cache.Sum   `json:"kinds"`
	Entries []cache.Entry `json:"entries"`
}

func cacheCommand(w world, code *int) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "cache [--format json]", DisableFlagsInUseLine: true,
		Short: "Show and clean what odfix keeps between jobs", Long: cacheAbout, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			if format != "text" && format != "json" {
				return usage("", "--format is %q: it can be text or json", format)
			}
			v, err := viewCache(cmd.Context(), w)
			if err != nil {
				return failCache(w, code, err)
			}
			if format == "json" {
				return printJSON(w, v)
			}
			return printCache(w, v)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text` or json")
	cmd.AddCommand(cacheCleanCommand(w, code))
	return cmd
}

func cacheCleanCommand(w world, code *int) *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use: "clean [--keep SIZE]", DisableFlagsInUseLine: true,
		Short: "Remove what was not used for the longest time", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			size, err := cache.Size(keep)
			if err != nil {
				return usage("Give a size such as 200MB or 1GB.", "--keep is %q", keep)
			}
			dir, err := cache.Dir()
			if err != nil {
				return failCache(w, code, err)
			}
			c, err := cache.Clean(cmd.Context(), dir, size, build.RemoveAll)
			if err != nil {
				return failCache(w, code, err)
			}
			_, err = fmt.Fprint(w.stdout, templates.CacheCleaned(templates.Cleaned{Removed: c.Removed, Busy: c.Busy,
				Freed: humanize.Bytes(uint64(c.Freed)), Left: humanize.Bytes(uint64(c.Left))}, textOptions(w)))
			return err
		},
	}
	cmd.Flags().StringVar(&keep, "keep", "0", "`size` of what may stay, such as 200MB")
	return cmd
}

func failCache(w world, code *int, err error) error {
	complain(w, &job.Error{Message: err.Error(), Hint: "Check the permissions of the folder, and " + cache.LimitEnv + "."})
	*code = exitError
	return nil
}

func viewCache(ctx context.Context, w world) (cacheView, error) {
	var v cacheView
	var err error
	if v.Limit, err = cache.Limit(w.getenv); err != nil {
		return v, err
	}
	if v.Dir, err = cache.Dir(); err != nil {
		return v, err
	}
	if v.Entries, err = cache.List(ctx, v.Dir); err != nil {
		return v, err
	}
	v.Kinds = cache.Sums(v.Entries)
	for _, k := range v.Kinds {
		v.Size += k.Size
	}
	return v, nil
}

var cacheKinds = map[cache.Kind]string{cache.Maven: "copies of checkouts with Maven or Gradle", cache.Jest: "copies of packages with Jest",
	cache.Jars: "odfix's own jars", cache.Other: "other files, which odfix leaves alone"}

func printCache(w world, v cacheView) error {
	view := templates.Cache{Dir: v.Dir, Size: humanize.Bytes(uint64(v.Size)), Limit: humanize.IBytes(uint64(v.Limit)), LimitEnv: cache.LimitEnv}
	for _, k := range v.Kinds {
		view.Kinds = append(view.Kinds, templates.CacheKind{Name: cacheKinds[k.Kind], Entries: k.Entries, Size: humanize.Bytes(uint64(k.Size)),
			Oldest: humanize.RelTime(k.Oldest, w.now(), "ago", "from now")})
	}
	_, err := fmt.Fprint(w.stdout, templates.CacheShown(view, textOptions(w)))
	return err
}
