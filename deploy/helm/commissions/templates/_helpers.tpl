{{- define "commissions.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "commissions.image" -}}
{{- with .Values.image.digest -}}
{{ $.Values.image.repository }}@{{ . }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "commissions.labels" -}}
app.kubernetes.io/name: commissions
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "commissions.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "commissions.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "commissions.settings" -}}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
- { name: METRICS_PORT, value: "9464" }
- { name: DRAIN_MS, value: {{ mul .Values.drainSeconds 1000 | quote }} }
- { name: SETTINGS_DIR, value: /secrets }
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Which nodes run the pods. */}}
{{- define "commissions.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The content of the Secret as of the installation or upgrade; without a cluster, as in helm template, always the same. */}}
{{- define "commissions.secretChecksum" -}}
{{- $secret := lookup "v1" "Secret" .Release.Namespace .Values.secret -}}
{{ $secret.data | toJson | sha256sum }}
{{- end -}}

{{/* The processes that run until they are replaced: API and worker. */}}
{{- define "commissions.deployment" -}}
{{- $root := .root -}}
{{- $part := .part -}}
{{- $values := index $root.Values $part -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "commissions.name" $root }}-{{ $part }}
  labels:
    {{- include "commissions.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $part }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels:
      app.kubernetes.io/name: commissions
      app.kubernetes.io/instance: {{ $root.Release.Name }}
      app.kubernetes.io/component: {{ $part }}
  template:
    metadata:
      labels:
        {{- include "commissions.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $part }}
      annotations:
        # An upgrade after a change of the Secret replaces the pods.
        checksum/secret: {{ include "commissions.secretChecksum" $root }}
        {{- with $root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "commissions.placement" $root | nindent 6 }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      automountServiceAccountToken: false
      securityContext:
        {{- include "commissions.podSecurity" $root | nindent 8 }}
      # preStop, the drain, and the 30 seconds after which a process exits.
      terminationGracePeriodSeconds: {{ add $root.Values.drainSeconds 35 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              app.kubernetes.io/name: commissions
              app.kubernetes.io/instance: {{ $root.Release.Name }}
              app.kubernetes.io/component: {{ $part }}
      containers:
        - name: {{ $part }}
          image: {{ include "commissions.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [serve, --{{ $part }}, --no-supervisor]
          env:
            {{- include "commissions.settings" $root | nindent 12 }}
            - { name: MIGRATE_AT_START, value: "0" }
          ports:
            {{- if eq $part "api" }}
            - { name: http, containerPort: 3000 }
            {{- end }}
            - { name: metrics, containerPort: 9464 }
          startupProbe:
            httpGet: { path: /livez, port: metrics }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /livez, port: metrics }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: metrics }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 2
          lifecycle:
            # The pod leaves the endpoints before the process is told to stop.
            preStop:
              exec: { command: [sleep, "2"] }
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- include "commissions.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            - { name: secrets, mountPath: /secrets, readOnly: true }
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 512Mi }
        - name: secrets
          secret: { secretName: {{ $root.Values.secret }}, defaultMode: 0440 }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "commissions.name" $root }}-{{ $part }}
  labels:
    {{- include "commissions.labels" $root | nindent 4 }}
spec:
  maxUnavailable: {{ $values.disruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      app.kubernetes.io/name: commissions
      app.kubernetes.io/instance: {{ $root.Release.Name }}
      app.kubernetes.io/component: {{ $part }}
{{- end -}}
