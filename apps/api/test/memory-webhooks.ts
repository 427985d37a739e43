import { randomUUID } from 'node:crypto';
import { type AlcanceWebhooks, type EntregaVista, MAX_PRUEBAS, type WebhookVista } from '@acuse/webhooks/db';
import type { FeaturePorts } from './memory-ports.ts';
import type { MemoryStore, Plain, StoredWebhook } from './memory-store.ts';

/** The port of webhooks over a store in memory. */
export function memoryWebhooks(store: MemoryStore): Plain<Pick<FeaturePorts, 'webhooks'>>['webhooks'] {
  const isOwn = (stored: StoredWebhook, { cuentaId, rfc }: AlcanceWebhooks) =>
    stored.cuentaId === cuentaId && (rfc === undefined || stored.vista.rfcs.join() === rfc);
  const own = (alcance: AlcanceWebhooks, id: string) => {
    const stored = store.webhooks.get(id);
    return stored !== undefined && isOwn(stored, alcance) ? stored : null;
  };
  const same = (cuentaId: string, { url, rfcs }: Pick<WebhookVista, 'url' | 'rfcs'>, otherThan: string) =>
    [...store.webhooks.values()].find(
      ({ vista, cuentaId: de }) =>
        de === cuentaId && vista.url === url && vista.rfcs.join() === rfcs.join() && vista.id !== otherThan,
    )?.vista.id;
  const entregaOf = (alcance: AlcanceWebhooks, id: string) => {
    const entrega = store.entregas.get(id);
    return entrega !== undefined && own(alcance, entrega.webhookId) !== null ? entrega : null;
  };
  return {
    list: (alcance) => [...store.webhooks.values()].filter((each) => isOwn(each, alcance)).map(({ vista }) => vista),
    find: (alcance, id) => own(alcance, id)?.vista ?? null,
    create({ id, cuentaId, url, descripcion, eventos, rfcs, secreto }) {
      if ([...store.webhooks.values()].filter((each) => each.cuentaId === cuentaId).length >= 20)
        return 'WEBHOOKS_DEMASIADOS';
      const igual = same(cuentaId, { url, rfcs }, id);
      if (igual !== undefined) return { igual };
      const off = { motivo: null, apagadoEn: null, fallandoDesde: null, secretosAnteriores: [], pendientes: 0 };
      const vista: WebhookVista = {
        id,
        url,
        descripcion,
        eventos,
        rfcs,
        estado: 'ACTIVO',
        creadoEn: store.now,
        ...off,
      };
      store.webhooks.set(id, { vista, cuentaId, secretos: [secreto] });
      return 'CREADO';
    },
    update(alcance, id, { actor: _, ip: __, ...cambios }) {
      const stored = own(alcance, id);
      if (stored === null) return null;
      const igual = same(stored.cuentaId, { ...stored.vista, ...cambios }, id);
      if (igual !== undefined) return { igual };
      const isOff = (cambios.estado ?? stored.vista.estado) === 'APAGADO';
      const off = isOff ? ({ motivo: 'USUARIO', apagadoEn: store.now } as const) : { motivo: null, apagadoEn: null };
      stored.vista = { ...stored.vista, ...cambios, ...off };
      return 'CAMBIADO';
    },
    remove: (alcance, id) => own(alcance, id) !== null && store.webhooks.delete(id),
    rotate(alcance, id, { secreto, vigenciaSegundos }) {
      const stored = own(alcance, id);
      if (stored === null) return null;
      const antes = stored.vista.secretosAnteriores;
      if (vigenciaSegundos > 0 && antes.length >= 3) return 'SECRETOS_DEMASIADOS';
      const fin = new Date(store.now.getTime() + vigenciaSegundos * 1_000);
      stored.secretos.unshift(secreto);
      stored.vista = { ...stored.vista, secretosAnteriores: vigenciaSegundos > 0 ? [...antes, fin] : [] };
      return fin;
    },
    entregas: (alcance, id, { antesDe = Number.POSITIVE_INFINITY, estado, limite }) =>
      [...store.entregas.values()]
        .filter((each) => each.webhookId === id && own(alcance, id) !== null)
        .filter((each) => each.secuencia < antesDe && (estado === undefined || each.estado === estado))
        .sort((a, b) => b.secuencia - a.secuencia)
        .slice(0, limite),
    entrega(alcance, id) {
      const entrega = entregaOf(alcance, id);
      return entrega && { ...entrega, hechos: [] };
    },
    resend(alcance, id) {
      const entrega = entregaOf(alcance, id);
      if (entrega === null || own(alcance, entrega.webhookId)?.vista.estado !== 'ACTIVO') return false;
      store.entregas.set(id, { ...entrega, estado: 'PENDIENTE', terminadaEn: null, proximoIntento: store.now });
      return true;
    },
    ping(alcance, id, { tipo } = { tipo: 'prueba' as const, datos: {} }) {
      if (own(alcance, id)?.vista.estado !== 'ACTIVO') return null;
      if ([...store.entregas.values()].filter((each) => each.webhookId === id).length >= MAX_PRUEBAS)
        return 'PRUEBAS_DEMASIADAS';
      const entrega: EntregaVista = {
        ...{ id: randomUUID(), webhookId: id, eventoId: `evt_${randomUUID()}`, secuencia: store.entregas.size + 1 },
        ...{ tipo, rfc: null, estado: 'PENDIENTE', intentos: 0, cuerpo: null, ultimo: null },
        ...{ proximoIntento: store.now, creadaEn: store.now, terminadaEn: null },
      };
      store.entregas.set(entrega.id, entrega);
      return { entrega: entrega.id };
    },
  };
}
