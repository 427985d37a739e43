import { esperaTrasConsulta } from './agenda.ts';
import { trasVacia } from './confirmar-vacia.ts';
import { type ContextoPaso, type Paso, pedirDeNuevo } from './paso.ts';
import { partir } from './pedir-parte.ts';
import { periodoPedido } from './periodos.ts';

/** Looks whether the SAT has a part ready. */
export async function verificarParte(context: ContextoPaso): Promise<Paso> {
  const { sat, checkpoint, solicitud, parte, credencial, signal, agenda } = context;
  const { rfc, tipo, now } = solicitud;
  const { canal } = parte;
  const parteId = parte.id;
  const periodo = periodoPedido({ canal, periodo: parte.periodo, desfase: parte.desfase, ahora: now });
  const respuesta = await sat.send(
    { consulta: 'verificar-metadata', rfc, tipo, periodo, folio: parte.folio ?? '' },
    credencial,
    { signal, cuentaId: solicitud.cuentaId },
  );
  await checkpoint('tras-verificar', solicitud.id);

  const consultas = parte.consultas + 1;
  switch (respuesta.resultado) {
    case 'EN_PROCESO': {
      const inSeconds = esperaTrasConsulta(agenda, { ...solicitud, canal, consultas });
      return {
        avance: {
          consultado: true,
          partes: [{ parteId, consultas, fallos: 0, dueInSeconds: inSeconds }],
          eventos: [{ tipo: 'SAT_EN_PROCESO' }],
        },
        inSeconds,
      };
    }
    case 'TERMINADA':
      return {
        avance: {
          consultado: true,
          partes: [
            {
              parteId,
              estado: 'DISPONIBLE',
              consultas,
              fallos: 0,
              registros: respuesta.registros,
              paquetes: respuesta.paquetes,
              dueInSeconds: 0,
            },
          ],
          eventos: [{ tipo: 'SAT_TERMINADA', detalle: String(respuesta.paquetes.length) }],
        },
        inSeconds: 0,
      };
    case 'VACIA':
      return trasVacia(context, { tipo: 'SIN_CFDI', codigo: '5004' });
    case 'DEMASIADOS':
      return partir(context);
    default:
      return pedirDeNuevo(parte, {
        estado: respuesta.resultado === 'RECHAZADA' ? 'RECHAZADA' : 'ERROR',
        motivo: `SAT_${respuesta.resultado}`,
        codigo: respuesta.codigo,
        mensaje: respuesta.mensaje,
      });
  }
}
