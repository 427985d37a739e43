import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the script of the page with HPKE, so that browsers ask no other host. */
await build({
  entryPoints: [fileURLToPath(new URL('src/web/conectar.js', import.meta.url))],
  outfile: fileURLToPath(new URL('src/generated/conectar.js', import.meta.url)),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'eof',
});
