import { cliConfig } from '@acuse/cli';
import { describeConfig } from '@acuse/runtime';
import { apiConfig } from '@acuse/settings/api';
import { panelConfig } from '@acuse/settings/panel';
import { workerConfig } from '@acuse/settings/worker';
import type { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;

/** The settings of some processes that are no secret: their values may stand in a file. */
const settingsOf = (...schemas: readonly z.ZodObject<z.ZodRawShape>[]) =>
  [
    ...new Set(
      schemas.flatMap((schema) =>
        describeConfig(schema)
          .filter(({ secret }) => !secret)
          .map(({ name }) => name),
      ),
    ),
  ].sort();

const text: Schema = { type: 'string' };
const yesOrNo: Schema = { type: 'boolean' };
const count = (minimum: number): Schema => ({ type: 'integer', minimum });
const oneOf = (...values: readonly string[]): Schema => ({ enum: values });
const list = (items: Schema): Schema => ({ type: 'array', items });
/** Of Kubernetes, which looks at it itself. */
const ofKubernetes: Schema = { type: 'object' };
/** An object with these properties only: a misspelt name is a fault. */
const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 ? { required } : {}),
});
const ajustes = (...schemas: readonly z.ZodObject<z.ZodRawShape>[]): Schema => ({
  type: 'object',
  propertyNames: { enum: settingsOf(...schemas) },
  additionalProperties: { type: ['string', 'number', 'boolean'] },
});

const url: Schema = { type: 'string', pattern: '^(https?://.+)?$' };
const imagen = {
  repositorio: { type: 'string', minLength: 1 },
  etiqueta: text,
  huella: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
};
const escala = { min: count(1), max: count(1), cpu: { type: 'integer', minimum: 1, maximum: 100 } };
const pod = {
  resources: object({ requests: ofKubernetes, limits: ofKubernetes }, ['requests', 'limits']),
  annotations: ofKubernetes,
  nodeSelector: ofKubernetes,
  tolerations: list(ofKubernetes),
};
const fijo = (schema: z.ZodObject<z.ZodRawShape>, more: Readonly<Record<string, Schema>> = {}) =>
  object({ replicas: count(1), ...more, ajustes: ajustes(schema), ...pod });
const proceso = (schema: z.ZodObject<z.ZodRawShape>, more: Readonly<Record<string, Schema>> = {}) =>
  fijo(schema, { escala: object({ ...escala, ...more }, ['min', 'max', 'cpu']) });
const servidor = object({ puertos: list(count(1)), a: list(ofKubernetes) }, ['puertos', 'a']);

/** What the values of the chart may be: every setting by the name that a process reads, and no secret. */
export const chartSchemaText = (): string =>
  `${JSON.stringify(
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...object({
        nombre: { type: 'string', pattern: '^([a-z]([-a-z0-9]*[a-z0-9])?)?$', maxLength: 40 },
        imagen: object({ ...imagen, pullPolicy: oneOf('Always', 'IfNotPresent', 'Never') }),
        imagePullSecrets: list(ofKubernetes),
        direcciones: object({ api: url, panel: url }),
        externos: { type: 'string', minLength: 1 },
        secretos: object({ generar: yesOrNo, prefijo: text }),
        cola: object({ enPostgres: yesOrNo }),
        almacen: object({
          endpoint: url,
          publico: url,
          region: text,
          bucket: text,
          credencial: text,
          crearBucket: yesOrNo,
        }),
        autoridades: object({ configMap: text, pem: text }),
        captchas: object({ resolvedor: oneOf('personas', 'http', 'ninguno'), url, token: yesOrNo }),
        correo: object({ de: text }),
        proxies: text,
        ajustes: ajustes(apiConfig, panelConfig, workerConfig),
        drenaje: object({ segundos: { type: 'integer', minimum: 0, maximum: 300 }, cierre: count(1) }),
        api: proceso(apiConfig),
        panel: proceso(panelConfig),
        descargas: proceso(workerConfig, { vencidas: count(1) }),
        coordinador: fijo(workerConfig),
        ensambles: proceso(workerConfig, { vencidas: count(1) }),
        webhooks: proceso(workerConfig),
        operador: object({
          replicas: count(0),
          ajustes: ajustes(apiConfig, panelConfig, workerConfig, cliConfig),
          ...pod,
        }),
        migrar: object({ segundos: count(60), resources: pod.resources }),
        escala: object({
          hpa: yesOrNo,
          keda: object({ enabled: yesOrNo, prometheus: url, series: text, autenticacion: text }),
        }),
        interrupciones: object({ enabled: yesOrNo }),
        metricas: object({ anotaciones: yesOrNo, podMonitor: yesOrNo, alertas: yesOrNo, tablero: yesOrNo }),
        ingress: object({ enabled: yesOrNo, className: text, annotations: ofKubernetes, tls: text }),
        redes: object({
          enabled: yesOrNo,
          entrada: list(ofKubernetes),
          prometheus: list(ofKubernetes),
          dns: list(ofKubernetes),
          postgres: servidor,
          redis: servidor,
          trazas: servidor,
          almacen: servidor,
          kubernetes: servidor,
          correo: servidor,
          internet: object({ puertos: list(count(1)), excepto: list(text) }, ['puertos', 'excepto']),
        }),
        simulador: object({ enabled: yesOrNo, imagen: object(imagen), resources: pod.resources }),
        // What a chart that has this one as a part of it says to all parts.
        global: ofKubernetes,
      }),
    },
    null,
    2,
  )}\n`;
