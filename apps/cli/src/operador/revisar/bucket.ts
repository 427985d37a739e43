import { type Finding, fault, orFine, warning } from '@acuse/roles/finding';
import { explain } from '@acuse/runtime';
import type { BucketFacts, BucketStep } from '@acuse/storage';
import type { Settings } from './environment.ts';

const TRIED: Readonly<Record<BucketStep, string>> = {
  find: 'no se encontró el bucket',
  write: 'no se pudo escribir',
  read: 'no se pudo leer lo escrito',
  condition: 'no respeta If-Match: un paquete reescrito durante su lectura saldría mezclado',
  remove: 'no se pudo borrar lo escrito',
};

const BY_NAME: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'El almacén no conoce S3_ACCESS_KEY_ID. Revise la credencial.',
  SignatureDoesNotMatch: 'S3_SECRET_ACCESS_KEY no es la de S3_ACCESS_KEY_ID. Revise la credencial.',
  RequestTimeTooSkewed: 'El reloj de esta máquina y el del almacén no coinciden. Sincronícelos (NTP).',
  CredentialsProviderError: 'Ponga S3_ACCESS_KEY_ID y S3_SECRET_ACCESS_KEY, o dé a la máquina un rol.',
};
const BY_STATUS: Readonly<Record<number, string>> = {
  301: 'El bucket está en otra región. Corrija S3_REGION.',
  403: 'La credencial no tiene permiso: necesita leer, escribir, listar y borrar bajo solicitudes/ y documentos/ del bucket.',
  404: 'Cree el bucket de S3_BUCKET, o ponga S3_CREATE_BUCKET=true.',
};

/** Whether packages can be kept, and by whom they can be had. */
export function reviewBucket(facts: BucketFacts, settings: Settings): readonly Finding[] {
  const name = settings.S3_BUCKET ?? '';
  return orFine(
    [...work(facts, settings), ...access(facts)],
    `«${name}» se escribe, se lee y se borra; nadie entra sin firma`,
  );
}

function* work(
  { failed }: BucketFacts,
  { S3_BUCKET: bucket, S3_CREATE_BUCKET: mayCreate }: Settings,
): Generator<Finding> {
  if (failed === null) return;
  const { step, status, name, error } = failed;
  if (step === 'find' && status === 404 && mayCreate === true) {
    yield warning(
      `«${bucket}» no existe todavía; se creará con lo primero que se guarde`,
      'Nada, si acaba de instalar. Repita esta revisión después de la primera descarga.',
    );
    return;
  }
  const said = status === null ? '' : ` (HTTP ${status})`;
  const remedy = BY_NAME[name] ?? (status === null ? undefined : BY_STATUS[status]);
  yield fault(`${TRIED[step]}${said}`, remedy ?? explain(error, { server: 'S3_ENDPOINT' }));
}

const OK = 200;

function* access({ failed, isPublic, url }: BucketFacts): Generator<Finding> {
  if (isPublic === true)
    yield fault(
      'cualquiera puede leer los paquetes sin firma',
      'Quite el acceso público del bucket: los paquetes solo se entregan con URL firmada.',
    );
  if (failed !== null || url === null || url.status === OK) return;
  if (url.status === null)
    yield warning(
      `la dirección para quien descarga (${url.address}) no se alcanza desde esta máquina`,
      'Pruébela desde fuera. Si tampoco ahí contesta, corrija S3_PUBLIC_ENDPOINT o el proxy que la atiende.',
    );
  else
    yield fault(
      `una URL firmada para ${url.address} contesta HTTP ${url.status}`,
      'El proxy delante del almacén debe pasar Host y la ruta sin cambios: la firma los cubre. Revise S3_PUBLIC_ENDPOINT.',
    );
}
