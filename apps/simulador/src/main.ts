import { loadConfig } from './config.ts';
import { startSimulador } from './start.ts';

const { host, port, dataDir, semilla } = loadConfig();
const simulador = await startSimulador({ host, port, dataDir, settings: { semilla } });
process.stdout.write(`El simulador del SAT escucha en ${simulador.url}\n`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    simulador.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
