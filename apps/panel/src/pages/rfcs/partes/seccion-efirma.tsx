import type { RfcVista } from '@acuse/db';
import { Boton } from '../../../components/boton.tsx';
import { Campo } from '../../../components/campo.tsx';
import { Estado } from '../../../components/estado.tsx';
import { Fecha } from '../../../components/fecha.tsx';
import { Formulario } from '../../../components/formulario.tsx';
import { Tarjeta } from '../../../components/tarjeta.tsx';
import type { Reparos } from '../credenciales.tsx';
import { estadoCer, estadoEfirma, estadoLlaveEfirma, isLlaveUtil } from '../reglas/estado-credenciales.ts';
import { hrefRfc } from '../reglas/ruta-rfc.ts';
import { CampoLlave } from './campo-llave.tsx';

interface SeccionEfirmaProps {
  readonly rfc: RfcVista;
  readonly csrf: string;
  readonly now: Date;
  readonly reparos: Reparos;
  readonly isRecordada: boolean;
}

/** The state of the e.firma, what its certificate says, and the form that stores it. */
export function SeccionEfirma({ rfc, csrf, now, reparos, isRecordada }: SeccionEfirmaProps) {
  const { cer, efirmaKey } = rfc;
  return (
    <Tarjeta titulo="e.firma" accion={<Estado {...estadoEfirma(rfc, now)} />}>
      {cer ? (
        <dl class="datos">
          <dt>Certificado</dt>
          <dd>
            <Estado {...estadoCer(rfc, now)} />
          </dd>
          <dt>Número de serie</dt>
          <dd>
            <code>{cer.noSerie}</code>
          </dd>
          <dt>Titular</dt>
          <dd>{cer.titular}</dd>
          <dt>Vence</dt>
          <dd>
            <Fecha valor={cer.vigenteHasta} />
          </dd>
          <dt>Llave privada</dt>
          <dd>
            <Estado {...estadoLlaveEfirma(rfc)} />
            {efirmaKey && isLlaveUtil(rfc) ? (
              <>
                {' '}
                Se borra <Fecha valor={efirmaKey.expiraEn} relativaA={now} />
              </>
            ) : null}
          </dd>
        </dl>
      ) : null}
      <Formulario
        accion={hrefRfc(rfc.rfc, '/credenciales/efirma')}
        csrf={csrf}
        archivos
        descripcion="Guardar la e.firma"
      >
        <div class="pila" data-soltar>
          <Campo
            nombre="cer"
            id="efirma-cer"
            etiqueta="Certificado (.cer)"
            tipo="file"
            acepta=".cer"
            error={reparos['cer']}
            ayuda={
              cer
                ? 'Solo si cambió. Otro certificado borra la llave privada guardada.'
                : 'Debe ser de la e.firma del RFC, vigente; no el de un sello digital (CSD).'
            }
          />
          <Campo
            nombre="key"
            id="efirma-key"
            etiqueta="Llave privada (.key)"
            tipo="file"
            acepta=".key"
            error={reparos['key']}
            ayuda="Se guarda cifrada y se borra sola a la hora."
          />
          <p class="suave chica" role="status" data-soltar-aviso>
            También puede arrastrar cada archivo a su campo.
          </p>
        </div>
        <Campo
          nombre="password"
          id="efirma-password"
          etiqueta="Contraseña de la llave privada"
          tipo="password"
          error={reparos['password']}
          ayuda="Solo con el .key. No se guarda."
          literal
          autocompletar="off"
          maxLargo={256}
        />
        <CampoLlave id="efirma-llave" rfc={rfc} error={reparos['api_key']} isRecordada={isRecordada} />
        <div>
          <Boton>Guardar la e.firma</Boton>
        </div>
      </Formulario>
    </Tarjeta>
  );
}
