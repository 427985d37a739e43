import { type Manifest, render, type Values } from './render.ts';

/** What has to be said always. */
export const LEAST = {
  direcciones: { api: 'https://api.acuse.example', panel: 'https://panel.acuse.example' },
  autoridades: { configMap: 'autoridades-sat' },
};
const KEDA = {
  escala: { keda: { enabled: true, prometheus: 'http://prometheus.monitoring:9090', series: 'namespace="fiscal"' } },
};

/** Values that operators have, by what they are like. */
export const MATRIX: Readonly<Record<string, Values>> = {
  'as it comes': LEAST,
  'before a simulator': { ...LEAST, autoridades: {}, simulador: { enabled: true } },
  'with the queue on PostgreSQL': { ...LEAST, cola: { enPostgres: true } },
  'scaled by KEDA': { ...LEAST, ...KEDA },
  'scaled by processors': { ...LEAST, escala: { hpa: true } },
  'with everything on': {
    ...LEAST,
    nombre: 'acuse-produccion',
    imagePullSecrets: [{ name: 'registro' }],
    autoridades: { pem: 'PEM' },
    imagen: { repositorio: 'registro.example/acuse', huella: `sha256:${'0a'.repeat(32)}`, pullPolicy: 'Always' },
    cola: { enPostgres: true },
    almacen: { endpoint: 'https://s3.example', publico: 'https://paquetes.example', crearBucket: true },
    captchas: { resolvedor: 'http', url: 'https://captchas.example/leer', token: true },
    correo: { de: 'Acuse <avisos@acuse.example>' },
    proxies: '10.1.0.0/16,10.2.0.0/16',
    ajustes: { LOG_LEVEL: 'debug' },
    api: {
      ajustes: { RATE_LIMIT_RPS: 20 },
      tolerations: [{ key: 'fiscal', operator: 'Exists' }],
      nodeSelector: { fiscal: 'si' },
    },
    descargas: { ajustes: { DESCARGAS_CONCURRENCY: 100 }, annotations: { nota: 'una' } },
    operador: { replicas: 1 },
    escala: { hpa: true, keda: { ...KEDA.escala.keda, autenticacion: 'prometheus' } },
    metricas: { podMonitor: true, alertas: true, tablero: true },
    redes: { trazas: { a: [{ namespaceSelector: { matchLabels: { nombre: 'trazas' } } }] } },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'cert-manager.io/cluster-issuer': 'acme' },
      tls: 'certificado',
    },
  },
  'with everything off': {
    ...LEAST,
    secretos: { generar: false, prefijo: 'propios' },
    interrupciones: { enabled: false },
    metricas: { anotaciones: false },
    redes: { enabled: false },
  },
};
const rendered = new Map<string, Promise<readonly Manifest[]>>();

/** What Helm makes of one of them. It is asked once for each. */
export function renderedBy(name: string): Promise<readonly Manifest[]> {
  const found = rendered.get(name) ?? render(MATRIX[name] ?? {});
  rendered.set(name, found);
  return found;
}
