import { type AjustesAvisos, certificados, type Database, type Destino, FIRST_ID, pagesOf } from '@acuse/db';

const CORREO: Destino = {
  aviso: 'correo_aviso',
  columna: 'usuario_id',
  // `correo_avisa` skips members without the right to it. A suspended account gets the notice later.
  ofTaxpayer: (
    tipo,
  ) => `SELECT m.usuario_id AS id, m.cuenta_id FROM miembro m JOIN usuario u ON u.id = m.usuario_id JOIN cuenta q ON q.id = m.cuenta_id
    WHERE m.cuenta_id = d.cuenta_id AND q.suspendida_en IS NULL AND u.correo_verificado_en IS NOT NULL AND '${tipo}' <> ALL (u.avisos_apagados)`,
  alive: 'SELECT DISTINCT destino AS id FROM candidata ORDER BY destino',
  tell: `correo_avisa(e.destino, e.cuenta_id, e.tipo, e.datos || jsonb_strip_nulls(jsonb_build_object('rfc', e.rfc)))`,
};

const CERTIFICADOS_CORREO = certificados(CORREO);

/** Mails people about certificates near their end, by the same rules. */
export function createAvisosCorreo({ pool }: Pick<Database, 'pool'>) {
  const { page } = pagesOf(pool);
  return {
    /** Looks at one page of certificates. True when there is more to tell at once. */
    async look(ajustes: Omit<AjustesAvisos, 'saldoAviso' | 'diasLlave'>): Promise<boolean> {
      const { diasAntes, ahora = null } = ajustes;
      const told = await page(CERTIFICADOS_CORREO, ajustes, (lugar) => [
        ...[lugar?.id ?? FIRST_ID, lugar?.en ?? null, ahora, diasAntes],
      ]);
      return told === 'MORE_TO_TELL';
    },
  };
}
