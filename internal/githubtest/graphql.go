package githubtest

import (
	_ "embed"
	"fmt"
	"strconv"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

//go:embed schema.graphql
var schemaText string

var schema = gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: schemaText})

// fieldError is a field that could not be given; GitHub answers 200 all the same.
type fieldError struct{ kind, message string }

func (e *fieldError) Error() string { return e.message }

var errForbidden = &fieldError{"FORBIDDEN", "Resource not accessible by integration"}

// lazy is a field whose value depends on its arguments.
type lazy func(args map[string]any) (any, error)

// graphql answers a query or a mutation of the small schema above.
func (c *call) graphql() (answer, error) {
	if c.by.token == nil {
		return answer{}, refuse(401, "This endpoint requires you to be authenticated.")
	}
	var in struct {
		Query         string         `json:"query"`
		Variables     map[string]any `json:"variables"`
		OperationName string         `json:"operationName"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	doc, wrong := gqlparser.LoadQueryWithRules(schema, in.Query, rules.NewDefaultRules())
	if len(wrong) > 0 {
		return c.refuseQuery(wrong), nil
	}
	op := doc.Operations.ForName(in.OperationName)
	if op == nil {
		return c.refuseQuery(gqlerror.List{gqlerror.Errorf("An operation name is required")}), nil
	}
	if _, err := validator.VariableValues(schema, op, in.Variables); err != nil {
		return c.refuseQuery(gqlerror.List{gqlerror.Wrap(err)}), nil
	}
	root := c.queries()
	if op.Operation == ast.Mutation {
		root = c.mutations()
	}
	x := &execution{variables: in.Variables}
	body := Object{"data": x.selected(op.SelectionSet, root, nil)}
	if len(x.errors) > 0 {
		body["errors"] = x.errors
	}
	return ok(body), nil
}

// refuseQuery answers a query that the schema does not allow.
func (c *call) refuseQuery(wrong gqlerror.List) answer {
	c.s.mismatch("request", "graphql", wrong.Error())
	var list []Object
	for _, e := range wrong {
		list = append(list, Object{"message": e.Message, "locations": e.Locations})
	}
	return ok(Object{"errors": list})
}

type execution struct {
	variables map[string]any
	errors    []Object
}

// selected is the part of an object that a query asks for.
func (x *execution) selected(set ast.SelectionSet, of Object, path []any) Object {
	out := Object{}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			out[s.Alias] = x.field(s, of, append(path[:len(path):len(path)], s.Alias))
		case *ast.InlineFragment:
			x.merge(out, s.TypeCondition, s.SelectionSet, of, path)
		case *ast.FragmentSpread:
			x.merge(out, s.Definition.TypeCondition, s.Definition.SelectionSet, of, path)
		}
	}
	return out
}

func (x *execution) merge(out Object, condition string, set ast.SelectionSet, of Object, path []any) {
	name, _ := of["__typename"].(string)
	def := schema.Types[condition]
	if condition != "" && name != condition && (def == nil || !def.IsAbstractType()) {
		return
	}
	for k, v := range x.selected(set, of, path) {
		out[k] = v
	}
}

func (x *execution) field(f *ast.Field, of Object, path []any) any {
	value := of[f.Name]
	if l, is := value.(lazy); is {
		var err error
		if value, err = l(f.ArgumentMap(x.variables)); err != nil {
			e := Object{"message": err.Error(), "path": path, "locations": []Object{{"line": f.Position.Line, "column": f.Position.Column}}}
			if known, is := err.(*fieldError); is {
				e["type"] = known.kind
			}
			x.errors = append(x.errors, e)
			return nil
		}
	}
	switch value := value.(type) {
	case Object:
		if value == nil {
			return nil
		}
		return x.selected(f.SelectionSet, value, path)
	case []Object:
		all := make([]any, 0, len(value))
		for i, one := range value {
			all = append(all, x.selected(f.SelectionSet, one, append(path[:len(path):len(path)], i)))
		}
		return all
	}
	return value
}

// connection is a list that a query takes page by page.
func connection[T any](all []T, view func(T) Object) lazy {
	return func(args map[string]any) (any, error) {
		first, hasFirst := integer(args["first"])
		last, hasLast := integer(args["last"])
		if !hasFirst && !hasLast {
			return nil, &fieldError{"MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value to properly paginate the connection."}
		}
		if first > 100 || last > 100 {
			return nil, &fieldError{"EXCESSIVE_PAGINATION", "Requesting more than 100 records on the connection exceeds the limit."}
		}
		from := 0
		if cursor, ok := args["after"].(string); ok {
			from, _ = strconv.Atoi(cursor) // what is no cursor starts anew
		}
		from = min(max(from, 0), len(all))
		to := len(all)
		if hasFirst {
			to = min(from+first, len(all))
		} else {
			from = max(from, len(all)-last)
		}
		return Object{"totalCount": len(all), "nodes": views(all[from:to], view),
			"pageInfo": Object{"hasNextPage": to < len(all), "endCursor": strconv.Itoa(to)}}, nil
	}
}

func integer(v any) (int, bool) {
	switch v := v.(type) {
	case int64:
		return int(v), true
	case float64:
		return int(v), true
	}
	return 0, false
}

func noNode(id string) error {
	return &fieldError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'", id)}
}
