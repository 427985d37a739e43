import { createLibro } from '@acuse/db';
import { formatCreditos } from '../../../components/formato.ts';
import { quien } from '../../../http/quien.ts';
import { MAX_CREDITOS } from './formularios.tsx';
import { renderCuenta } from './pagina.tsx';
import { defineRutaCuenta, hrefCuenta } from './ruta-cuenta.ts';

/** Gives credits that were paid for outside of the panel, once per reference. */
export const abonar = defineRutaCuenta({
  metodo: 'POST',
  sub: '/abono',
  async handle(contexto, found) {
    const { campos, deps, redirigir } = contexto;
    const cuentaId = found.cuenta.id;
    const creditos = Number(campos['creditos']);
    const referencia = (campos['referencia'] ?? '').trim();
    const detalle = (campos['detalle'] ?? '').trim() || 'abono del operador';
    const faltas: Record<string, string> = {};
    if (!/^\d+$/.test(campos['creditos'] ?? '') || creditos < 1 || creditos > MAX_CREDITOS)
      faltas['abono.creditos'] = 'Escriba un número entero de 1 a 1,000,000.';
    if (referencia === '' || referencia.length > 100)
      faltas['abono.referencia'] = 'Escriba la referencia del pago, de hasta 100 caracteres.';
    if (Object.keys(faltas).length > 0) return renderCuenta(contexto, found, faltas);

    const abono = await createLibro(deps.database).abonar({
      ...{ cuentaId, creditos, referencia, detalle: detalle.slice(0, 200) },
      ...quien(contexto),
    });
    if (abono.resultado === 'CUENTA_DESCONOCIDA') return contexto.noEncontrada();
    if (!('saldo' in abono))
      return renderCuenta(contexto, found, {
        'abono.referencia': 'Esa referencia ya se abonó, a otra cuenta o por otra cantidad. Revise el pago.',
      });
    return redirigir(hrefCuenta(cuentaId), {
      tono: abono.resultado === 'ABONADO' ? 'exito' : 'info',
      texto:
        abono.resultado === 'ABONADO'
          ? `Se abonaron ${formatCreditos(creditos)}. El saldo es de ${formatCreditos(abono.saldo)}.`
          : `Esa referencia ya estaba abonada: no se repitió. El saldo es de ${formatCreditos(abono.saldo)}.`,
    });
  },
});
