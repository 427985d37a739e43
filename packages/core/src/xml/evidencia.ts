import type { Consulta, CredencialDe, NombrePaso, Respuesta } from '../ports/sat.ts';
import type { ContextoPaso } from '../solicitud/parte.ts';

/**
 * Asks the SAT and stores its answer as evidence of a package with XML. "Not ready" is no evidence. Failures of storage
 * come out and the step is repeated, except after a request: its folio must be saved, or the SAT counts a second one.
 */
export async function sendAndKeep<N extends NombrePaso>(
  { sat, paquetes, solicitud, parte, signal }: ContextoPaso,
  consulta: Consulta<N> & { readonly consulta: N },
  credencial: CredencialDe<N>,
): Promise<Respuesta<N>> {
  const { id, cuentaId, contenido } = solicitud;
  const answers: string[] = [];
  const onAnswer = contenido === 'xml' ? (texto: string) => void answers.push(texto) : undefined;
  const respuesta = await sat.send(consulta, credencial, { signal, cuentaId, onAnswer });
  const texto = answers.at(-1);
  if (texto === undefined || respuesta.resultado === 'EN_PROCESO') return respuesta;
  const { periodo, desfase, reenvios, canal } = parte;
  const [inicio, fin] = [periodo.inicio, periodo.fin].map((end) => end.replaceAll(/[:-]/g, ''));
  const place = `${parte.contenido}-${inicio}-${fin}-${desfase}-${reenvios}`;
  const nombre = `${place}-${consulta.consulta}.${canal === 'soap' ? 'xml' : 'json'}`;
  await paquetes.saveEvidencia(id, nombre, Buffer.from(texto), signal).catch((error: unknown) => {
    // TypeError: bytes that no package may hold, today and at the next try.
    if (!(error instanceof TypeError) && consulta.consulta !== 'solicitar-metadata') throw error;
  });
  return respuesta;
}
