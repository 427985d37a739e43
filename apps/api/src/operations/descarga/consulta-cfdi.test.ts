import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({
  path: 'descarga/consulta-cfdi',
  cost: 1,
  needs: null,
  body: (rfc) => ({
    rfc_emisor: rfc,
    rfc_receptor: 'XIQB891116QE4',
    uuid: '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A',
    total: 1160.5,
  }),
});
