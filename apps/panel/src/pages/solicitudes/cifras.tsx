import { type CuentaPorEfecto, EFECTOS, type Efecto, type ResumenPaquete } from '@acuse/core';
import type { DetalleSolicitud } from '@acuse/db';
import { Grafica, MIN_BARRAS } from '@acuse/page';
import { ConNota, Estado, Fecha, numeric, Tabla, Tarjeta } from '@acuse/page/blocks';
import { mesCorto } from '@acuse/page/dia-mexico';
import { count, EFECTO_NAMES, formatImporte, formatNumero } from '@acuse/page/formato';
import { type Contenido, MAX_FILAS } from './leer-paquete.ts';

const NOMBRES: Readonly<Record<Efecto, string>> = { ...EFECTO_NAMES, otro: 'Otro' };

/** How the other side of a CFDI is called, and what its ingresos are to the taxpayer. */
const DE = {
  emitidos: { una: 'cliente', varias: 'Clientes', pesos: 'Ingresos vigentes' },
  recibidos: { una: 'proveedor', varias: 'Proveedores', pesos: 'Gastos vigentes' },
} as const;

/** `$1,032.40`, from centavos. */
const importe = (centavos: number): string => `$${formatImporte((centavos / 100).toFixed(2))}`;

interface CifrasProps {
  readonly solicitud: DetalleSolicitud;
  /** Null where the rows cannot be read here. */
  readonly contenido: Contenido | null;
}

/** What a package holds: its CFDI, pesos by kind, cancelled, the largest counterparties and its first rows. */
export function Cifras({ solicitud, contenido }: CifrasProps) {
  const { resumen, registros, tipo } = solicitud;
  if (resumen === null || !registros) return null;
  const sumas = contenido?.sumas ?? null;
  const de = DE[tipo === 'emitidos' ? 'emitidos' : 'recibidos'];
  return (
    <>
      <div class="rejilla cifras">
        <Cifra titulo="CFDI" value={formatNumero(registros)} />
        {sumas ? (
          <Cifra titulo={de.pesos} value={`$${formatNumero(Math.round((sumas.porEfecto.I?.vigentes ?? 0) / 100))}`} />
        ) : null}
        <Cifra titulo="Cancelados" value={formatNumero(resumen.cancelados)} />
        {sumas ? <Cifra titulo={de.varias} value={formatNumero(sumas.contrapartes.length + sumas.otras)} /> : null}
      </div>
      <PorTipo resumen={resumen} sumas={sumas} />
      {sumas ? <Contrapartes sumas={sumas} titulo={de.varias} /> : null}
      <PorMes resumen={resumen} />
      {contenido ? <Vista filas={contenido.vista} registros={registros} una={de.una} /> : null}
    </>
  );
}

function Cifra({ titulo, value }: { readonly titulo: string; readonly value: string }) {
  return (
    <Tarjeta titulo={titulo}>
      <p class="cifra numero">{value}</p>
    </Tarjeta>
  );
}

type Sumas = Contenido['sumas'];

function PorTipo({ resumen, sumas }: { readonly resumen: ResumenPaquete; readonly sumas: Sumas }) {
  const kinds = EFECTOS.filter((efecto) => (resumen.porEfecto[efecto] ?? 0) > 0);
  const pesos = (efecto: Efecto) => {
    const { vigentes = 0, cancelados = 0 } = sumas?.porEfecto[efecto] ?? {};
    return sumas ? [importe(vigentes), importe(cancelados)] : [];
  };
  return (
    <Tarjeta titulo="Por tipo de comprobante">
      <Tabla
        titulo="CFDI por tipo de comprobante"
        tituloOculto
        columnas={[
          'Tipo',
          numeric('CFDI'),
          ...(sumas ? [numeric('Vigentes', { phone: 'value' }), numeric('Cancelados')] : []),
        ]}
        filas={kinds.map((efecto) => [NOMBRES[efecto], formatNumero(resumen.porEfecto[efecto] ?? 0), ...pesos(efecto)])}
      />
      <p class="suave chica">
        {sumas
          ? 'Importes totales como los da el SAT, que no dice su moneda.'
          : `Los importes se suman de los ZIP en CSV de hasta ${formatNumero(MAX_FILAS)} CFDI.`}
      </p>
    </Tarjeta>
  );
}

function Contrapartes({ sumas, titulo }: { readonly sumas: NonNullable<Sumas>; readonly titulo: string }) {
  const { contrapartes, otras } = sumas;
  return (
    <Tarjeta titulo={otras > 0 ? `Principales ${titulo.toLowerCase()}` : titulo}>
      <Tabla
        titulo={`${titulo} por importe vigente`}
        tituloOculto
        columnas={['Nombre', numeric('CFDI'), numeric('Importe vigente')]}
        filas={contrapartes.map(({ rfc, nombre, cfdi, centavos }) => [
          <ConNota nota={rfc} literal>
            {nombre || rfc}
          </ConNota>,
          formatNumero(cfdi),
          importe(centavos),
        ])}
      />
      {otras > 0 ? <p class="suave chica">Y {count(otras, 'más', 'más')}.</p> : null}
    </Tarjeta>
  );
}

interface VistaProps {
  readonly filas: Contenido['vista'];
  readonly registros: number;
  readonly una: 'cliente' | 'proveedor';
}

function Vista({ filas, registros, una }: VistaProps) {
  return (
    <Tarjeta titulo="Vista previa">
      <details>
        <summary>
          {filas.length < registros
            ? `Los primeros ${filas.length} CFDI de ${formatNumero(registros)}`
            : 'Todos los CFDI del ZIP'}
        </summary>
        <Tabla
          titulo="Primeros CFDI del ZIP"
          tituloOculto
          columnas={[una === 'cliente' ? 'Cliente' : 'Proveedor', 'Fecha', 'Tipo', numeric('Importe'), 'Estado']}
          filas={filas.map(({ uuid, rfc, nombre, fecha, efecto, monto, isVigente }) => [
            <ConNota nota={rfc} literal>
              <span title={uuid}>{nombre || rfc}</span>
            </ConNota>,
            <Fecha value={new Date(`${fecha.slice(0, 10)}T00:00:00Z`)} formato="calendario" />,
            NOMBRES[efecto],
            monto === '' ? '—' : formatImporte(monto),
            <Estado texto={isVigente ? 'Vigente' : 'Cancelado'} tono={isVigente ? 'exito' : 'neutro'} />,
          ])}
        />
      </details>
    </Tarjeta>
  );
}

/** Kinds of the chart by month: four have a colour of their own, so the rarer ones share the last. */
const SERIES = ['Ingreso', 'Egreso', 'Pago', 'Traslado, nómina y otros'] as const;

function PorMes({ resumen }: { readonly resumen: ResumenPaquete }) {
  const months = Object.entries(resumen.porMes).sort(([a], [b]) => (a < b ? -1 : 1));
  if (months.length < MIN_BARRAS) return null;
  return (
    <Tarjeta titulo="Por mes">
      <Grafica
        titulo="CFDI por mes de emisión"
        series={SERIES}
        unidad="CFDI"
        puntos={months.map(([month, counts]) => ({ label: monthText(month), valores: seriesOf(counts) }))}
      />
    </Tarjeta>
  );
}

function seriesOf({ I = 0, E = 0, P = 0, T = 0, N = 0, otro = 0 }: CuentaPorEfecto): number[] {
  return [I, E, P, T + N + otro];
}

function monthText(month: string): string {
  const [year, number] = month.split('-');
  return number === undefined ? 'otros' : `${mesCorto(number)} ${year}`;
}
