{{/* Names and labels. */}}
{{- define "weir.name" -}}
{{- if contains "weir" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-weir" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "weir.selector" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "weir.labels" -}}
{{ include "weir.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "weir.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "weir.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end -}}
{{- end -}}

{{/* A value that has to be there: (dict "value" V "name" NAME "what" TEXT). */}}
{{- define "weir.required" -}}
{{- if not .value }}{{ fail (printf "Set the value %s to %s." .name .what) }}{{ end -}}
{{- .value -}}
{{- end -}}

{{/* A variable from a Secret: (dict "variable" NAME "secret" SECRET "key" KEY). */}}
{{- define "weir.secretVariable" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef: {name: {{ .secret | quote }}, key: {{ .key | quote }}}
{{- end -}}

{{/* Variables of both processes. */}}
{{- define "weir.environment" -}}
- {name: WEIR_HOME, value: /var/lib/weir/home}
- {name: WEIR_CACHE, value: /var/lib/weir/home/cache}
- {name: TMPDIR, value: /tmp}
{{ include "weir.secretVariable" (dict "variable" "WEIR_DATABASE__URL" "secret" (include "weir.required" (dict "value" .Values.database.existingSecret "name" "database.existingSecret" "what" "the Secret with the URL of the PostgreSQL")) "key" .Values.database.key) }}
{{ include "weir.secretVariable" (dict "variable" "WEIR_NEO4J__PASSWORD" "secret" (include "weir.required" (dict "value" .Values.neo4j.existingSecret "name" "neo4j.existingSecret" "what" "the Secret with the password of Neo4j")) "key" .Values.neo4j.key) }}
{{ include "weir.secretVariable" (dict "variable" "WEIR_SPARK__REMOTE" "secret" (include "weir.required" (dict "value" .Values.spark.existingSecret "name" "spark.existingSecret" "what" "the Secret with the URL of Spark Connect")) "key" .Values.spark.key) }}
{{- with .Values.query.existingSecret }}
{{ include "weir.secretVariable" (dict "variable" "WEIR_QUERY__REMOTE" "secret" . "key" $.Values.query.key) }}
{{- end }}
{{- with .Values.views.existingSecret }}
{{ include "weir.secretVariable" (dict "variable" "WEIR_VIEWS__REMOTE" "secret" . "key" $.Values.views.key) }}
{{- end }}
{{- with .Values.views.serving.existingSecret }}
{{ include "weir.secretVariable" (dict "variable" "WEIR_VIEWS__SERVING_URL" "secret" . "key" $.Values.views.serving.key) }}
{{- end }}
{{- if .Values.kafka.sasl.username }}
{{ include "weir.secretVariable" (dict "variable" "WEIR_KAFKA__SASL_PASSWORD" "secret" (include "weir.required" (dict "value" .Values.kafka.sasl.existingSecret "name" "kafka.sasl.existingSecret" "what" "the Secret with the password of kafka.sasl.username")) "key" .Values.kafka.sasl.key) }}
{{- end }}
{{- if .Values.schemaRegistry.username }}
{{ include "weir.secretVariable" (dict "variable" "WEIR_SCHEMA_REGISTRY__PASSWORD" "secret" (include "weir.required" (dict "value" .Values.schemaRegistry.existingSecret "name" "schemaRegistry.existingSecret" "what" "the Secret with the password of schemaRegistry.username")) "key" .Values.schemaRegistry.key) }}
{{- end }}
{{- if ne .Values.elasticsearch.auth "none" }}
{{ include "weir.secretVariable" (dict "variable" (eq .Values.elasticsearch.auth "apiKey" | ternary "WEIR_ELASTICSEARCH__API_KEY" "WEIR_ELASTICSEARCH__PASSWORD") "secret" (include "weir.required" (dict "value" .Values.elasticsearch.existingSecret "name" "elasticsearch.existingSecret" "what" "the Secret with the API key or the password of Elasticsearch")) "key" .Values.elasticsearch.key) }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What both pods are, but the container itself. */}}
{{- define "weir.podSpec" -}}
serviceAccountName: {{ include "weir.serviceAccount" . }}
automountServiceAccountToken: false
# Variables such as WEIR_PORT, which Kubernetes makes of Services, are no settings of Weir.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
initContainers:
  # The keys are copied, since Weir keeps others beside them and holds files of mode 600 only.
  - name: keys
    image: {{ include "weir.image" . }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: ["sh", "-c", "umask 077 && mkdir -p /var/lib/weir/home/secrets && cp /etc/weir/keys/* /var/lib/weir/home/secrets/"]
    securityContext: {{ include "weir.containerSecurity" . | nindent 6 }}
    resources:
      requests: {cpu: 10m, memory: 16Mi}
      limits: {memory: 64Mi}
    volumeMounts:
      - {name: home, mountPath: /var/lib/weir}
      - {name: keys, mountPath: /etc/weir/keys, readOnly: true}
{{- end -}}

{{- define "weir.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
{{- end -}}

{{- define "weir.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- define "weir.mounts" -}}
- {name: home, mountPath: /var/lib/weir}
- {name: tmp, mountPath: /tmp}
{{- if .Values.declaredSecrets.existingSecret }}
- {name: declared-secrets, mountPath: /etc/weir/secrets, readOnly: true}
{{- end }}
{{- if .Values.trust.existingConfigMap }}
- {name: trust, mountPath: /etc/weir/trust, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Volumes but `home`. */}}
{{- define "weir.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: {{ .Values.homeSize }}}
- name: keys
  secret:
    defaultMode: 0440
    secretName: {{ include "weir.required" (dict "value" .Values.keys.existingSecret "name" "keys.existingSecret" "what" "the Secret with the keys that all processes share") }}
{{- with .Values.declaredSecrets.existingSecret }}
- name: declared-secrets
  secret: {secretName: {{ . | quote }}, defaultMode: 0440}
{{- end }}
{{- with .Values.trust.existingConfigMap }}
- name: trust
  configMap: {name: {{ . | quote }}}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
