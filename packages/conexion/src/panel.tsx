import { type PageFeature, Permitido, text } from '@acuse/page';
import { Boton } from '@acuse/page/form';
import { type ImportarDeps, importPage } from './importar/pagina.tsx';

export const conexionPanel: PageFeature<ImportarDeps> = {
  rutas: importPage.rutas,
  rfcs: () => (
    <Permitido cambiar="importacion">
      <Boton variante="secundario" href="/rfcs/importar">
        Importar
      </Boton>
    </Permitido>
  ),
  frases: {
    'crear-conexion': [
      'Enlace de conexión',
      ({ solicitante }) => `Hizo un enlace para que el contribuyente entregue su CIEC a ${text(solicitante)}.`,
    ],
    'conectar-conexion': [
      'CIEC entregada',
      ({ solicitante }) => `El contribuyente entregó su CIEC a ${text(solicitante)} por un enlace, y el SAT la aceptó.`,
    ],
    'revocar-conexion': ['Permiso retirado', 'Se retiró el permiso dado por un enlace de conexión y se borró la CIEC.'],
  },
};
