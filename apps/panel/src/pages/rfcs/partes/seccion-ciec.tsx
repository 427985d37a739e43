import type { RfcVista } from '@acuse/db';
import type { CiecLength } from '@acuse/vault';
import { Aviso } from '../../../components/aviso.tsx';
import { Boton } from '../../../components/boton.tsx';
import { Campo } from '../../../components/campo.tsx';
import { Estado } from '../../../components/estado.tsx';
import { Fecha } from '../../../components/fecha.tsx';
import { Formulario } from '../../../components/formulario.tsx';
import { Tarjeta } from '../../../components/tarjeta.tsx';
import type { Reparos } from '../credenciales.tsx';
import { estadoCiec } from '../reglas/estado-credenciales.ts';
import { hrefRfc } from '../reglas/ruta-rfc.ts';
import { CampoLlave } from './campo-llave.tsx';

interface SeccionCiecProps {
  readonly rfc: RfcVista;
  readonly csrf: string;
  readonly reparos: Reparos;
  readonly isRecordada: boolean;
  readonly largo: CiecLength;
}

/** The state of the CIEC and the form that stores it. */
export function SeccionCiec({ rfc, csrf, reparos, isRecordada, largo }: SeccionCiecProps) {
  const { ciec } = rfc;
  const caracteres = largo.min === largo.max ? `${largo.max}` : `de ${largo.min} a ${largo.max}`;
  return (
    <Tarjeta titulo="CIEC" accion={<Estado {...estadoCiec(rfc)} />}>
      {ciec ? (
        <dl class="datos">
          <dt>Guardada</dt>
          <dd>
            <Fecha valor={ciec.creadaEn} />
          </dd>
          <dt>SAT</dt>
          <dd>
            {ciec.rechazadaEn ? (
              <>
                La rechazó el <Fecha valor={ciec.rechazadaEn} />
              </>
            ) : (
              'Sin rechazos'
            )}
          </dd>
        </dl>
      ) : null}
      {ciec?.rechazadaEn ? (
        <Aviso tono="error" titulo="No se volverá a intentar con esta">
          Cada intento fallido acerca al contribuyente a que el SAT bloquee su acceso. Verifique la contraseña en el
          portal del SAT y guárdela de nuevo.
        </Aviso>
      ) : null}
      <Formulario accion={hrefRfc(rfc.rfc, '/credenciales/ciec')} csrf={csrf} descripcion="Guardar la CIEC">
        <Campo
          nombre="ciec"
          id="ciec-ciec"
          etiqueta="Contraseña del SAT (CIEC)"
          tipo="password"
          error={reparos['ciec']}
          ayuda={`${caracteres} caracteres. Reemplaza a la anterior.`}
          requerido
          literal
          autocompletar="off"
          maxLargo={64}
        />
        <CampoLlave id="ciec-llave" rfc={rfc} error={reparos['api_key']} isRecordada={isRecordada} />
        <div>
          <Boton>Guardar la CIEC</Boton>
        </div>
      </Formulario>
    </Tarjeta>
  );
}
