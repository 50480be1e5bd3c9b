{{- define "odfix.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "odfix.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "odfix.name" .) .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name (include "odfix.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "odfix.runnerNamespace" -}}
{{- default (printf "%s-runners" .Release.Namespace) .Values.runner.namespace }}
{{- end }}

{{- /* odfix.selector (list . "server"): the labels that do not change. */}}
{{- define "odfix.selector" -}}
{{- $top := index . 0 -}}
app.kubernetes.io/name: {{ include "odfix.name" $top }}
app.kubernetes.io/instance: {{ $top.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "odfix.labels" -}}
{{- $top := index . 0 -}}
{{ include "odfix.selector" . }}
app.kubernetes.io/version: {{ $top.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $top.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $top.Chart.Name $top.Chart.Version }}
{{- end }}

{{- /* odfix.image (list . image): with the digest if there is one. */}}
{{- define "odfix.image" -}}
{{- $top := index . 0 }}{{ $image := index . 1 -}}
{{- if $image.digest }}{{ $image.repository }}@{{ $image.digest }}
{{- else }}{{ $image.repository }}:{{ default $top.Chart.AppVersion $image.tag }}
{{- end }}
{{- end }}

{{- define "odfix.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "odfix.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
privileged: false
capabilities: {drop: [ALL]}
{{- end }}

{{- define "odfix.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "odfix.pullSecrets" -}}
{{- with . }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "odfix.workUrl" -}}
http{{ if .Values.work.tlsSecret }}s{{ end }}://{{ include "odfix.fullname" . }}-work.{{ .Release.Namespace }}.svc:8082
{{- end }}

{{- define "odfix.check" -}}
{{- if not .Values.app.id }}{{ fail "app.id is missing: the GitHub App's settings page shows it" }}{{ end }}
{{- if and (eq .Values.database.type "sqlite") (gt (int .Values.server.replicas) 1) }}{{ fail "server.replicas: SQLite has one server; several need database.type=postgres" }}{{ end }}
{{- if and (eq .Values.database.type "sqlite") .Values.server.autoscaling.enabled }}{{ fail "server.autoscaling: SQLite has one server; several need database.type=postgres" }}{{ end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}{{ fail "ingress.host is missing" }}{{ end }}
{{- if eq (include "odfix.runnerNamespace" .) .Release.Namespace }}{{ fail "runner.namespace: runners need another namespace than the server, whose Secrets the worker must not read" }}{{ end }}
{{- end }}
