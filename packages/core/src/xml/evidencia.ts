import type { Consulta, CredencialDe, NombrePaso, Respuesta } from '../ports/sat.ts';
import type { ContextoPaso } from '../solicitud/parte.ts';

/**
 * Asks the SAT. Of a solicitud with XML it keeps what the SAT answered, for the evidence of the package; an answer that
 * the SAT is not ready says nothing.
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
    // An answer that may not be kept does not keep the solicitud waiting.
    if (!(error instanceof TypeError)) throw error;
  });
  return respuesta;
}
