import { createLibro, isUuid } from '@acuse/db';
import { formatCreditos } from '../../../components/formato.ts';
import { quien } from '../../../http/quien.ts';
import { MAX_CREDITOS, MAX_MOTIVO } from './formularios.tsx';
import { renderCuenta } from './pagina.tsx';
import { defineRutaCuenta, hrefCuenta } from './ruta-cuenta.ts';

/** Corrects a balance, up or down, with a reason. The id in the form makes the same form sent twice one adjustment. */
export const ajustar = defineRutaCuenta({
  metodo: 'POST',
  sub: '/ajuste',
  async handle(contexto, found) {
    const { campos, deps, redirigir } = contexto;
    const cuentaId = found.cuenta.id;
    const opId = campos['ajuste'] ?? '';
    // People write the minus that formatted amounts show, too.
    const texto = (campos['creditos'] ?? '').trim().replace('−', '-');
    const creditos = Number(texto);
    const motivo = (campos['motivo'] ?? '').trim();
    const faltas: Record<string, string> = {};
    if (!/^[+-]?\d+$/.test(texto) || creditos === 0 || Math.abs(creditos) > MAX_CREDITOS)
      faltas['ajuste.creditos'] = 'Escriba un número entero distinto de 0, de −1,000,000 a 1,000,000.';
    if (motivo === '' || motivo.length > MAX_MOTIVO)
      faltas['ajuste.motivo'] = `Escriba por qué, en hasta ${MAX_MOTIVO} caracteres: el cliente lo lee en su libro.`;
    if (Object.keys(faltas).length > 0 || !isUuid(opId)) return renderCuenta(contexto, found, faltas, 422);

    const ajuste = await createLibro(deps.database).ajustar({
      ...{ cuentaId, opId, creditos, motivo },
      ...quien(contexto),
    });
    if (ajuste.resultado === 'CUENTA_DESCONOCIDA') return contexto.noEncontrada();
    if (!('saldo' in ajuste))
      return renderCuenta(contexto, found, {
        'ajuste.creditos': `El saldo es de ${formatCreditos(found.cuenta.saldo)} y no puede quedar por debajo de cero.`,
      });
    return redirigir(hrefCuenta(cuentaId), {
      tono: ajuste.resultado === 'AJUSTADO' ? 'exito' : 'info',
      texto:
        ajuste.resultado === 'AJUSTADO'
          ? `El saldo quedó en ${formatCreditos(ajuste.saldo)}.`
          : `Ese ajuste ya estaba hecho: no se repitió. El saldo es de ${formatCreditos(ajuste.saldo)}.`,
    });
  },
});
