import { type Servers, startCpus } from './cpu.ts';
import { askFor, openService, peakBytes, waitForEnd } from './stack.ts';

/** RFC of the simulator with a million rows in May 2026: six days of them are about 200,000 CFDI. */
const MUCHOS = { rfc: 'MIL900215SI3', desde: '2026-05-01', hasta: '2026-05-06' };
const POCOS = { rfc: 'ACU200101DB1', desde: '2026-05-01', hasta: '2026-05-31' };
const AIM_BYTES = 300e6;

interface ConXml {
  readonly registros: number | null;
  readonly xml: {
    readonly esperados: number;
    readonly entregados: number;
    readonly faltantes: number;
    readonly por_motivo: Readonly<Record<string, number>>;
  } | null;
}

/**
 * 200,000 CFDI with their XML from the request to the ZIP, by e.firma, and the most memory that each process had. Throws
 * when the counts disagree or an XML is missing that the SAT gives: only cancelled received CFDI have none.
 */
export async function benchXml(servers: Servers, share: number): Promise<void> {
  const { rfc, desde, hasta } = share === 1 ? MUCHOS : POCOS;
  const service = await openService(servers);
  try {
    const call = await service.newCaller(rfc);
    const spent = await startCpus(service.processes);
    const started = performance.now();
    const id = await askFor(call, rfc, desde, hasta, 'csv', 'xml');
    const { registros, xml } = await waitForEnd<ConXml>(call, id);
    const seconds = (performance.now() - started) / 1_000;
    if (
      xml === null ||
      xml.esperados !== registros ||
      xml.entregados + xml.faltantes !== registros ||
      xml.entregados === 0 ||
      xml.faltantes !== (xml.por_motivo['CANCELADO_RECIBIDO'] ?? 0)
    )
      throw new Error(`${JSON.stringify(xml)} for ${registros} rows`);
    const cpu = (await spent()).map(({ name, ms }) => `${name} ${(ms / 1_000).toFixed(1)}`);
    const peaks = await Promise.all(
      service.programs.map(async ({ name, pid }) => `${name} ${((await peakBytes(pid)) / 1e6).toFixed(0)} MB`),
    );
    console.log(
      `xml: ${xml.entregados} XML and ${xml.faltantes} missing of ${registros} CFDI from request to ZIP in ${seconds.toFixed(1)} s | resident at most: ${peaks.join(', ')} (aim ${AIM_BYTES / 1e6})`,
    );
    console.log(`xml: seconds of processor: ${cpu.join(', ')}`);
  } finally {
    await service.close();
  }
}
