import { esperaTrasConsulta } from './agenda.ts';
import { trasVacia } from './confirmar-vacia.ts';
import type { ContextoPaso, Paso } from './paso.ts';
import { dividir, periodoPedido } from './periodos.ts';

/** Seconds by which a period may be widened before the quota of its criteria counts as spent. */
const MAX_DESFASE = 6;

/**
 * Asks the SAT for a part. The intent is written before the call: after a crash with an unknown result the request is
 * sent once more, and the SAT's "equal request" then leads to another second.
 */
export async function pedirParte(context: ContextoPaso): Promise<Paso> {
  const { claims, sat, checkpoint, solicitud, parte, credencial, signal, agenda } = context;
  const { rfc, tipo } = solicitud;
  const { canal } = parte;
  const envios = parte.envios + 1;
  const claimed = await claims.save(solicitud, {
    partes: [{ parteId: parte.id, estado: 'SOLICITANDO', envios }],
  });
  await checkpoint('tras-intencion', solicitud.id);

  const periodo = periodoPedido({
    canal,
    periodo: parte.periodo,
    desfase: parte.desfase,
    ahora: claimed.now,
  });
  const respuesta = await sat.send({ consulta: 'solicitar-metadata', rfc, tipo, periodo }, credencial, {
    signal,
    cuentaId: solicitud.cuentaId,
  });
  await checkpoint('tras-solicitar', solicitud.id);

  const parteId = parte.id;
  switch (respuesta.resultado) {
    case 'ACEPTADA': {
      const inSeconds = esperaTrasConsulta(agenda, { ...solicitud, canal, consultas: 0 });
      return {
        avance: {
          consultado: true,
          partes: [
            {
              parteId,
              estado: 'SOLICITADA',
              folio: respuesta.folio,
              consultas: 0,
              fallos: 0,
              dueInSeconds: inSeconds,
            },
          ],
          eventos: [{ tipo: 'SOLICITADA', codigo: respuesta.folio, detalle: `${periodo.inicio}/${periodo.fin}` }],
        },
        inSeconds,
      };
    }
    case 'VACIA':
      return trasVacia(context, { tipo: 'SIN_CFDI', detalle: `${periodo.inicio}/${periodo.fin}` });
    case 'DEMASIADOS':
      return partir(context);
    case 'REPETIDA':
      if (parte.desfase >= MAX_DESFASE)
        return { fin: { estado: 'ERROR', motivo: 'SOLICITUDES_AGOTADAS', codigo: respuesta.codigo } };
      return {
        avance: {
          consultado: true,
          partes: [{ parteId, estado: 'PENDIENTE', desfase: parte.desfase + 1, fallos: 0, dueInSeconds: 0 }],
          eventos: [{ tipo: 'REPETIDA', codigo: respuesta.codigo, detalle: respuesta.mensaje }],
        },
        inSeconds: 0,
      };
    case 'RECHAZADA':
      return { fin: { estado: 'RECHAZADA', motivo: 'SAT_RECHAZO_LA_SOLICITUD', codigo: respuesta.codigo } };
  }
}

/** Puts smaller periods in the place of one that has more rows than the SAT gives. */
export function partir({ solicitud, parte }: ContextoPaso): Paso {
  const { canal, vacias } = parte;
  const periodos = dividir({ ...solicitud, canal, periodo: parte.periodo });
  if (!periodos) return { fin: { estado: 'ERROR', motivo: 'DEMASIADOS_CFDI_POR_SEGUNDO', codigo: '5003' } };
  return {
    avance: {
      consultado: true,
      nuevas: { reemplaza: parte.id, periodos, canal, vacias },
      eventos: [{ tipo: 'DIVIDIDA', codigo: '5003', detalle: `${parte.periodo.inicio}/${parte.periodo.fin}` }],
    },
    inSeconds: 0,
  };
}
