{{/* Everything that is fixed of each process: who it is, what it reads, whom it may reach. The secrets are those of PROCESOS (packages/vault). */}}
{{- define "acuse.procesos" -}}
api:
  programa: apps/api/dist/main.js
  puerto: 8080
  secretos: [API_KEY_PEPPERS, KEYRING, WORKER_PUBLIC_KEY, WORKER_PSK, SESSION_KEYS, WEBHOOK_KEYS, MANIFEST_PUBLIC_KEYS, DATABASE_URL, QUEUE_URL, S3_SECRET_ACCESS_KEY]
  grupos: [sat, almacen, autoridades, proxies, drenaje, direcciones]
  alcanza: [postgres, redis, almacen, internet]
  env: { API_HOST: 0.0.0.0, API_PORT: "8080" }
panel:
  programa: apps/panel/dist/main.js
  puerto: 8081
  secretos: [API_KEY_PEPPERS, KEYRING, WORKER_PUBLIC_KEY, WORKER_PSK, PANEL_SECRETS, WEBHOOK_KEYS, DATABASE_URL, QUEUE_URL, S3_SECRET_ACCESS_KEY]
  grupos: [direcciones, almacen, autoridades, proxies, drenaje, llama, remitente]
  alcanza: [postgres, redis, almacen, api]
  env: { PANEL_HOST: 0.0.0.0, PANEL_PORT: "8081" }
descargas:
  programa: apps/worker/dist/main.js
  puerto: 8081
  secretos: [WORKER_KEYS, WORKER_PSKS, SESSION_KEYS, DATABASE_URL, QUEUE_URL, S3_SECRET_ACCESS_KEY]
  grupos: [sat, almacen, creaBucket]
  alcanza: [postgres, redis, almacen, internet]
  env: { WORKER_ROLES: descargas, HEALTH_HOST: 0.0.0.0, HEALTH_PORT: "8081", NODE_OPTIONS: --max-semi-space-size=2 }
coordinador:
  programa: apps/worker/dist/main.js
  puerto: 8081
  secretos: [SESSION_KEYS, DATABASE_URL, QUEUE_URL, S3_SECRET_ACCESS_KEY]
  grupos: [almacen, creaBucket]
  alcanza: [postgres, redis, almacen, internet]
  env: { WORKER_ROLES: "relay,reconciler,reaper,listas,sincronizacion", HEALTH_HOST: 0.0.0.0, HEALTH_PORT: "8081" }
ensambles:
  programa: apps/worker/dist/main.js
  puerto: 8081
  secretos: [MANIFEST_KEYS, DATABASE_URL, QUEUE_URL, S3_SECRET_ACCESS_KEY]
  grupos: [almacen, creaBucket]
  alcanza: [postgres, redis, almacen]
  env: { WORKER_ROLES: ensambles, HEALTH_HOST: 0.0.0.0, HEALTH_PORT: "8081", NODE_OPTIONS: --max-semi-space-size=2 }
webhooks:
  programa: apps/worker/dist/main.js
  puerto: 8081
  secretos: [WEBHOOK_KEYS, DATABASE_URL]
  grupos: [remitente, correo]
  alcanza: [postgres, internet, correo]
  env: { WORKER_ROLES: "webhooks,correo", HEALTH_HOST: 0.0.0.0, HEALTH_PORT: "8081" }
{{- end }}

{{/* What has its own Secret besides: who migrates, and who has all of them. */}}
{{- define "acuse.dueños" -}}
{{- concat (include "acuse.procesos" . | fromYaml | keys | sortAlpha) (list "migrar" "operador") | toJson -}}
{{- end }}

{{- define "acuse.nombre" -}}
{{- default .Release.Name .Values.nombre | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "acuse.prefijo" -}}
{{- default (include "acuse.nombre" .) .Values.secretos.prefijo -}}
{{- end }}

{{- define "acuse.marcas" -}}
app.kubernetes.io/name: acuse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "acuse.etiquetas" -}}
{{ include "acuse.marcas" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* imagen: de (list raíz imagen) */}}
{{- define "acuse.imagen" -}}
{{- $root := index . 0 -}}{{- $imagen := index . 1 -}}
{{- if $imagen.huella -}}{{ printf "%s@%s" $imagen.repositorio $imagen.huella }}
{{- else -}}{{ printf "%s:%s" $imagen.repositorio (default $root.Chart.AppVersion $imagen.etiqueta) }}
{{- end -}}
{{- end }}

{{/* Nobody is root, writes its image, gains rights, or has a token of Kubernetes that it does not need. */}}
{{- define "acuse.pod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "acuse.contenedor" -}}
imagePullPolicy: {{ .Values.imagen.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  privileged: false
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Secrets as files: of (list of names) their settings, by the file that each is in. */}}
{{- define "acuse.archivos" -}}
{{- range . }}
{{ . }}_FILE: /run/acuse/{{ . }}
{{- end }}
{{- end }}

{{/* Settings of a group of processes, as NAME: value. */}}
{{- define "acuse.grupo.sat" -}}
{{- if .Values.simulador.enabled }}
CAPTCHA_RESOLVER: simulador
CAPTCHA_URL: {{ include "acuse.simulador" . }}/cfdiau/simulador/captcha
OPINION_PUBLICA_URL: {{ include "acuse.simulador" . }}/opinion-publica
{{- else }}
CAPTCHA_RESOLVER: {{ .Values.captchas.resolvedor | quote }}
{{- with .Values.captchas.url }}
CAPTCHA_URL: {{ . | quote }}
{{- end }}
{{- if .Values.captchas.token }}
CAPTCHA_TOKEN_FILE: /run/acuse/CAPTCHA_TOKEN
{{- end }}
{{- end }}
{{- end }}

{{- define "acuse.grupo.almacen" -}}
{{- with .Values.almacen.endpoint }}
S3_ENDPOINT: {{ . | quote }}
{{- end }}
{{- with .Values.almacen.publico }}
S3_PUBLIC_ENDPOINT: {{ . | quote }}
{{- end }}
S3_REGION: {{ .Values.almacen.region | quote }}
S3_BUCKET: {{ .Values.almacen.bucket | quote }}
S3_ACCESS_KEY_ID: {{ .Values.almacen.credencial | quote }}
{{- end }}

{{- define "acuse.grupo.creaBucket" -}}
S3_CREATE_BUCKET: {{ .Values.almacen.crearBucket | quote }}
{{- end }}

{{- define "acuse.grupo.autoridades" -}}
EFIRMA_AUTORIDADES: /run/autoridades/autoridades.pem
{{- end }}

{{- define "acuse.grupo.proxies" -}}
{{- with .Values.proxies }}
TRUSTED_PROXIES: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "acuse.grupo.drenaje" -}}
DRAIN_SECONDS: {{ .Values.drenaje.segundos | quote }}
{{- end }}

{{- define "acuse.grupo.direcciones" -}}
API_PUBLIC_URL: {{ required "direcciones.api: falta la dirección https con la que se llega a la API" .Values.direcciones.api }}
PANEL_PUBLIC_URL: {{ required "direcciones.panel: falta la dirección https con la que se llega al panel" .Values.direcciones.panel }}
{{- end }}

{{- define "acuse.grupo.remitente" -}}
{{- with .Values.correo.de }}
CORREO_DE: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "acuse.grupo.correo" -}}
{{- if .Values.correo.de }}
SMTP_URL_FILE: /run/acuse/SMTP_URL
PANEL_PUBLIC_URL: {{ required "direcciones.panel: falta la dirección https con la que se llega al panel" .Values.direcciones.panel }}
{{- end }}
{{- end }}

{{- define "acuse.grupo.llama" -}}
API_INTERNAL_URL: http://{{ include "acuse.nombre" . }}-api:8080
{{- end }}

{{- define "acuse.simulador" -}}
http://{{ include "acuse.nombre" . }}-simulador:4500
{{- end }}

{{/* env: of (list root groups fixed secrets own) the whole of a container's, sorted; what the operator set wins, and no secret is set by its value. */}}
{{- define "acuse.env" -}}
{{- $root := index . 0 -}}{{- $grupos := index . 1 -}}{{- $fijo := index . 2 -}}{{- $secretos := index . 3 -}}{{- $propios := index . 4 -}}
{{- $env := dict "SHUTDOWN_SECONDS" (toString $root.Values.drenaje.cierre) -}}
{{- range $grupos }}{{- $env = merge (include (printf "acuse.grupo.%s" .) $root | fromYaml) $env }}{{- end }}
{{- if $root.Values.simulador.enabled }}{{- $_ := set $env "SAT_BASE_URL" (include "acuse.simulador" $root) }}{{- end }}
{{- $env = merge (deepCopy $propios) (deepCopy $root.Values.ajustes) (deepCopy $fijo) $env (include "acuse.archivos" $secretos | fromYaml) -}}
{{- range $name, $value := $env }}
- { name: {{ $name }}, value: {{ toString $value | quote }} }
{{- end }}
{{- end }}

{{/* Whether the authorities come from a ConfigMap, from the values, or from the simulator. */}}
{{- define "acuse.volumenAutoridades" -}}
{{- if .Values.simulador.enabled -}}
emptyDir: { sizeLimit: 1Mi }
{{- else if .Values.autoridades.configMap -}}
configMap: { name: {{ .Values.autoridades.configMap }}, items: [{ key: autoridades.pem, path: autoridades.pem }] }
{{- else -}}
configMap: { name: {{ include "acuse.nombre" . }}-autoridades }
{{- end -}}
{{- end }}

{{/* What a process waits for before a simulator: the authority whose e.firmas it will trust. */}}
{{- define "acuse.traeAutoridad" -}}
- name: autoridad
  image: {{ include "acuse.imagen" (list . .Values.imagen) }}
  args:
    - --eval
    - |
      const { writeFile } = require('node:fs/promises');
      const ask = async () => {
        const answer = await fetch('{{ include "acuse.simulador" . }}/control/ca.pem', { signal: AbortSignal.timeout(5000) });
        if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
        await writeFile('/run/autoridades/autoridades.pem', await answer.text());
      };
      const again = () => ask().catch((error) => { console.error(String(error.cause ?? error)); setTimeout(again, 2000); });
      again();
  {{- include "acuse.contenedor" . | nindent 2 }}
  resources: { requests: { cpu: 50m, memory: 64Mi }, limits: { cpu: 500m, memory: 128Mi } }
  volumeMounts: [{ name: autoridades, mountPath: /run/autoridades }, { name: tmp, mountPath: /tmp }]
{{- end }}
