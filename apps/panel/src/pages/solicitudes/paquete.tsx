import type { DetalleSolicitud } from '@acuse/db';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Copiar } from '../../components/copiar.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatBytes, formatNumero } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';

import { explain } from './textos/motivos.ts';

interface PaqueteProps {
  readonly solicitud: DetalleSolicitud;
  readonly csrf: string;
}

/** The ZIP of a finished solicitud, or that it is gone. */
export function Paquete({ solicitud, csrf }: PaqueteProps) {
  const { id, registros, confianza, bytes, sha256, paqueteBorradoEn } = solicitud;
  if (paqueteBorradoEn !== null)
    return (
      <Aviso tono="info" titulo="El ZIP ya se borró">
        <p>
          Cumplió su tiempo de conservación el <Fecha valor={paqueteBorradoEn} formato="dia" />. Si todavía lo necesita,{' '}
          <a href={`/solicitudes/nueva?como=${id}`}>pida el periodo otra vez</a>.
        </p>
      </Aviso>
    );
  return (
    <Tarjeta
      titulo="ZIP"
      accion={
        <Formulario accion={`/solicitudes/${id}/descargar`} csrf={csrf} enLinea>
          <Boton>Descargar ZIP</Boton>
        </Formulario>
      }
    >
      {registros === 0 ? (
        <p>
          {confianza === 'confirmado'
            ? 'El SAT no tiene CFDI de este periodo, y lo dijeron sus dos medios: el ZIP trae solo los encabezados.'
            : `${explain('VACIA_SIN_CONFIRMAR').causa} El ZIP trae solo los encabezados.`}
        </p>
      ) : null}
      <dl class="datos">
        <dt>CFDI</dt>
        <dd class="numero">{registros === null ? '—' : formatNumero(registros)}</dd>
        <dt>Tamaño</dt>
        <dd class="numero">{bytes === null ? '—' : formatBytes(bytes)}</dd>
        {sha256 === null ? null : (
          <>
            <dt>SHA-256</dt>
            <dd>
              <Copiar valor={sha256} etiqueta="SHA-256 del ZIP" />
            </dd>
          </>
        )}
        <dt>Contenido</dt>
        <dd>
          <code>metadata.csv</code> (una fila por CFDI), <code>originales/</code> (los archivos del SAT tal cual) y{' '}
          <code>manifest.json</code> (qué se pidió y con qué comprobar lo demás).
        </dd>
      </dl>
    </Tarjeta>
  );
}
