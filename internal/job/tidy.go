package job

import (
	"reflect"
	"strings"
)

// Tidy replaces nil lists and maps that are always written by empty ones, so that the JSON never
// contains null where the schema says array or object.
func (r *Report) Tidy() {
	tidy(reflect.ValueOf(r).Elem())
}

func tidy(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			tidy(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			tidy(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), f)
				tidy(v.Field(i))
			}
		}
	}
}

func fill(v reflect.Value, f reflect.StructField) {
	if strings.Contains(f.Tag.Get("json"), ",omitempty") {
		return
	}
	switch {
	case v.Kind() == reflect.Slice && v.IsNil():
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case v.Kind() == reflect.Map && v.IsNil():
		v.Set(reflect.MakeMap(v.Type()))
	}
}
