import { describe, expect, it } from 'vitest';
import { createClock } from '../clock.ts';
import { MAGIAS } from '../magia/catalogo.ts';
import { keyOf } from './mix.ts';
import { perfilSchema } from './perfil.ts';
import { generateRfc } from './persona.ts';
import { createTaxpayers } from './taxpayers.ts';

const create = (semilla = 'una') => createTaxpayers({ clock: createClock(), settings: { semilla } });
const MORAL = 'EKU9003173C9';
const FISICA = 'XIQB891116QE4';

describe('the profile of a taxpayer', () => {
  it('is whole and well formed for any RFC, magic ones too', () => {
    const taxpayers = create();
    const key = keyOf('perfiles');
    const some = Array.from({ length: 300 }, (_, n) => generateRfc(key, n, n % 2 === 0));
    for (const rfc of [
      ...some,
      ...MAGIAS.flatMap(({ moral, fisica }) => [moral, fisica]),
      'XAXX010101000',
      'ÑAM9207103I4',
    ]) {
      const perfil = perfilSchema.parse(taxpayers.profile(rfc));
      expect(perfil.regimenes.length).toBeGreaterThan(0);
      expect(perfil.actividades.reduce((sum, { porcentaje }) => sum + porcentaje, 0)).toBe(100);
      expect(perfil.ultimoCambio >= perfil.inicioOperaciones).toBe(true);
      expect(perfil.regimenes.every(({ desde }) => desde >= perfil.inicioOperaciones)).toBe(true);
      expect(perfil.regimenes.every(({ desde }) => desde <= perfil.ultimoCambio)).toBe(true);
    }
  });

  it('follows from seed and RFC alone', () => {
    expect(create().profile(MORAL)).toEqual(create().profile(MORAL));
    expect(create('otra').profile(MORAL).idCif).not.toBe(create().profile(MORAL).idCif);
    expect(create().profile(FISICA).idCif).not.toBe(create().profile(MORAL).idCif);
  });

  it('is of a legal person, or of a natural one whose CURP begins like its RFC', () => {
    const moral = create().profile(MORAL);
    expect(moral).toMatchObject({ tipoPersona: 'moral', curp: null, nombres: null, fechaConstitucion: '1990-03-17' });
    expect(moral.regimenes.every(({ clave }) => ['601', '603', '626'].includes(clave))).toBe(true);
    const fisica = create().profile(FISICA);
    expect(fisica).toMatchObject({ tipoPersona: 'fisica', regimenCapital: null, fechaNacimiento: '1989-11-16' });
    expect(fisica.curp).toMatch(/^XIQB891116[HM][A-Z]{2}[B-Z]{3}0\d$/);
    expect([fisica.nombres, fisica.apellidoPaterno, fisica.apellidoMaterno].join(' ')).toBe(fisica.nombre);
  });

  it('has a positive opinion unless its magic or a change says otherwise; a negative one says why', () => {
    const taxpayers = create();
    expect(taxpayers.profile(MORAL).opinion.sentido).toBe('POSITIVO');
    expect(taxpayers.profile('SUS900215SI4')).toMatchObject({
      estatus: 'SUSPENDIDO',
      opinion: { sentido: 'EN_SUSPENSION' },
    });
    expect(taxpayers.profile('NOI900215SIA')).toMatchObject({
      estatus: 'CANCELADO',
      opinion: { sentido: 'NO_INSCRITO' },
    });
    expect(taxpayers.profile('SIN900215SI9').regimenes.map(({ clave }) => clave)).toEqual(['616']);
    taxpayers.change(MORAL, { perfil: { opinion: { sentido: 'NEGATIVO' } } });
    for (const rfc of [MORAL, 'NEG900215SI8', 'NEGA900215SI6']) {
      const { opinion } = taxpayers.profile(rfc);
      expect(opinion.sentido).toBe('NEGATIVO');
      expect(opinion.obligacionesOmitidas).not.toHaveLength(0);
      expect(opinion.creditos).not.toHaveLength(0);
    }
  });

  it('takes parts from a change and keeps the others', () => {
    const taxpayers = create();
    const before = taxpayers.profile(MORAL);
    taxpayers.change(MORAL, { nombre: 'OTRA', perfil: { idCif: '12345678901', domicilio: { cp: '01000' } } });
    expect(taxpayers.profile(MORAL)).toEqual({
      ...before,
      nombre: 'OTRA',
      idCif: '12345678901',
      domicilio: { ...before.domicilio, cp: '01000' },
    });
    expect(taxpayers.taxpayer(MORAL)).not.toHaveProperty('perfil');
  });
});
