import type { LecturasDia } from '@acuse/db';
import { Estado, Fecha, numeric, Paginacion, Tabla, Vacio } from '@acuse/page/blocks';
import { addDias, diaDe, startOfDia } from '@acuse/page/dia-mexico';
import { hrefWith } from '@acuse/page/form';
import { count, formatNumero } from '@acuse/page/formato';
import type { FiltroLeido } from './filtro.ts';

const PATH = '/solicitudes';
/** Days of a page. */
const DIAS = 25;

type Valores = FiltroLeido['valores'];

/** Whether the filters ask for readings by day: their one day opens to the readings themselves. */
export const isByDay = ({ origen, creada_desde, creada_hasta }: Valores) =>
  origen === 'lecturas' && (creada_desde === undefined || creada_desde !== creada_hasta);

/** First and last day of a page of readings, and its instants. */
export function daysOf({ creada_hasta = '' }: Valores, now: Date) {
  const until = startOfDia(creada_hasta) === null ? diaDe(now) : creada_hasta;
  const from = addDias(until, 1 - DIAS);
  return { from, until, desde: startOfDia(from) ?? now, hasta: startOfDia(addDias(until, 1)) ?? now };
}

interface LecturasProps {
  readonly dias: readonly LecturasDia[];
  readonly valores: Valores;
  readonly now: Date;
}

/** Readings of subscriptions, one line a day. */
export function Lecturas({ dias, valores, now }: LecturasProps) {
  const { from, until } = daysOf(valores, now);
  return (
    <>
      <Tabla
        titulo="Lecturas automáticas por día, del más reciente al más antiguo"
        tituloOculto
        columnas={[
          'Día',
          { titulo: 'Estado', phone: 'value' },
          numeric('RFC'),
          numeric('CFDI en los ZIP'),
          numeric('Lecturas', { phone: 'end' }),
        ]}
        filas={dias.map(({ dia, lecturas, rfcs, registros, abiertas, fallidas }) => [
          <a href={hrefWith(PATH, { ...valores, creada_desde: dia, creada_hasta: dia })}>
            <Fecha value={new Date(dia)} formato="calendario" />
          </a>,
          fallidas > 0 ? (
            <Estado texto={count(fallidas, 'falló', 'fallaron')} tono="error" />
          ) : abiertas > 0 ? (
            <Estado texto={`${formatNumero(abiertas)} en proceso`} tono="info" />
          ) : (
            <Estado value="TERMINADA" texto="Terminadas" />
          ),
          formatNumero(rfcs),
          formatNumero(registros ?? 0),
          formatNumero(lecturas),
        ])}
        vacia={
          <Vacio titulo="Sin lecturas en estos días">
            Aquí se ve, día por día, lo que Acuse leyó de los RFC que se mantienen al día.
          </Vacio>
        }
      />
      <Paginacion
        anterior={valores.creada_hasta === undefined ? null : hrefWith(PATH, { ...valores, creada_hasta: undefined })}
        siguiente={
          dias.length === 0
            ? null
            : hrefWith(PATH, { ...valores, creada_desde: undefined, creada_hasta: addDias(from, -1) })
        }
        resumen={`Hasta el ${until}`}
      />
    </>
  );
}
