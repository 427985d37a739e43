import { createContribuyentes, createLlaves } from '@acuse/db';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { formatNumero } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import { quien } from '../../http/quien.ts';
import { Encabezado } from './partes/encabezado.tsx';
import { guardadas } from './reglas/estado-credenciales.ts';
import { defineRutaRfc, hrefRfc } from './reglas/ruta-rfc.ts';

const YA_NO = {
  tono: 'info',
  texto: 'Esa llave ya no estaba vigente: no se revocó nada.',
} as const;

/** What revoking would end, before it is done. */
export const verRevocar = defineRutaRfc({
  metodo: 'GET',
  sub: '/llave/revocar',
  async handle({ csrf, deps, pagina, redirigir, usuario }, rfc) {
    const { llave } = rfc;
    if (llave === null) return redirigir(hrefRfc(rfc.rfc, '/llave'), YA_NO);
    const { abiertas } = await createContribuyentes(deps.database).abiertas(usuario.cuentaId, llave.id);
    const cosas = guardadas(rfc);
    return pagina({
      titulo: `Revocar la API key de ${rfc.rfc}`,
      contenido: (
        <>
          <Encabezado rfc={rfc} parte="/llave" titulo={`Revocar la API key de ${rfc.rfc}`} />
          <Aviso tono="alerta" titulo="No se puede deshacer">
            <ul>
              <li>
                La llave que termina en <code>…{llave.ultimos4}</code> responde 1002 desde su siguiente llamada.
              </li>
              <li>
                {abiertas === 0
                  ? 'Ninguna solicitud está en curso con ella.'
                  : `${formatNumero(abiertas)} ${abiertas === 1 ? 'solicitud en curso termina' : 'solicitudes en curso terminan'} sin paquete y sus créditos se devuelven al saldo.`}
              </li>
              <li>
                {cosas.length === 0
                  ? 'No hay credenciales guardadas con ella.'
                  : `Se borra lo guardado con ella: ${cosas.join(', ')}.`}
              </li>
              <li>Los paquetes ya terminados se conservan y se pueden bajar desde el panel o con otra llave.</li>
            </ul>
          </Aviso>
          <Tarjeta>
            <p>
              Si lo que quiere es cambiarla, <a href={hrefRfc(rfc.rfc, '/llave')}>genere otra</a>: lo que está en curso
              sigue.
            </p>
            <Formulario accion={hrefRfc(rfc.rfc, '/llave/revocar')} csrf={csrf} descripcion="Revocar la llave">
              <input type="hidden" name="llave" value={llave.id} />
              <div class="fila">
                <Boton variante="peligro">Revocar la llave</Boton>
                <Boton variante="discreto" href={hrefRfc(rfc.rfc, '/llave')}>
                  Cancelar
                </Boton>
              </div>
            </Formulario>
          </Tarjeta>
        </>
      ),
    });
  },
});

/** Revokes the active key, if it is still the one that the page told about. */
export const revocar = defineRutaRfc({
  metodo: 'POST',
  sub: '/llave/revocar',
  async handle(contexto, rfc) {
    const { campos, deps, redirigir } = contexto;
    const href = hrefRfc(rfc.rfc, '/llave');
    if (rfc.llave === null || rfc.llave.id !== campos['llave']) return redirigir(href, YA_NO);
    const llave = { apiKeyId: rfc.llave.id, ...quien(contexto) };
    const terminadas = await createLlaves(deps.database).revoke(llave);
    const final =
      terminadas === 0
        ? 'No había solicitudes en curso.'
        : `${formatNumero(terminadas)} ${terminadas === 1 ? 'solicitud terminó' : 'solicitudes terminaron'} con reembolso.`;
    return redirigir(href, { tono: 'exito', texto: `La llave quedó revocada. ${final}` });
  },
});
