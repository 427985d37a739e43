import { rfcField } from '@acuse/contract';
import { autorOf, instante, texto } from '@acuse/operation';
import { z } from 'zod';
import { DIAS, finalidadField, MINUTOS, prepareConexion, solicitanteField } from '../../../enlace.ts';
import { reparoColor, reparoLogo, reparoRegreso } from '../../../marca.ts';
import { conexionIdData } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

const entero = ({ min, max }: { readonly min: number; readonly max: number }) => {
  const error = `debe ser un número entero de ${min} a ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

const checked = (reparo: (value: string) => string | null) =>
  z.string({ error: 'debe ser un texto' }).superRefine((value, context) => {
    const message = reparo(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

export default defineOperation({
  summary: 'Pedir la CIEC al contribuyente por un enlace',
  description:
    'Da un enlace para el contribuyente del RFC. En esa página lee quién pide su CIEC, para qué y hasta cuándo; la teclea, su navegador la cierra con una llave de los workers, y Acuse la prueba en el SAT. Ni usted ni la API la ven. Desde entonces sirve como si la hubiera guardado con rfc-guardar, hasta que venza el permiso o se retire. El enlace se da una sola vez: envíelo solo al contribuyente. Un enlace nuevo termina el anterior que nadie ha usado. Avisa el evento conexion.completada.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      solicitante: solicitanteField.meta({
        description: 'Quién pide la CIEC: el nombre que el contribuyente conoce.',
        example: 'Contadores del Norte',
      }),
      finalidad: finalidadField.meta({ description: 'Para qué se pide.', example: 'Descargar sus CFDI cada mes' }),
      vence_minutos: entero(MINUTOS)
        .meta({
          description: `Minutos que sirve el enlace, de 30 a 10080 (7 días); ${MINUTOS.normal} si no se dice.`,
          example: MINUTOS.normal,
        })
        .optional(),
      dias: entero(DIAS)
        .meta({
          description: `Días del permiso, desde hoy; ${DIAS.normal} si no se dice. Después se borra la CIEC.`,
          example: DIAS.normal,
        })
        .optional(),
      regreso: checked(reparoRegreso)
        .max(500, { error: 'debe tener a lo más 500 caracteres' })
        .meta({
          description: 'Dirección https a la que la página ofrece volver al terminar.',
          example: 'https://erp.example.com/sat',
        })
        .optional(),
      logo: checked(reparoLogo)
        .max(44_000, { error: 'debe tener a lo más 32 KiB' })
        .meta({
          description: 'Logotipo: data:image/png, jpeg o webp en base64, de 32 KiB a lo más.',
          example: 'data:image/png;base64,iVBORw0KGgo=',
        })
        .optional(),
      color: checked(reparoColor)
        .meta({ description: 'Color de los botones, #rrggbb; el texto sobre él es blanco.', example: '#0b5394' })
        .optional(),
    })
    .meta({ id: 'PeticionCrearConexion' }),
  data: z
    .object({
      conexion_id: conexionIdData,
      enlace: texto(
        'El enlace para el contribuyente. Quien lo tenga puede usarlo.',
        'https://api.example.com/conectar#…',
      ),
      expira_en: instante('Hasta cuándo sirve el enlace.'),
      hasta: instante('Hasta cuándo será el permiso.'),
    })
    .meta({ id: 'ConexionCreada' }),
  errors: [],

  async handle(body, { deps, access, apiKey, ip, now }) {
    const { rfc, solicitante, finalidad, regreso = null, logo, color } = body;
    const { cuentaId, contribuyenteId } = access;
    const { nueva, enlace } = prepareConexion(
      {
        id: deps.newId(),
        cuentaId,
        contribuyenteId,
        rfc,
        solicitante,
        finalidad,
        regreso,
        modo: access.apiKey.modo,
        marca: { logo, color },
        minutos: body.vence_minutos ?? MINUTOS.normal,
        dias: body.dias ?? DIAS.normal,
      },
      { apiKey, sealer: deps.sealer, publicUrl: deps.publicUrl, now },
    );
    const expiraEn = await deps.conexiones.create(nueva, autorOf(access, ip));
    return {
      conexion_id: nueva.id,
      enlace,
      expira_en: expiraEn.toISOString(),
      hasta: nueva.hasta.toISOString(),
    };
  },
});
