#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Config, helpText, loadConfig, OptionError } from './config.ts';
import { describeDirecciones } from './direcciones.ts';
import { type EfirmaFiles, keepEfirma } from './efirmas.ts';
import { start } from './publico.ts';

/** Why a server may not listen, by the system's code, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'otro programa ya escucha ahí. Elija otro puerto con --puerto, o 0 para uno libre.',
  EACCES: 'el sistema no lo permite. Elija con --puerto uno mayor que 1023.',
  EADDRNOTAVAIL: 'esta máquina no tiene esa dirección. Elija otra con --host.',
  ENOTFOUND: 'no existe esa dirección. Elija otra con --host.',
};

try {
  const config = loadConfig(process.argv.slice(2));
  if (config.shows === 'help') process.stdout.write(`${helpText()}\n`);
  else if (config.shows === 'version')
    process.stdout.write(`${createRequire(import.meta.url)('../package.json').version}\n`);
  else await run(config);
} catch (error) {
  const isOption = error instanceof OptionError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n${isOption ? 'Las opciones, con --help.\n' : ''}`);
  process.exitCode = isOption ? 2 : 1;
}

async function run({ host, port: puerto, https, dataDir, efirmas, reloj, settings, json }: Config): Promise<void> {
  const simulador = await start({ host, puerto, https, datos: dataDir, reloj, ajustes: settings }).catch(
    (error: NodeJS.ErrnoException) => {
      const reason = REASONS[error.code ?? ''];
      throw reason ? new Error(`No se puede escuchar en ${host}, puerto ${puerto}: ${reason}`) : error;
    },
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      simulador.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
  const files: EfirmaFiles[] = [];
  for (const rfc of efirmas) files.push(await keepEfirma(simulador, rfc, dataDir ?? '.'));
  const { url, direcciones } = simulador;
  const ca = dataDir === undefined ? null : join(dataDir, 'ca.pem');
  const said = json
    ? JSON.stringify({ url, ...direcciones, ca, efirmas: files })
    : [
        `El simulador del SAT escucha en ${url}`,
        '',
        describeDirecciones(direcciones),
        '',
        `Autoridad de sus e.firmas${https ? ' y de su HTTPS' : ''}: ${ca ?? `${url}/control/ca.pem`}`,
        ...files.map(({ rfc, cer, key, password }) => `e.firma de ${rfc}: ${cer}, ${key}, contraseña ${password}`),
        'CIEC de cada contribuyente: Ciec y su RFC, en 16 caracteres (CiecEKU9003173C9)',
        ...(/^(localhost|::1|127\..*)$/.test(host)
          ? []
          : [`Atención: quien llegue a ${host} puede dar órdenes al simulador.`]),
        'Nada de lo que contesta tiene validez fiscal. Ctrl-C lo termina.',
      ].join('\n');
  process.stdout.write(`${said}\n`);
  process.send?.('ready', undefined, undefined, () => {});
}
