import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../architecture/sources.ts';
import type { Manifest } from './render.ts';

const FILE = join(ROOT, 'test/chart/rendered.generated.ts');

/** The module that describes the objects of an API, by the definitions that Kubernetes, KEDA and Prometheus Operator publish. */
export const moduleOf = ({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string => {
  const of = apiVersion.startsWith('keda.sh/')
    ? '@kubernetes-models/keda'
    : apiVersion.startsWith('monitoring.')
      ? '@kubernetes-models/prometheus-operator'
      : 'kubernetes-models';
  return `${of}/${apiVersion}/${kind}`;
};

/**
 * What TypeScript says of objects that have a field which their API does not know, or one of another kind: an object
 * written down may have no other fields than its type has.
 */
export function strangeFields(manifests: readonly Manifest[]): readonly string[] {
  const source = manifests
    .map((manifest, n) => {
      const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
      return `export const of${n}: ${type} = ${JSON.stringify(manifest)};\n`;
    })
    .join('');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === FILE ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2023) : getSourceFile.call(host, name, ...rest);
  host.fileExists = (name) => name === FILE || fileExists.call(host, name);
  host.readFile = (name) => (name === FILE ? source : readFile.call(host, name));
  const program = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
