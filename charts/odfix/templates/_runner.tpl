{{- /* odfix.runner: the file of `odfix worker --kubernetes`. */}}
{{- define "odfix.runner" -}}
namespace: {{ include "odfix.runnerNamespace" . }}
server: {{ include "odfix.workUrl" . }}
image: {{ include "odfix.image" (list . .Values.runner.image) }}
pullPolicy: {{ .Values.runner.image.pullPolicy }}
disk: {{ .Values.runner.disk }}
startWithin: {{ .Values.runner.startWithin }}
keep: {{ .Values.runner.keep }}
resources: {{- toYaml .Values.runner.resources | nindent 2 }}
{{- with .Values.runner.images }}
images: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.runner.imagePullSecrets }}
pullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.runner.runtimeClassName }}
runtimeClass: {{ . }}
{{- end }}
{{- with .Values.runner.seccompProfile }}
seccomp: {{ . }}
{{- end }}
{{- include "odfix.placement" .Values.runner }}
{{- with .Values.runner.labels }}
labels: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.runner.annotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.runner.cacheClaim }}
cacheClaim: {{ . | quote }}
{{- end }}
{{- with .Values.runner.env }}
env: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
