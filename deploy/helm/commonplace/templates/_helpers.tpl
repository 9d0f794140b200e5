{{- define "commonplace.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "commonplace.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "commonplace.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "commonplace.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "commonplace.selectorLabels" -}}
app.kubernetes.io/name: {{ include "commonplace.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "commonplace.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{ include "commonplace.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "commonplace.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "commonplace.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "commonplace.image" -}}
{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}

{{/* As the image's user, without rights, the root file system read-only. */}}
{{- define "commonplace.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "commonplace.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "commonplace.databaseEnv" -}}
{{- if .Values.postgres.enabled }}
- name: COMMONPLACE_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ default (include "commonplace.fullname" .) .Values.postgres.existingSecret }}
      key: {{ .Values.postgres.key }}
{{- if or .Values.postgres.directUrl .Values.postgres.directKey }}
- name: COMMONPLACE_DATABASE_DIRECT_URL
  valueFrom:
    secretKeyRef:
      name: {{ default (include "commonplace.fullname" .) .Values.postgres.existingSecret }}
      key: {{ include "commonplace.directKey" . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "commonplace.directKey" -}}
{{ default "database-direct-url" .Values.postgres.directKey }}
{{- end }}

{{- define "commonplace.settingsEnv" -}}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "commonplace.env" -}}
{{- include "commonplace.databaseEnv" . }}
{{- if .Values.admin.email }}
- name: COMMONPLACE_ADMIN_EMAIL
  value: {{ .Values.admin.email | quote }}
{{- end }}
{{- if or .Values.admin.existingSecret .Values.admin.apiKey }}
- name: COMMONPLACE_ADMIN_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ default (include "commonplace.fullname" .) .Values.admin.existingSecret }}
      key: admin-api-key
      optional: true
{{- end }}
{{- if or .Values.admin.existingSecret .Values.admin.password }}
- name: COMMONPLACE_ADMIN_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ default (include "commonplace.fullname" .) .Values.admin.existingSecret }}
      key: admin-password
      optional: true
{{- end }}
{{- include "commonplace.settingsEnv" . }}
{{- end }}

{{/* What is alike in a Deployment and a StatefulSet. */}}
{{- define "commonplace.podTemplate" -}}
metadata:
  labels:
    {{- include "commonplace.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # A changed Secret starts new nodes.
    checksum/secret: {{ include (print $.Template.BasePath "/secret.yaml") . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "commonplace.serviceAccountName" . }}
  automountServiceAccountToken: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "commonplace.podSecurityContext" . | nindent 4 }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  containers:
    - name: commonplace
      image: {{ include "commonplace.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        {{- include "commonplace.securityContext" . | nindent 8 }}
      ports:
        - name: http
          containerPort: 8080
      {{- with include "commonplace.env" . | trim }}
      env:
        {{- . | nindent 8 }}
      {{- end }}
      {{- with .Values.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      # It answers before it migrates: alive, and not ready until it has.
      startupProbe:
        httpGet:
          path: /api/v1/_health
          port: http
        periodSeconds: 2
        failureThreshold: 30
      livenessProbe:
        httpGet:
          path: /api/v1/_health
          port: http
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet:
          path: /api/v1/_ready
          port: http
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      lifecycle:
        preStop:
          exec:
            command: [node, -e, "setTimeout(() => {}, {{ mul .Values.preStopSleepSeconds 1000 }})"]
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- if .Values.postgres.enabled }}
    - name: data
      emptyDir: {}
    {{- else if .Values.persistence.existingClaim }}
    - name: data
      persistentVolumeClaim:
        claimName: {{ .Values.persistence.existingClaim }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.topologySpread.enabled }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: {{ .Values.topologySpread.topologyKey }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "commonplace.selectorLabels" . | nindent 10 }}
  {{- end }}
{{- end }}
