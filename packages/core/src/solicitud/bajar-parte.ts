import type { CambioParte } from '../ports/solicitudes.ts';
import { type ContextoPaso, type Paso, pedirDeNuevo } from './paso.ts';
import { periodoPedido } from './periodos.ts';

/**
 * Copies one package of a part into our storage. The SAT gives a package only twice, so a copy left by a process that
 * died before noting it is found first, and storage is asked whether it is there before the SAT is.
 */
export async function bajarParte(context: ContextoPaso): Promise<Paso> {
  const { sat, paquetes, checkpoint, solicitud, parte, credencial, signal } = context;
  const next = parte.paquetes.find((paquete) => paquete.objectKey === null);
  if (!next) return stored(context, {});

  const origen = { solicitudId: solicitud.id, parteId: parte.id, paquete: next.paquete };
  const found = next.relecturas === 0 ? await paquetes.findSat(origen, signal) : null;
  if (found) return stored(context, { guardado: { paquete: next.paquete, ...found } });
  await paquetes.ping(signal);

  const { rfc, tipo, now } = solicitud;
  const { canal } = parte;
  const periodo = periodoPedido({ canal, periodo: parte.periodo, desfase: parte.desfase, ahora: now });
  const respuesta = await sat.send(
    { consulta: 'descargar-paquete', rfc, tipo, periodo, folio: parte.folio ?? '', paquete: next.paquete },
    credencial,
    { signal, cuentaId: solicitud.cuentaId },
  );
  if (respuesta.resultado === 'AGOTADO')
    return pedirDeNuevo(parte, {
      estado: 'ERROR',
      motivo: 'PAQUETE_SAT_AGOTADO',
      codigo: respuesta.codigo,
      mensaje: respuesta.mensaje,
    });
  const saved = await paquetes.saveSat(origen, respuesta.zip, signal);
  await checkpoint('tras-bajar', solicitud.id);
  return stored(context, { guardado: { paquete: next.paquete, ...saved } });
}

function stored({ parte }: ContextoPaso, cambio: Omit<CambioParte, 'parteId'>): Paso {
  const left = parte.paquetes.filter((p) => p.objectKey === null && p.paquete !== cambio.guardado?.paquete);
  const estado = left.length === 0 ? 'DESCARGADA' : 'DISPONIBLE';
  return {
    avance: {
      consultado: true,
      partes: [{ ...cambio, parteId: parte.id, estado, fallos: 0, dueInSeconds: 0 }],
      eventos: cambio.guardado ? [{ tipo: 'PAQUETE_GUARDADO', codigo: cambio.guardado.paquete }] : [],
    },
    inSeconds: 0,
  };
}
