import { routesFor } from '@acuse/page';
import { ConNota, Fecha, numeric, Tabla, Vacio } from '@acuse/page/blocks';
import { formatNumero } from '@acuse/page/formato';
import { type CorreoFallido, createCorreos } from '../db/index.ts';

const MAX_FALLIDOS = 25;

const MOTIVOS: Readonly<Record<CorreoFallido['motivo'], string>> = {
  RECHAZADO: 'El servidor lo rechazó para siempre',
  VENCIDO: 'Nadie lo tomó en su plazo',
};

export const mailsPage = routesFor('operador');

/** Mails that were given up: whom they were for did not learn of anything. */
mailsPage.get('/operador/correos', async ({ deps, now, pagina }) => {
  const { correo } = deps.settings;
  const fallidos = await createCorreos(deps.database).failures(MAX_FALLIDOS);
  return pagina(
    'Correos',
    <>
      <p class="suave">
        {correo === null
          ? 'Esta instalación no envía correo: falta CORREO_DE.'
          : `Salen de ${correo}, por un worker con el papel correo. Un intento fallido se repite durante un día.`}
      </p>
      <Tabla
        titulo="Correos que no llegaron a su servidor"
        columnas={['Para', 'De qué', 'Por qué', numeric('Intentos'), 'Se escribió', 'Se abandonó']}
        filas={fallidos.map((fallido) => [
          fallido.para,
          <code>{fallido.tipo}</code>,
          <ConNota nota={fallido.error}>{MOTIVOS[fallido.motivo]}</ConNota>,
          formatNumero(fallido.intentos),
          <Fecha value={fallido.creadoEn} relativaA={now} />,
          <Fecha value={fallido.terminadoEn} relativaA={now} />,
        ])}
        vacia={<Vacio titulo="Ningún correo se abandonó">Aquí aparecen los de los últimos meses.</Vacio>}
      />
    </>,
  );
});
