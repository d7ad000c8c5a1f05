{{- /* The name of every object: the release's name if it contains gputide. */ -}}
{{- define "gputide.name" -}}
{{- if .Values.nameOverride -}}{{ .Values.nameOverride }}
{{- else if contains "gputide" .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-gputide" .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- /* The labels that select the pods; they must never change. */ -}}
{{- define "gputide.selector" -}}
app.kubernetes.io/name: gputide
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gputide.labels" -}}
{{ include "gputide.selector" . }}
app.kubernetes.io/component: gputided
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* The subject of every RoleBinding. */ -}}
{{- define "gputide.subjects" -}}
- kind: ServiceAccount
  name: {{ include "gputide.name" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{- define "gputide.replicas" -}}
{{- if not (kindIs "invalid" .Values.replicas) -}}{{ .Values.replicas }}
{{- else if eq .Values.mode "shadow" -}}1
{{- else -}}{{ max 2 (int .Values.shards) }}
{{- end -}}
{{- end -}}

{{- /* The flags in addition to those of base/deployment.yaml, as a YAML list. */ -}}
{{- define "gputide.arguments" -}}
{{- $name := include "gputide.name" . -}}
{{- $out := list -}}
{{- if eq .Values.mode "shadow" -}}{{- $out = append $out "--shadow" -}}
{{- else -}}
{{- if ne $name "gputide" -}}{{- $out = concat $out (list "--lease" $name) -}}{{- end -}}
{{- if gt (int .Values.shards) 1 -}}{{- $out = concat $out (list "--shards" (toString .Values.shards)) -}}{{- end -}}
{{- if ne (int .Values.leaseSeconds) 15 -}}{{- $out = concat $out (list "--lease-s" (toString .Values.leaseSeconds)) -}}{{- end -}}
{{- end -}}
{{- range .Values.namespaces -}}{{- $out = concat $out (list "--namespace" .) -}}{{- end -}}
{{- with .Values.selector -}}{{- $out = concat $out (list "--selector" .) -}}{{- end -}}
{{- with .Values.owner -}}{{- $out = concat $out (list "--owner" .) -}}{{- end -}}
{{- concat $out .Values.arguments | toYaml -}}
{{- end -}}
