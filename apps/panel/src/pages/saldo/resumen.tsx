import { createLibro, createUso, type TotalMes } from '@acuse/db';
import { Grafica, Permitido } from '@acuse/page';
import { Aviso, numeric, Tabla, Tarjeta, Vacio } from '@acuse/page/blocks';
import { addDias, diaDe } from '@acuse/page/dia-mexico';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { formatCreditos, formatNumero } from '@acuse/page/formato';
import { LECTURAS, nombreOperacion } from '../../operaciones.ts';
import { type ContextoCliente, routesFor } from '../../paginas.ts';
import { cellsOf, columnasMovimiento } from './movimiento.tsx';
import { chartOf, totalsOf } from './uso-por-operacion.ts';

const PERIODOS = [7, 30, 90] as const;
const RECIENTES = 5;
const DIAS_DE_MESES = 365;
const MAX_UMBRAL = 100_000_000;

export const balancePage = routesFor('saldo');

/** Balance, usage and what waits, at a glance. */
balancePage.get('/saldo', renderResumen);

async function renderResumen(contexto: ContextoCliente, falta?: string): Promise<Response> {
  const { c, campos, deps, usuario, now, pagina, noEncontrada } = contexto;
  const { cuentaId } = usuario;
  const dias = PERIODOS.find((periodo) => String(periodo) === c.req.query('dias')) ?? 30;
  const hasta = diaDe(now);
  const desde = addDias(hasta, 1 - dias);
  const libro = createLibro(deps.database);
  const uso = createUso(deps.database);
  const [cuenta, usos, meses, recientes] = await Promise.all([
    libro.summary(cuentaId),
    uso.byDay({ cuentaId, desde, hasta }),
    uso.byMonth({ cuentaId, desde: addDias(hasta, -DIAS_DE_MESES) }),
    libro.page({ cuentaId, filtro: { salvo: LECTURAS }, limite: RECIENTES }),
  ]);
  if (!cuenta) return noEncontrada();
  const umbral = cuenta.umbral ?? deps.settings.saldoAviso;
  const grafica = chartOf(usos, desde, hasta);
  return pagina(
    'Saldo',
    <>
      <PocoSaldo saldo={cuenta.saldo} umbral={umbral} />
      {cuenta.pendientes > 0 ? (
        <Aviso tono="info">
          {cuenta.pendientes === 1 ? 'Hay una compra pendiente.' : `Hay ${cuenta.pendientes} compras pendientes.`}{' '}
          <Permitido ver="compras">
            <a href="/saldo/compras">Ver compras</a>
          </Permitido>
        </Aviso>
      ) : null}
      <Tarjeta
        titulo="Créditos disponibles"
        accion={
          <Permitido ver="compras">
            <a href="/saldo/compras">Compras</a>
          </Permitido>
        }
      >
        <p class="cifra">{formatNumero(cuenta.saldo)}</p>
        <p class="suave">
          Cada operación cuesta 0 o 1 crédito y se cobra al pedirla. Si el SAT no contesta, el crédito regresa solo.
        </p>
      </Tarjeta>
      <Tarjeta titulo="Uso por día y operación" accion={<Periodos elegido={dias} />}>
        {usos.length === 0 ? (
          <Vacio
            titulo="Sin llamadas cobradas en este periodo"
            accion={{ href: '/pruebas', texto: 'Probar una operación', cambiar: 'pruebas' }}
          >
            En cuanto su sistema llame a la API, aquí verá cuánto usa cada día.
          </Vacio>
        ) : (
          <>
            <Grafica
              titulo={`Créditos cobrados, últimos ${dias} días`}
              unidad="créditos"
              series={grafica.series.map(nombreOperacion)}
              puntos={grafica.puntos}
            />
            <Tabla
              titulo={`Por operación, últimos ${dias} días`}
              columnas={[
                'Operación',
                numeric('Llamadas cobradas'),
                numeric('Cobrados', { phone: 'none' }),
                numeric('Reembolsados'),
                numeric('Gasto'),
              ]}
              filas={totalsOf(usos).map(({ operacion, llamadas, cargados, reembolsados }) => [
                <span title={operacion}>{nombreOperacion(operacion)}</span>,
                formatNumero(llamadas),
                formatNumero(cargados),
                formatNumero(reembolsados),
                formatNumero(cargados - reembolsados),
              ])}
            />
          </>
        )}
      </Tarjeta>
      <Meses meses={meses} />
      <Tarjeta titulo="Últimos movimientos" accion={<a href="/saldo/movimientos">Ver todos</a>}>
        <Tabla
          titulo="Últimos movimientos"
          tituloOculto
          columnas={columnasMovimiento()}
          filas={recientes.map(cellsOf)}
          vacia={
            <Vacio
              titulo="Todavía no hay movimientos"
              accion={{ href: '/saldo/comprar', texto: 'Comprar créditos', cambiar: 'compras' }}
            />
          }
        />
      </Tarjeta>
      <Permitido cambiar="saldo">
        <Tarjeta titulo="Aviso de poco saldo" id="aviso">
          <Formulario accion="/saldo/aviso" enLinea>
            <Campo
              nombre="umbral"
              label="Avisar cuando queden menos créditos que"
              tipo="number"
              value={campos['umbral'] ?? String(umbral)}
              minimo={0}
              maximo={MAX_UMBRAL}
              requerido
              teclado="numeric"
              ayuda="Con 0 no se avisa."
              error={falta}
            />
            <Boton variante="secundario">Guardar</Boton>
          </Formulario>
        </Tarjeta>
      </Permitido>
    </>,
    {
      accion: (
        <Permitido cambiar="compras">
          <Boton href="/saldo/comprar">Comprar créditos</Boton>
        </Permitido>
      ),
      status: falta === undefined ? 200 : 422,
    },
  );
}

function Periodos({ elegido }: { readonly elegido: number }) {
  return (
    <nav class="fila" aria-label="Periodo de la gráfica">
      {PERIODOS.map((dias) =>
        dias === elegido ? (
          <strong aria-current="true">{dias} días</strong>
        ) : (
          <a href={`/saldo?dias=${dias}`}>{dias} días</a>
        ),
      )}
    </nav>
  );
}

const MES = new Intl.DateTimeFormat('es-MX', { timeZone: 'UTC', month: 'long', year: 'numeric' });

const CUENTAS_MES = [
  ['Comprados', 'compras', undefined],
  ['Llamadas cobradas', 'llamadas', 'none'],
  ['Cobrados', 'cargos', 'value'],
  ['Reembolsados', 'reembolsos', 'end'],
  ['Ajustes', 'ajustes', 'none'],
] as const;

function Meses({ meses }: { readonly meses: readonly TotalMes[] }) {
  if (meses.length === 0) return null;
  return (
    <Tarjeta titulo="Totales por mes">
      <Tabla
        titulo="Créditos por mes"
        tituloOculto
        columnas={['Mes', ...CUENTAS_MES.map(([titulo, , phone]) => numeric(titulo, { phone }))]}
        filas={meses.map((total) => [
          MES.format(new Date(`${total.mes}-01T00:00:00Z`)),
          ...CUENTAS_MES.map(([, cuenta]) => formatNumero(total[cuenta])),
        ])}
      />
    </Tarjeta>
  );
}

/** Sets below how many credits the account wants to be told. */
balancePage.post('/saldo/aviso', async (contexto) => {
  const { deps, usuario, campos, redirectTo } = contexto;
  const texto = campos['umbral']?.trim() ?? '';
  const umbral = Number(texto);
  if (!/^\d{1,9}$/.test(texto) || umbral > MAX_UMBRAL)
    return renderResumen(contexto, `Escriba un número entero de 0 a ${formatNumero(MAX_UMBRAL)}.`);
  await createLibro(deps.database).setUmbral({ cuentaId: usuario.cuentaId, umbral, ...contexto.autor });
  return redirectTo('/saldo#aviso', {
    tono: 'exito',
    texto: umbral === 0 ? 'Ya no se avisará de poco saldo.' : 'El aviso de poco saldo quedó guardado.',
  });
});

interface PocoSaldoProps {
  readonly saldo: number;
  /** Credits below which a notice is sent; 0: never. */
  readonly umbral: number;
}

/** Tells that few credits are left, or none; nothing while there are enough. */
export function PocoSaldo({ saldo, umbral }: PocoSaldoProps) {
  if (saldo === 0)
    return (
      <Aviso tono="error" titulo="No quedan créditos">
        Las llamadas con costo contestan 1004 hasta que{' '}
        <Permitido cambiar="compras" otherwise="un propietario de la cuenta compre créditos">
          <a href="/saldo/comprar">compre créditos</a>
        </Permitido>
        . Lo que ya está en proceso sigue: se cobró al pedirlo.
      </Aviso>
    );
  if (saldo >= umbral) return null;
  return (
    <Aviso tono="alerta" titulo={`${saldo === 1 ? 'Queda' : 'Quedan'} ${formatCreditos(saldo)}`}>
      Sin créditos, las llamadas con costo contestan 1004.{' '}
      <Permitido cambiar="compras" otherwise="Pida a un propietario de la cuenta que compre antes de que se terminen.">
        <a href="/saldo/comprar">Compre créditos</a> antes de que se terminen.
      </Permitido>
    </Aviso>
  );
}
