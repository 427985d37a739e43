import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';

export const CHART = fileURLToPath(new URL('../../ops/helm/acuse', import.meta.url));

/** Helm's own program, where the machine has it. */
export const HELM = spawnSync('helm', ['version', '--short']).status === 0 ? 'helm' : null;

const run = promisify(execFile);

export type Values = Readonly<Record<string, unknown>>;

/** An object of Kubernetes, as far as it is looked at. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>> & { readonly template?: { readonly spec: PodSpec } };
  readonly [name: string]: unknown;
}

/** What Helm makes of the chart with these values. Rejects with what Helm says. */
export async function render(values: Values): Promise<readonly Manifest[]> {
  const folder = await mkdtemp(join(tmpdir(), 'acuse-chart-'));
  try {
    const file = join(folder, 'values.yaml');
    await writeFile(file, stringify(values));
    const args = ['template', 'acuse', CHART, '--namespace', 'fiscal', '--values', file];
    const { stdout } = await run(HELM ?? 'helm', args, {
      maxBuffer: 50_000_000,
      env: { ...process.env, HOME: folder },
    });
    return parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly [name: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly automountServiceAccountToken?: boolean;
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
  readonly [name: string]: unknown;
}

/** The pods that the manifests make, by what they are for. */
export function podsOf(manifests: readonly Manifest[]): ReadonlyMap<string, PodSpec> {
  const components = manifests.flatMap(({ metadata, spec }) =>
    spec?.template?.spec === undefined
      ? []
      : [[metadata.labels?.['app.kubernetes.io/component'] ?? '', spec.template.spec] as const],
  );
  return new Map(components);
}

export const containersOf = ({ containers, initContainers = [] }: PodSpec): readonly Container[] => [
  ...initContainers,
  ...containers,
];
